"""Errors of bundles and scoring. A scoring error is never an answer: the caller ranks by the fallback and
says so."""

from __future__ import annotations

from records.errors import FaultlineError


class BundleError(FaultlineError):
    """A bundle is missing, damaged, or made for another encoder; the message says which and how to mend
    it."""


class ScoringError(FaultlineError):
    """A model gave no usable answer for a snapshot.

    ``reason`` is one word for counters and events: ``nonfinite_score``, ``bad_shape``, ``runtime_error``.
    """

    def __init__(self, reason: str, message: str, mend: str = "") -> None:
        super().__init__(message, mend)
        self.reason = reason
