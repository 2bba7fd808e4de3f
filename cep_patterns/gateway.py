"""Runs patterns over samples on the production engine, without a cluster.

`io.faultline.cli.Patterns` in a JVM.

The engine, its normaliser and its rules are the job's own. Imports this package's model, and `records` for
the JVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cep_patterns.model import PatternModel
from records.errors import JavaError, RecordingError
from records.java import QUICK_START, run_main
from records.samples import Edge, Sample

MAIN_CLASS: Final = "io.faultline.cli.Patterns"


@dataclass(frozen=True)
class Settings:
    """What the job's configuration says about time and series, all in ms but `window_ticks`."""

    tick_ms: int = 60_000
    window_ticks: int = 10
    out_of_orderness_ms: int = 0
    rules: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Run:
    """One stream of samples, fed in this order; or, with `recording`, those of a recording's folder.

    After each, event time is the largest time so far - out_of_orderness - 1. After the last sample event time
    runs to the end. `patterns`: which of the patterns run, by place from 0, null for all. `tick_ms`,
    `out_of_orderness_ms`: null for those of the settings. `trace`: tell the partial matches at each sample.
    """

    name: str
    samples: Sequence[Sample] = ()
    edges: Sequence[Edge] = ()
    recording: Path | None = None
    patterns: Sequence[int] | None = None
    tick_ms: int | None = None
    out_of_orderness_ms: int | None = None
    trace: bool = False


@dataclass(frozen=True)
class Found:
    """A match or a timeout.

    `key` is graph/node; `steps` has the samples' times, ms; `match` the record as it is sent.
    """

    kind: str
    pattern: str
    key: str
    steps: Mapping[str, Sequence[int]]
    ready_at: int
    match: Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """What one pattern took of a run; times in ns, `run_ns` that of the whole run with all patterns.

    `events_seen`: samples whose metric and signal it looks at; `automaton_steps`: those that the automaton
    had to see; `partials_peak`: most partial matches at once over all keys; `evicted`: those that went
    because a key held too many; `condition_errors`: numbers that could not be computed.
    """

    pattern: str
    samples: int
    run_ns: int
    events_seen: int
    first_step_hits: int
    automaton_steps: int
    time_ns: int
    partials_peak: int
    evicted: int
    failed: int
    condition_errors: int


@dataclass
class RunResult:
    """What one run gave.

    Matches and timeouts in order, indices of late samples, and patterns that were refused. `trace`: what
    partial matches made of each sample, where that was asked for; `costs`: what each pattern of samples took.
    """

    found: list[Found] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    samples: int = 0
    trace: list[Mapping[str, Any]] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)


def run_patterns(
    patterns: Sequence[PatternModel | Mapping[str, Any]],
    runs: Sequence[Run],
    settings: Settings | None = None,
) -> dict[str, RunResult]:
    """The result of each run by its name.

    RecordingError where the data cannot be read, JavaError where the engine cannot be run or answers unlike
    agreed.
    """
    names = [run.name for run in runs]
    if len(set(names)) != len(names):
        raise ValueError(f"two runs of one name: {names}")
    quick = () if any(run.recording for run in runs) else QUICK_START
    request = _request(patterns, runs, settings or Settings())
    return _collect(run_main(MAIN_CLASS, request, jvm_options=quick), names)


def automata(patterns: Sequence[PatternModel]) -> list[dict[str, Any]]:
    """The automaton of each pattern as Flink compiled it: `states`, `edges`, or `refused` with the reason."""
    request = {**_request(patterns, (), Settings()), "automata": True}
    return list(run_main(MAIN_CLASS, request, jvm_options=QUICK_START))


def _request(
    patterns: Sequence[PatternModel | Mapping[str, Any]], runs: Sequence[Run], settings: Settings
) -> dict[str, Any]:
    return {
        "patterns": [_counted(each) for each in patterns],
        "rules": [dict(rule) for rule in settings.rules],
        "tick_ms": settings.tick_ms,
        "window_ticks": settings.window_ticks,
        "out_of_orderness_ms": settings.out_of_orderness_ms,
        "runs": [_run(run) for run in runs],
    }


def _counted(pattern: PatternModel | Mapping[str, Any]) -> dict[str, Any]:
    """The pattern as it would be once it is mature.

    In the job an experimental one runs dry: its matches are shown to no other pattern. Here it is proven.
    """
    wire = pattern.wire() if isinstance(pattern, PatternModel) else dict(pattern)
    return {**wire, "maturity": "production"}


def _run(run: Run) -> dict[str, Any]:
    content: dict[str, Any] = (
        {"recording": str(run.recording)}
        if run.recording is not None
        else {
            "samples": [sample.model_dump(exclude_none=True) for sample in run.samples],
            "edges": [edge.model_dump(exclude_none=True) for edge in run.edges],
        }
    )
    return {
        "name": run.name,
        **content,
        "patterns": None if run.patterns is None else list(run.patterns),
        "tick_ms": run.tick_ms,
        "out_of_orderness_ms": run.out_of_orderness_ms,
        "trace": run.trace,
    }


def _collect(lines: Iterable[Any], names: Sequence[str]) -> dict[str, RunResult]:
    results = {name: RunResult() for name in names}
    done = set()
    for line in lines:
        if not isinstance(line, dict) or line.get("run") not in results:
            raise JavaError(
                f"{MAIN_CLASS} answered for an unknown run: {str(line)[:200]}", "rebuild: make jar"
            )
        if line["type"] == "done":
            done.add(line["run"])
        _add(results[line["run"]], line)
    missing = [name for name in names if name not in done]
    if missing:
        raise JavaError(f"{MAIN_CLASS} did not finish {', '.join(missing)}", "rebuild: make jar")
    return results


def _add(result: RunResult, line: Mapping[str, Any]) -> None:
    kind = line["type"]
    if kind in ("match", "timeout"):
        steps = {name: list(times) for name, times in line["steps"].items()}
        result.found.append(
            Found(kind, line["pattern"], line["key"], steps, line["ready_at"], line.get("match") or {})
        )
    elif kind == "late":
        result.late.append(line["index"])
    elif kind == "refused":
        result.refused[line["pattern"]] = line["reason"]
    elif kind == "trace":
        result.trace.append(line)
    elif kind == "cost":
        result.costs.append(Cost(**{name: line[name] for name in Cost.__dataclass_fields__}))
    elif kind == "wrong":
        mend = "mend or drop the line; `faultline recording check` looks at a whole recording"
        raise RecordingError(str(line["reason"]), mend)
    elif kind == "done":
        result.samples = line["samples"]
    else:
        raise JavaError(f"{MAIN_CLASS} answered with an unknown line: {kind}", "rebuild: make jar")
