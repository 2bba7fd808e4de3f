"""`faultline events forward`: incident events to Alertmanager, PagerDuty or an OpenTelemetry collector.

A process beside the job, not a sink in it: a receiver that is slow or away must never hold up detection, and
Kafka keeps what could not be told yet. Owns the order of things (deliver, dead letter, commit) and what is
remembered of each incident; delivery.py knows HTTP, receivers.py the receivers.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from faultline import console
from faultline.delivery import Answer, post, verdict, wait_s
from records.errors import MachineError

if TYPE_CHECKING:
    from faultline.receivers import Receiver
    from records.incidents import IncidentEvent

MAX_KNOWN: Final = 10_000
"""Incidents of which the newest revision is remembered; then the oldest are forgotten."""


@dataclass(frozen=True)
class Outcome:
    """What became of an event: `delivered`, `repeated` (known already), `refused`, or `moved` (its partition
    is another member's now). `tries`: posts. `reason`: of what was not delivered.
    """

    what: str
    tries: int = 0
    reason: str | None = None


class Memory:
    """The newest revision of each incident that was delivered, without its details."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, IncidentEvent] = OrderedDict()

    def __getitem__(self, incident_id: str) -> IncidentEvent | None:
        """The newest revision, with its first cause alone; None where none is known."""
        return self._known.get(incident_id)

    def note(self, event: IncidentEvent) -> None:
        """Remembers a revision, unless a newer one is known."""
        known = self._known.pop(event.incident_id, None)
        if known is None or event.order > known.order:
            first = [each.model_copy(update={"evidence": []}) for each in event.root_causes if each.rank == 1]
            slim: dict[str, object] = {"path": [], "blast_radius": [], "triggers": [], "action_plan": []}
            known = event.model_copy(update={**slim, "root_causes": first})
        self._known[event.incident_id] = known
        while len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)


@dataclass
class Forwarder:
    """Delivers events to one receiver. `patience_s`: for a receiver that fails. `wait`: sleeps for so many
    seconds, False where the event is no longer this process's to deliver.
    """

    receiver: Receiver
    patience_s: float
    timeout_s: float
    wait: Callable[[float], bool]
    memory: Memory = field(default_factory=Memory)
    counts: Counter[str] = field(default_factory=Counter)

    def deliver(self, event: IncidentEvent) -> Outcome:
        """Tries until the event is taken or refused. MachineError where the address or the key is wrong."""
        known = self.memory[event.incident_id]
        if known is not None and event.order <= known.order:
            return self._count(Outcome("repeated"))
        outcome = self._tried(event.id, self.receiver.payload(event, known))
        if outcome.what == "delivered":
            self.memory.note(event)
        return self._count(outcome)

    def _tried(self, name: str, body: bytes) -> Outcome:
        failing_since: float | None = None
        tries = 0
        while True:
            tries += 1
            answer = post(self.receiver.url, body, self.receiver.headers, self.timeout_s)
            meant = verdict(answer)
            if meant == "setup":
                mend = "correct --url, or the secret; what was not delivered comes again"
                raise MachineError(f"{self.receiver.place} answers {answer}", mend)
            if meant in ("delivered", "refused"):
                return self._end(meant, answer, tries)
            now = time.monotonic()
            failing_since = None if meant == "away" else (failing_since or now)
            if failing_since is not None and now - failing_since >= self.patience_s:
                return Outcome("refused", tries, str(answer))
            self.counts["retries"] += 1
            seconds = wait_s(tries, answer)
            console.note(f"{name}: {self.receiver.place}: {answer}; again in {seconds:g} s")
            if not self.wait(seconds):
                return Outcome("moved", tries, "another member of the group has it now")

    def _end(self, meant: str, answer: Answer, tries: int) -> Outcome:
        if meant == "refused":
            return Outcome("refused", tries, str(answer))
        rejected = self.receiver.rejected(answer.text)
        return Outcome("delivered", tries) if rejected is None else Outcome("refused", tries, rejected)

    def _count(self, outcome: Outcome) -> Outcome:
        self.counts[outcome.what] += 1
        return outcome


def sleep(seconds: float) -> bool:
    """Waits where there is no group to stay in."""
    time.sleep(seconds)
    return True
