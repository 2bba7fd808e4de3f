"""The circuit breaker before the model: where its answers are bad too often, the fallback ranks for a while.

    closed  -> open     of the last `window` answers a share was bad: an error, slow, or not sure
    open    -> probing  after the pause one request goes to the model, the others still to the fallback
    probing -> closed   the model answered in time; -> open where it did not

Times are arguments: milliseconds of a clock that never goes back. May be used by several threads, since a
time-out is told on a thread of its own.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import dataclass
from typing import Final, Literal

State = Literal["closed", "open", "probing"]
Fault = Literal["error", "slow", "unsure"]
_FAULTS: Final[tuple[Fault, ...]] = ("error", "slow", "unsure")


@dataclass(frozen=True)
class BreakerSettings:
    """An answer is bad that took over `slow_ms`, is less sure than `confidence` (0..1), or is an error.

    The breaker opens where a share (0..1) of the last `window` answers was bad, for `pause_ms`.
    """

    slow_ms: float = 200.0
    confidence: float = 0.85
    share: float = 0.8
    window: int = 20
    pause_ms: float = 10_000.0


@dataclass(frozen=True)
class Change:
    """The breaker's new state and why."""

    state: State
    reason: str


class Breaker:
    """Of one worker's model."""

    def __init__(self, settings: BreakerSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._last: deque[Fault | None] = deque(maxlen=settings.window)
        self._state: State = "closed"
        self._since = 0.0
        self._changes: list[Change] = []

    def admits(self, now_ms: float) -> bool:
        """Whether the next request may go to the model. What was admitted must be told by `note`."""
        with self._lock:
            if self._state == "closed":
                return True
            if now_ms - self._since < self._settings.pause_ms:
                return False
            # A probe that never answers must not shut the model out for good.
            self._become("probing", now_ms, f"{self._settings.pause_ms:g} ms are over")
            return True

    def note(self, now_ms: float, took_ms: float, confidence: float | None) -> None:
        """Takes an answer: how long it took, how sure it is (0..1), None for an error."""
        fault = self._fault(took_ms, confidence)
        with self._lock:
            if self._state == "closed":
                self._last.append(fault)
                bad = [each for each in self._last if each is not None]
                if len(self._last) == self._settings.window and len(bad) >= self._settings.share * len(
                    self._last
                ):
                    self._become("open", now_ms, f"of the last {len(self._last)} answers: {_counted(bad)}")
            elif self._state == "probing":
                # An honest doubt is an answer: it does not keep the model out.
                if fault in (None, "unsure"):
                    self._become("closed", now_ms, f"the probe took {took_ms:.0f} ms")
                else:
                    self._become("open", now_ms, f"the probe: {fault}")

    def changes(self) -> list[Change]:
        """The changes since this was last asked."""
        with self._lock:
            changes, self._changes = self._changes, []
            return changes

    def _fault(self, took_ms: float, confidence: float | None) -> Fault | None:
        if confidence is None:
            return "error"
        if took_ms > self._settings.slow_ms:
            return "slow"
        return "unsure" if confidence < self._settings.confidence else None

    def _become(self, state: State, now_ms: float, reason: str) -> None:
        if state != self._state:
            self._changes.append(Change(state, reason))
        self._state, self._since = state, now_ms
        self._last.clear()


def _counted(bad: list[Fault]) -> str:
    counts = Counter(bad)
    return ", ".join(f"{counts[fault]} {fault}" for fault in _FAULTS if counts[fault])
