"""What the report says, as plain data for the templates: the run's header, and a section per incident.

Imports the rest of this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from faultline import incident_table
from faultline.history import History, histories
from faultline.judge import Judgement, judge
from faultline.report import charts
from faultline.report.graph import graph_view
from faultline.report.marks import GraphMarks, marks_of
from faultline.report.sections import IncidentView, Pictures, section
from faultline.report.series import read_tracks
from faultline.run_folder import RunFolder
from faultline.words import clock, duration, plural
from records.matches import Match
from records.rules import load_rules

_DEFAULT_TICK_MS: Final = 60_000
_COUNTS: Final = (
    ("samples", "samples"),
    ("edges", "edges"),
    ("matches", "matches"),
    ("dead_letters", "dead letters"),
    ("late", "late samples"),
)


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
    graphs: int
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
        graphs=len({each.graph for each in incidents}),
        incidents=tuple(sections),
        version=run.meta.version,
    )


def _sections(
    run: RunFolder, incidents: Sequence[History], matches: Sequence[Match], judgement: Judgement | None
) -> list[IncidentView]:
    marks = marks_of(incidents, run.frames())
    pictures = _pictures(run, incidents, matches, marks)
    return [
        section(f"incident-{place}", incident, judgement, pictures[incident.incident_id])
        for place, incident in enumerate(incidents, start=1)
    ]


def _pictures(
    run: RunFolder, incidents: Sequence[History], matches: Sequence[Match], marks: Mapping[str, GraphMarks]
) -> dict[str, Pictures]:
    """The pictures of each incident by id; each recording is read once for all of them."""
    faults, plans = run.faults(), {}
    for incident in incidents:
        tick_ms = _tick(run, incident, marks[incident.incident_id])
        matched = charts.matched_samples(incident, matches)
        plans[incident.incident_id] = (matched, charts.moments_of(incident, tick_ms, faults), tick_ms)
    wants = [want for each in incidents for want in charts.wants_of(each, *plans[each.incident_id][:2])]
    rules = load_rules(each for each in run.meta.rules if not isinstance(each, str) or Path(each).is_file())
    tracks = {
        source.graph: read_tracks(source.recording.path, source.graph, wants, rules) for source in run.sources
    }
    return {
        each.incident_id: Pictures(
            graph_view(each.answer, marks[each.incident_id]),
            tuple(charts.cause_charts(each, tracks.get(each.graph, {}), *plans[each.incident_id])),
            tuple(charts.noticed_charts(each, tracks.get(each.graph, {}), *plans[each.incident_id])),
        )
        for each in incidents
    }


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
