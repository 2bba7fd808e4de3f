"""The table of incidents that ends `run` and `demo`, and its summary where the faults are known.

Owns the columns. Imports this package and records only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from faultline import console
from faultline.history import History
from faultline.judge import Judgement, Summary, Verdict
from faultline.words import clock, duration, plural, share

COLUMNS: Final = ("graph", "cause", "signal", "score", "method", "found", "delay", "why")
VERDICT: Final = "verdict"
_STYLES: Final = {"cause": "bold red", "why": "dim", VERDICT: "bold"}


def show(incidents: Sequence[History], judgement: Judgement | None) -> None:
    """Prints the table, then, where faults are known, the faults that were missed and the summary."""
    if incidents:
        columns = COLUMNS if judgement is None else (*COLUMNS[:-1], VERDICT, COLUMNS[-1])
        console.table(columns, [row(each, judgement) for each in incidents], _STYLES)
    else:
        console.say("no incident")
    if judgement is not None:
        for line in (*missed_lines(judgement), *summary_lines(judgement.summary)):
            console.say(line)


def row(incident: History, judgement: Judgement | None) -> list[str]:
    """The cells of one incident, in the order of the columns."""
    cause, event = incident.cause, incident.answer
    cells = [
        incident.graph,
        cause.node if cause else "-",
        (cause.signal if cause else None) or "-",
        share(cause.score if cause else None),
        event.method,
        clock(incident.opened),
        duration(incident.opened - incident.first.onset),
    ]
    if judgement is not None:
        cells.append(verdict(incident, judgement))
    return [*cells, incident.why]


def verdict(incident: History, judgement: Judgement) -> str:
    """What the incident was worth: `right, 45 s after`, `rank 2, ...`, `not named, ...`, repeat or false
    alarm.
    """
    indices = judgement.incidents.get(incident.incident_id, ())
    if not indices:
        return "false alarm"
    if incident.incident_id in judgement.repeats:
        return "repeat"
    mine = [judgement.verdicts[index] for index in indices]
    best = min(mine, key=lambda each: each.rank or len(incident.answer.root_causes) + 1)
    place = "not named" if best.rank is None else "right" if best.rank == 1 else f"rank {best.rank}"
    return f"{place}, {duration(best.delay_ms or 0)} after"


def missed_lines(judgement: Judgement) -> list[str]:
    """A line for each fault that no incident counts for."""
    return [_missed(each) for each in judgement.verdicts if not each.found]


def _missed(verdict: Verdict) -> str:
    fault = verdict.fault
    text = f"missed: {fault.graph}/{fault.node} {fault.kind} at {clock(fault.start)}"
    return text if verdict.named_by is None else f"{text} (named by {verdict.named_by}, open since before)"


def summary_lines(summary: Summary) -> list[str]:
    """The judgement in two lines; one where the recordings hold no fault."""
    rate = share(summary.false_alarms_per_hour)
    hours = f"{summary.fault_free_hours:.1f} fault-free hours"
    alarms = f"{plural(summary.false_alarms, 'false alarm')} in {hours} ({rate}/h)"
    if not summary.faults:
        return [f"no fault recorded; {alarms}"]
    soon = f"{summary.found_soon} within 5 min"
    return [
        f"found {summary.found} of {plural(summary.faults, 'fault')} ({soon}); {alarms}",
        f"AC@1 {share(summary.ac1)}  AC@3 {share(summary.ac3)}  "
        f"(of those found: AC@1 {share(summary.ac1_found)}  AC@3 {share(summary.ac3_found)})",
    ]


def to_json(incidents: Sequence[History], judgement: Judgement | None) -> dict[str, Any]:
    """The same as plain data; times in ms."""
    return {
        "incidents": [_as_data(each, judgement) for each in incidents],
        "judgement": None if judgement is None else judgement.to_json(),
    }


def _as_data(incident: History, judgement: Judgement | None) -> dict[str, Any]:
    cause, event = incident.cause, incident.answer
    data = {
        "graph": incident.graph,
        "incident_id": incident.incident_id,
        "cause": cause.node if cause else None,
        "signal": cause.signal if cause else None,
        "score": cause.score if cause else None,
        "method": event.method,
        "reason": event.reason,
        "confidence_score": event.confidence_score,
        "found": incident.opened,
        "onset": incident.first.onset,
        "delay_ms": incident.opened - incident.first.onset,
        "status": incident.last.status,
        "revisions": len(incident.revisions),
        "why": incident.why,
        "root_causes": [
            each.model_dump(include={"rank", "node", "signal", "score"}) for each in event.root_causes
        ],
    }
    return data if judgement is None else {**data, VERDICT: verdict(incident, judgement)}
