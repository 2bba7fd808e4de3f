"""One incident as a section of the report: everything the template says, as text, geometry, or the event
as told.

Imports the history, the judgement and the pictures; no wording is left to the template but headings and
legends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faultline import incident_table
from faultline.history import History
from faultline.judge import Judgement, Verdict
from faultline.report.chart import ChartView
from faultline.report.graph import GraphView
from faultline.words import clock, duration, number, quantity, share
from records.incidents import Evidence, IncidentEvent, RootCause, Trigger


@dataclass(frozen=True)
class EvidenceView:
    """One reason: its kind, a sentence, and its figures as text."""

    kind: str
    text: str
    figures: str


@dataclass(frozen=True)
class CauseView:
    """One candidate: `width` is its bar's share of the widest, in percent."""

    rank: int
    node: str
    signal: str
    score: str
    width: float
    evidence: tuple[EvidenceView, ...]


@dataclass(frozen=True)
class TriggerView:
    """All matches of one pattern in one place: the first of them, and how many there were."""

    first: Trigger
    where: str
    count: int


@dataclass(frozen=True)
class Pictures:
    """What is drawn of one incident: its graph, the cause's series, (node, series) where it was noticed."""

    graph: GraphView | None
    charts: tuple[ChartView, ...]
    noticed: tuple[tuple[str, ChartView], ...]


@dataclass(frozen=True)
class IncidentView:
    """One section. Everything is text, geometry, or an event as it was told."""

    anchor: str
    headline: str
    signal: str
    event: IncidentEvent
    last: IncidentEvent
    sentence: str
    found: str
    onset: str
    delay: str
    verdict: Verdict | None
    verdict_text: str
    verdict_class: str
    truth: tuple[str, ...]
    pictures: Pictures
    causes: tuple[CauseView, ...]
    triggers: tuple[TriggerView, ...]
    revisions: tuple[IncidentEvent, ...]


def section(anchor: str, incident: History, judgement: Judgement | None, pictures: Pictures) -> IncidentView:
    """The section of one incident; `anchor` is its place in the page."""
    cause, event = incident.cause, incident.answer
    told = _verdicts(incident, judgement)
    text = incident_table.verdict(incident, judgement) if judgement else ""
    return IncidentView(
        anchor=anchor,
        headline=cause.node if cause else "No cause ranked",
        signal=(cause.signal if cause else None) or "",
        event=event,
        last=incident.last,
        sentence=incident.why,
        found=clock(incident.opened),
        onset=clock(incident.first.onset),
        delay=duration(incident.opened - incident.first.onset),
        verdict=told[0] if told else None,
        verdict_text=text,
        verdict_class=_verdict_class(text),
        truth=tuple(_truth(each) for each in told),
        pictures=pictures,
        causes=tuple(_causes(event)),
        triggers=tuple(_triggers(incident.revisions)),
        revisions=incident.revisions,
    )


def _causes(event: IncidentEvent) -> list[CauseView]:
    ranked = sorted(event.root_causes, key=lambda each: each.rank)[:10]
    most = max((each.score or 0.0 for each in ranked), default=0.0)
    return [_cause(each, most) for each in ranked]


def _cause(cause: RootCause, most: float) -> CauseView:
    width = 100.0 * max(0.0, cause.score or 0.0) / most if most > 0 else 0.0
    evidence = dict.fromkeys(EvidenceView(each.kind, each.text, _figures(each)) for each in cause.evidence)
    return CauseView(cause.rank, cause.node, cause.signal or "", share(cause.score), width, tuple(evidence))


def _triggers(revisions: Sequence[IncidentEvent]) -> list[TriggerView]:
    """The triggers of all revisions, those of one pattern in one place together, the earliest first."""
    told = {
        (each.pattern, each.node, each.peer, each.signal, each.time): each
        for event in revisions
        for each in event.triggers
    }
    places: dict[tuple[str | None, ...], list[Trigger]] = {}
    for trigger in sorted(
        told.values(), key=lambda each: (each.time, each.node, each.peer or "", each.pattern)
    ):
        key = (trigger.pattern, trigger.node, trigger.peer, trigger.signal, trigger.kind)
        places.setdefault(key, []).append(trigger)
    return [TriggerView(each[0], _where(each[0]), len(each)) for each in places.values()]


def _where(trigger: Trigger) -> str:
    return f"{trigger.peer} \N{RIGHTWARDS ARROW} {trigger.node}" if trigger.peer else trigger.node


def _figures(evidence: Evidence) -> str:
    """`97.5 % against 12.1 %, z 14`, as far as known and not in the sentence."""
    parts = []
    if evidence.value is not None:
        against = (
            "" if evidence.baseline is None else f" against {quantity(evidence.baseline, evidence.unit)}"
        )
        parts.append(quantity(evidence.value, evidence.unit) + against)
    if evidence.z is not None and "z " not in evidence.text:
        parts.append(f"z {number(evidence.z)}")
    return ", ".join(parts)


def _verdicts(incident: History, judgement: Judgement | None) -> list[Verdict]:
    if judgement is None:
        return []
    return [judgement.verdicts[index] for index in judgement.incidents.get(incident.incident_id, ())]


def _verdict_class(text: str) -> str:
    if text.startswith("right"):
        return "good"
    return "bad" if text.startswith(("false", "not named")) else "fair"


def _truth(verdict: Verdict) -> str:
    fault = verdict.fault
    signal = f" ({fault.signal})" if fault.signal else ""
    same_day = clock(fault.start)[:10] == clock(fault.end)[:10]
    until = clock(fault.end)[11:] if same_day else clock(fault.end)
    return f"{fault.kind} on {fault.node}{signal}, {clock(fault.start)} to {until}"
