"""When a bundle that is tried goes on to its next stage by itself: its answers over a window are good enough.

Pure: one Progress per bundle, worker and stage. May be used by several threads, since a time-out is told on a
thread of its own. Imports records.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from typing import Any, Final

from records.model_control import Promotion

SHARE_IN_TIME: Final = 0.95
"""Of the answers, so many must have come within the rule's latency."""


class Progress:
    """Of one bundle in one worker, from the record that put it into its stage."""

    def __init__(self, rule: Promotion) -> None:
        self._rule = rule
        self._lock = threading.Lock()
        self._took: deque[float] = deque(maxlen=rule.after)
        self._bad: deque[bool] = deque(maxlen=rule.after)
        self._agreed: deque[bool] = deque(maxlen=rule.after)

    def note(self, took_ms: float, bad: bool) -> None:
        """Takes an answer: how long it took, and whether it was none."""
        with self._lock:
            self._took.append(took_ms)
            self._bad.append(bad)

    def compare(self, agrees: bool) -> None:
        """Takes a comparison with the other bundle's answer."""
        with self._lock:
            self._agreed.append(agrees)

    def passed(self) -> dict[str, Any] | None:
        """The figures that promote it, over the last `after` comparisons and answers; None until they do."""
        rule = self._rule
        with self._lock:
            if min(len(self._agreed), len(self._bad)) < rule.after:
                return None
            agreement = sum(self._agreed) / rule.after
            errors = sum(self._bad) / rule.after
            latency_ms = sorted(self._took)[math.ceil(SHARE_IN_TIME * rule.after) - 1]
        if agreement < rule.agreement or errors > rule.errors or latency_ms > rule.latency_ms:
            return None
        return {
            "scores": rule.after,
            "agreement": round(agreement, 4),
            "errors": round(errors, 4),
            "latency_ms": round(latency_ms, 1),
        }
