"""What people say of incidents: `faultline.feedback.v1`, and the labels that training makes of it.

Owns version 1 of the record; its key is the incident's id, so that a later word replaces an earlier one.
Imports pydantic only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from records.incidents import IncidentEvent
from records.samples import Fault, Name, TimeMs
from records.signals import Signal
from records.validation import Record

FEEDBACK_TOPIC: Final = "faultline.feedback.v1"
LABEL_KIND: Final = "feedback"
"""Kind of a fault that somebody confirmed."""


class Feedback(Record):
    """A verdict on one incident.

    `verdict`: the first cause is right (`true`), there was no fault (`false`), or another node was it
    (`cause`). `node`, `signal`: the cause that stands, none where the verdict is `false`. `onset`, `until`:
    the incident's span, `time`: of the verdict, all ms. `revision`: the newest that was judged.
    """

    v: Literal[1] = 1
    graph: Name
    incident_id: Name
    revision: Annotated[int, Field(ge=1)]
    verdict: Literal["true", "false", "cause"]
    node: Name | None = None
    signal: Signal | None = None
    onset: TimeMs
    until: TimeMs
    time: TimeMs
    note: str | None = None

    @model_validator(mode="after")
    def _cause_unless_false(self) -> Feedback:
        if (self.verdict == "false") != (self.node is None):
            raise ValueError("a verdict names the cause, unless it is false")
        if self.node is None and self.signal is not None:
            raise ValueError("a signal goes with a node")
        return self


def feedback(
    event: IncidentEvent,
    verdict: Literal["true", "false", "cause"],
    time: int,
    *,
    node: str | None = None,
    signal: Signal | None = None,
    note: str | None = None,
) -> Feedback:
    """The verdict on an incident, given its newest event. ValueError where nothing was ranked to confirm."""
    if verdict == "true":
        if not event.root_causes:
            raise ValueError(f"{event.incident_id} names no cause that could be right")
        first = min(event.root_causes, key=lambda each: each.rank)
        node, signal = first.node, signal or first.signal
    return Feedback(
        graph=event.graph,
        incident_id=event.incident_id,
        revision=event.revision,
        verdict=verdict,
        node=node,
        signal=signal,
        onset=event.onset,
        until=max(event.time, event.onset),
        time=time,
        note=note,
    )


def labels(given: Iterable[Feedback]) -> list[Fault]:
    """The faults that people confirmed, by onset; of one incident the last word counts."""
    last = {each.incident_id: each for each in given}
    faults = [
        Fault(
            graph=each.graph,
            node=each.node,
            signal=each.signal,
            start=each.onset,
            end=each.until,
            kind=LABEL_KIND,
        )
        for each in last.values()
        if each.node is not None
    ]
    return sorted(faults, key=lambda fault: (fault.start, fault.graph, fault.node))
