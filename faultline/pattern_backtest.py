"""`faultline pattern backtest`: patterns over recordings, judged against the faults these hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faultline import console, exits
from faultline.words import clock, duration, plural

if TYPE_CHECKING:
    from cep_patterns.model import PatternModel
    from faultline.backtest import Day, Score

_COLUMNS = (
    "pattern",
    "matches",
    "found",
    "after",
    "false alarms",
    "per hour",
    "ns/sample",
    "steps",
    "partials",
)


def backtest(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATTERN.yaml|DIR|RECORDING", help="`library`: the shipped patterns."),
    ],
    against: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATTERN.yaml|DIR", help="Other versions to stand next to; `library`: the shipped ones."
        ),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Signal rules before the shipped ones.")
    ] = None,
    max_false_alarms: Annotated[
        float | None, typer.Option(min=0, metavar="PER_HOUR", help="Exit 1 where there are more.")
    ] = None,
    json: console.Json = False,
) -> None:
    """Run patterns over recordings: what they find, what they miss, false alarms per hour, and their cost."""
    from faultline.pattern_runs import patterns_and_recordings, patterns_of, run_over
    from records.rules import load_rules

    patterns, recordings = patterns_and_recordings(paths)
    sets = {"these": patterns}
    if against:
        sets["against"] = patterns_of(against)
    with console.progress() as progress:
        progress(f"{plural(len(patterns), 'pattern')} over {plural(len(recordings), 'recording')}")
        days = run_over(sets, recordings, load_rules([] if rules is None else [rules]))
    for day in days["these"]:
        if day.late:
            console.note(f"{day.name}: left out {plural(day.late, 'sample')} behind others of a later time")
    scores = {name: _scores(sets[name], days[name]) for name in sets}
    if json:
        for line in _lines(sets, days, scores):
            console.say_json(line)
    else:
        _show(sets, days, scores)
    rate = scores["these"]["all"].false_per_hour
    if max_false_alarms is not None and rate is not None and rate > max_false_alarms:
        console.note(f"{rate:.2f} false alarms per hour are more than {max_false_alarms:g}")
        raise typer.Exit(exits.FINDINGS)


def _scores(patterns: Sequence[PatternModel], days: Sequence[Day]) -> dict[str, Score]:
    """By pattern, and `all` of them together."""
    from faultline.backtest import score

    ids = [each.id for each in patterns]
    return {**{each: score(days, [each]) for each in ids}, "all": score(days, ids)}


def _named(pattern: PatternModel, which: str) -> str:
    return f"{pattern.id}@{pattern.version}{_suffix(which)}"


def _lines(
    sets: Mapping[str, Sequence[PatternModel]],
    days: Mapping[str, Sequence[Day]],
    scores: Mapping[str, Mapping[str, Score]],
) -> Iterator[dict[str, Any]]:
    from faultline.backtest import cost_of

    for which, patterns in sets.items():
        about = {"set": which}
        for each in patterns:
            cost = cost_of(days[which], each.id)
            yield {
                "type": "pattern",
                **about,
                "pattern": each.id,
                "version": each.version,
                **_figures(scores[which][each.id]),
                "cost": None if cost is None else asdict(cost),
            }
        whole = scores[which]["all"]
        yield {"type": "all", **about, **_figures(whole)}
        for finding in whole.findings:
            told = {**asdict(finding), "fault": finding.fault.model_dump(exclude_none=True)}
            yield {"type": "fault", **about, **told}
        for alarm in whole.false_alarms:
            yield {"type": "false_alarm", **about, **asdict(alarm)}


def _figures(score: Score) -> dict[str, Any]:
    return {
        "matches": score.matches,
        "faults": len(score.findings),
        "found": score.found,
        "median_after_ms": score.median_after_ms,
        "false_alarms": len(score.false_alarms),
        "fault_free_hours": score.fault_free_hours,
        "false_alarms_per_hour": score.false_per_hour,
    }


def _show(
    sets: Mapping[str, Sequence[PatternModel]],
    days: Mapping[str, Sequence[Day]],
    scores: Mapping[str, Mapping[str, Score]],
) -> None:
    rows = []
    for which, patterns in sets.items():
        rows += [_row(_named(each, which), scores[which][each.id], days[which], each.id) for each in patterns]
        if len(patterns) > 1:
            rows.append(_row(f"all{_suffix(which)}", scores[which]["all"]))
    console.table(_COLUMNS, rows)
    _show_faults(scores)
    for which in sets:
        for alarm in scores[which]["all"].false_alarms:
            where = f"{alarm.recording} {clock(alarm.time)} on {', '.join(alarm.nodes)}"
            console.say(f"false alarm{_suffix(which)}: {where}: {', '.join(alarm.patterns)}")
    hours = scores["these"]["all"].fault_free_hours
    console.note(f"{plural(len(days['these']), 'recording')}, {hours:.1f} fault-free hours")


def _suffix(which: str) -> str:
    return " (against)" if which == "against" else ""


def _row(name: str, score: Score, days: Sequence[Day] = (), pattern: str = "") -> tuple[str, ...]:
    from faultline.backtest import cost_of

    rate = score.false_per_hour
    after = score.median_after_ms
    cost = cost_of(days, pattern)
    return (
        name,
        f"{score.matches:,}",
        f"{score.found} of {len(score.findings)}" if score.findings else "-",
        "-" if after is None else duration(after),
        str(len(score.false_alarms)),
        "-" if rate is None else f"{rate:.2f}",
        "-" if cost is None or cost.ns_per_sample is None else f"{cost.ns_per_sample:.1f}",
        "-" if cost is None else f"{cost.steps_per_sample:.2%}",
        "-" if cost is None else str(cost.partials_peak),
    )


def _show_faults(scores: Mapping[str, Mapping[str, Score]]) -> None:
    findings = scores["these"]["all"].findings
    if not findings:
        return
    others = scores["against"]["all"].findings if "against" in scores else None
    columns = ("fault", "began", "found", *(("against",) if others else ()))
    rows = []
    for index, each in enumerate(findings):
        cells = [
            f"{each.recording} {each.fault.node} {each.fault.kind}",
            clock(each.fault.start),
            _told(each.after_ms, each.by),
        ]
        if others:
            cells.append(_told(others[index].after_ms, others[index].by))
        rows.append(tuple(cells))
    console.say()
    console.table(columns, rows)


def _told(after: int | None, by: str | None) -> str:
    return "missed" if after is None else f"after {duration(after)} by {by}"
