"""What the report says, as plain data for the templates: the run's header and a section per incident.

Imports the rest of this package; no wording is left to the templates but headings and legends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from records.rules import load_rules

from faultline import incident_table
from faultline.history import History, histories
from faultline.judge import Judgement, Verdict, judge
from faultline.report import charts
from faultline.report.chart import ChartView
from faultline.report.graph import GraphView, graph_view
from faultline.report.marks import GraphMarks, marks_of
from faultline.report.series import Track, read_tracks
from faultline.run_folder import RunFolder
from faultline.words import clock, duration, number, plural, quantity, share
from records.incidents import Evidence, IncidentEvent, RootCause
from records.matches import Match

_DEFAULT_TICK_MS: Final = 60_000
_COUNTS: Final = (
    ("samples", "samples"),
    ("edges", "edges"),
    ("matches", "matches"),
    ("dead_letters", "dead letters"),
    ("late", "late samples"),
)


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
    graph: GraphView | None
    causes: tuple[CauseView, ...]
    charts: tuple[ChartView, ...]
    noticed: tuple[tuple[str, ChartView], ...]
    revisions: tuple[IncidentEvent, ...]


@dataclass(frozen=True)
class ReportView:
    """The whole page."""

    title: str
    span: str
    counts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    summary: tuple[str, ...]
    missed: tuple[str, ...]
    judged: bool
    incidents: tuple[IncidentView, ...]
    version: str


def report_view(run: RunFolder) -> ReportView:
    """Everything the page of this run says."""
    incidents = histories(run.events())
    matches = list(run.matches())
    faults = run.faults()
    judgement = judge(incidents, faults, run.spans()) if faults else None
    sections = _sections(run, incidents, matches, judgement)
    counts = {"matches": len(matches), **run.counts()}
    known = [("incidents", f"{len(incidents):,}")]
    known += [(label, f"{counts[key]:,}") for key, label in _COUNTS if key in counts]
    if run.meta.seconds is not None:
        known.append(("wall clock", duration(run.meta.seconds * 1000)))
    return ReportView(
        title=_title(run, incidents),
        span=_span(run, incidents),
        counts=tuple(known),
        warnings=tuple(_warnings(run, counts)),
        summary=tuple(incident_table.summary_lines(judgement.summary)) if judgement else (),
        missed=tuple(incident_table.missed_lines(judgement)) if judgement else (),
        judged=judgement is not None,
        incidents=tuple(sections),
        version=run.meta.version,
    )


def _sections(
    run: RunFolder, incidents: Sequence[History], matches: Sequence[Match], judgement: Judgement | None
) -> list[IncidentView]:
    marks = marks_of(incidents, run.frames())
    faults = run.faults()
    ticks = {each.incident_id: _tick(run, each, marks[each.incident_id]) for each in incidents}
    moments = {
        each.incident_id: charts.moments_of(each, ticks[each.incident_id], faults) for each in incidents
    }
    wants = [want for each in incidents for want in charts.wants_of(each, moments[each.incident_id])]
    rules = load_rules(path for path in run.meta.rules if Path(path).is_file())
    tracks: dict[str, dict[str, list[Track]]] = {
        source.graph: read_tracks(source.recording.path, source.graph, wants, rules) for source in run.sources
    }
    sections = []
    for number_, each in enumerate(incidents, start=1):
        matched = charts.matched_samples(each, matches)
        drawn = (
            each,
            tracks.get(each.graph, {}),
            matched,
            moments[each.incident_id],
            ticks[each.incident_id],
        )
        sections.append(
            _section(
                f"incident-{number_}",
                each,
                judgement,
                graph_view(each.answer, marks[each.incident_id]),
                charts.cause_charts(*drawn),
                charts.noticed_charts(*drawn),
            )
        )
    return sections


def _section(
    anchor: str,
    incident: History,
    judgement: Judgement | None,
    graph: GraphView | None,
    drawn: Sequence[ChartView],
    noticed: Sequence[tuple[str, ChartView]],
) -> IncidentView:
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
        graph=graph,
        causes=tuple(_causes(event)),
        charts=tuple(drawn),
        noticed=tuple(noticed),
        revisions=incident.revisions,
    )


def _causes(event: IncidentEvent) -> list[CauseView]:
    ranked = sorted(event.root_causes, key=lambda each: each.rank)[:10]
    most = max((each.score or 0.0 for each in ranked), default=0.0)
    return [_cause(each, most) for each in ranked]


def _cause(cause: RootCause, most: float) -> CauseView:
    width = 100.0 * max(0.0, cause.score or 0.0) / most if most > 0 else 0.0
    evidence = tuple(EvidenceView(each.kind, each.text, _figures(each)) for each in cause.evidence)
    return CauseView(cause.rank, cause.node, cause.signal or "", share(cause.score), width, evidence)


def _figures(evidence: Evidence) -> str:
    """`97.5 % against 12.1 %, z 14`, as far as known."""
    parts = []
    if evidence.value is not None:
        against = (
            "" if evidence.baseline is None else f" against {quantity(evidence.baseline, evidence.unit)}"
        )
        parts.append(quantity(evidence.value, evidence.unit) + against)
    if evidence.z is not None:
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


def _tick(run: RunFolder, incident: History, marks: GraphMarks) -> int:
    """The graph's tick: from its frames, else from its recording's interval."""
    intervals = [source.recording.meta.interval for source in run.sources if source.graph == incident.graph]
    return marks.tick_ms or next(iter(intervals), _DEFAULT_TICK_MS)


def _title(run: RunFolder, incidents: Sequence[History]) -> str:
    graphs = sorted({source.graph for source in run.sources} | {each.graph for each in incidents})
    where = ", ".join(graphs[:3]) + (f" and {len(graphs) - 3} more" if len(graphs) > 3 else "")
    count = plural(len(incidents), "incident") if incidents else "No incident"
    return f"{count} in {where}" if where else count


def _span(run: RunFolder, incidents: Sequence[History]) -> str:
    spans = list(run.spans().values()) or [(each.first.onset, each.last.time) for each in incidents]
    if not spans:
        return ""
    start, end = min(low for low, _ in spans), max(high for _, high in spans)
    return f"{clock(start)} to {clock(end)} UTC ({duration(end - start)})"


def _warnings(run: RunFolder, counts: dict[str, int]) -> list[str]:
    found = [f"The recording {path} is no longer there: its series are not drawn." for path in run.missing]
    if counts.get("dead_letters"):
        found.append(
            f"{plural(counts['dead_letters'], 'record')} could not be read: see dead-letters.ndjson."
        )
    if counts.get("late"):
        found.append(f"{plural(counts['late'], 'sample')} came too late and were left out: see audit.ndjson.")
    return found
