"""Incidents as they were told: the revisions of each, put together from incident events.

Owns the question which revision answers what. Imports records only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from records.incidents import ENDED, IncidentEvent, RootCause


@dataclass(frozen=True)
class History:
    """One incident: its revisions in order, at least one."""

    revisions: tuple[IncidentEvent, ...]

    @property
    def graph(self) -> str:
        """The graph it happened in."""
        return self.revisions[0].graph

    @property
    def incident_id(self) -> str:
        """The incident's id."""
        return self.revisions[0].incident_id

    @property
    def first(self) -> IncidentEvent:
        """The revision that opened it."""
        return self.revisions[0]

    @property
    def last(self) -> IncidentEvent:
        """The newest revision."""
        return self.revisions[-1]

    @property
    def opened(self) -> int:
        """When it was found: event time of the first trigger that was ready, ms."""
        return self.first.detected_at

    @property
    def answer(self) -> IncidentEvent:
        """The newest revision that ranks root causes, while the incident was open where there is one."""
        return self.answer_by(self.last.time)

    def answer_by(self, time: int) -> IncidentEvent:
        """The newest such revision told by `time` (event time, ms), else the first one that ranks."""
        ranked = [each for each in self.revisions if each.root_causes]
        live = [each for each in ranked if each.status not in ENDED] or ranked
        told = [each for each in live if each.time <= time]
        return (told or live[:1] or [self.last])[-1]

    @property
    def cause(self) -> RootCause | None:
        """The first candidate of the answer; None where nothing was ranked."""
        causes = sorted(self.answer.root_causes, key=lambda each: each.rank)
        return causes[0] if causes else None

    @property
    def why(self) -> str:
        """One sentence: the cause's first evidence, else the reason, else the first trigger."""
        if self.cause is not None and self.cause.evidence:
            return self.cause.evidence[0].text
        if self.answer.reason:
            return self.answer.reason
        triggers = self.first.triggers
        return f"{triggers[0].pattern} on {triggers[0].node}" if triggers else ""


def histories(events: Iterable[IncidentEvent]) -> list[History]:
    """The incidents in the order they were opened; a revision that comes twice (a replay) counts once."""
    revisions: dict[tuple[str, str], dict[str, IncidentEvent]] = {}
    for event in events:
        revisions.setdefault((event.graph, event.incident_id), {}).setdefault(event.id, event)
    found = [
        History(tuple(sorted(known.values(), key=lambda each: each.order))) for known in revisions.values()
    ]
    return sorted(found, key=lambda each: (each.opened, each.graph, each.incident_id))
