"""Runs patterns over samples on the production engine, without a cluster.

`io.faultline.cli.Patterns` in a JVM.

The engine, its normaliser and its rules are the job's own. Imports this package's model, and `records` for
the JVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cep_patterns.model import PatternModel
from records.errors import JavaError
from records.java import run_main
from records.samples import Edge, Sample

MAIN_CLASS: Final = "io.faultline.cli.Patterns"
_QUICK_START: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True)
class Settings:
    """What the job's configuration says about time and series, all in ms but `window_ticks`."""

    tick_ms: int = 60_000
    window_ticks: int = 10
    out_of_orderness_ms: int = 0
    rules: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Run:
    """One stream of samples, fed in this order.

    After each, event time is the largest time so far - out_of_orderness - 1.

    After the last sample event time runs to the end.
    """

    name: str
    samples: Sequence[Sample]
    edges: Sequence[Edge] = ()


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


@dataclass
class RunResult:
    """What one run gave.

    Matches and timeouts in order, indices of late samples, and patterns that were refused.
    """

    found: list[Found] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    samples: int = 0


def run_patterns(
    patterns: Sequence[PatternModel | Mapping[str, Any]],
    runs: Sequence[Run],
    settings: Settings | None = None,
) -> dict[str, RunResult]:
    """The result of each run by its name.

    JavaError where the engine cannot be run or answers unlike agreed.
    """
    names = [run.name for run in runs]
    if len(set(names)) != len(names):
        raise ValueError(f"two runs of one name: {names}")
    lines = run_main(MAIN_CLASS, _request(patterns, runs, settings or Settings()), jvm_options=_QUICK_START)
    return _collect(lines, names)


def _request(
    patterns: Sequence[PatternModel | Mapping[str, Any]], runs: Sequence[Run], settings: Settings
) -> dict[str, Any]:
    return {
        "patterns": [each.wire() if isinstance(each, PatternModel) else dict(each) for each in patterns],
        "rules": [dict(rule) for rule in settings.rules],
        "tick_ms": settings.tick_ms,
        "window_ticks": settings.window_ticks,
        "out_of_orderness_ms": settings.out_of_orderness_ms,
        "runs": [
            {
                "name": run.name,
                "samples": [sample.model_dump(exclude_none=True) for sample in run.samples],
                "edges": [edge.model_dump(exclude_none=True) for edge in run.edges],
            }
            for run in runs
        ],
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
    elif kind == "done":
        result.samples = line["samples"]
    else:
        raise JavaError(f"{MAIN_CLASS} answered with an unknown line: {kind}", "rebuild: make jar")
