"""When a bundle that was published is taken back: it errs, is slow, or disagrees with the one that serves.

Pure: one Trial per bundle and worker. May be used by several threads, since a time-out is told on a thread
of its own. Imports nothing.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class TrialSettings:
    """A bundle is taken back where `errors` (0..1) of `window` answers were errors or took over `slow_ms`, or
    `disagreement` (0..1) of `window` comparisons had another first cause; both counted over the last
    `window`, whether or not there were so many yet. After `answers` good ones in a row it is
    trusted for good.
    """

    slow_ms: float = 200.0
    window: int = 20
    errors: float = 0.25
    disagreement: float = 0.6
    answers: int = 1_000


class Trial:
    """Of one bundle in one worker, from the record that published it on."""

    def __init__(self, settings: TrialSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._faults: deque[str | None] = deque(maxlen=settings.window)
        self._other: deque[bool] = deque(maxlen=settings.window)
        self._good = 0
        self._trusted = False

    def note(self, took_ms: float, error: str | None) -> str | None:
        """Takes an answer: how long it took, the word for its error; why the bundle is to go, if it is."""
        slow = took_ms > self._settings.slow_ms
        fault = error or (f"over {self._settings.slow_ms:g} ms" if slow else None)
        with self._lock:
            self._good = 0 if fault else self._good + 1
            self._trusted |= self._good >= self._settings.answers
            if self._trusted:
                return None
            self._faults.append(fault)
            faults = [each for each in self._faults if each]
            if len(faults) < self._least(self._settings.errors):
                return None
            return f"{len(faults)} of the last {len(self._faults)} answers were bad, the newest: {faults[-1]}"

    def compare(self, agrees: bool) -> str | None:
        """Takes a comparison with the other bundle's answer; why the bundle is to go, if it is."""
        with self._lock:
            self._other.append(not agrees)
            other = sum(self._other)
            if other < self._least(self._settings.disagreement):
                return None
            return f"{other} of the last {len(self._other)} answers named another first cause"

    def _least(self, share: float) -> int:
        return max(1, math.ceil(share * self._settings.window))
