"""Tests patterns: runs `.test.yaml` files on the production engine and compares.

Owns the comparison and its words. All files go through one JVM; a second one shows what the partial matches
of the tests that failed made of their samples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cep_patterns.gateway import Found, Run, RunResult, Settings, run_patterns
from cep_patterns.model import PatternModel, every_step
from cep_patterns.testfile import (
    START_MS,
    Expected,
    LoadedTests,
    PatternTest,
    edges_of,
    load_tests,
    samples_of,
)
from cep_patterns.timeline import timeline
from cep_patterns.yaml_loader import load_some
from records.errors import PatternError
from records.samples import Sample
from records.validation import nearest

Engine = Callable[[Sequence[PatternModel], Sequence[Run], Settings], Mapping[str, RunResult]]
"""Runs patterns over runs; the production engine unless a test says otherwise."""


@dataclass(frozen=True)
class TestOutcome:
    """One test that was run; `differences` is empty where everything came as expected.

    `timeline`: of one that failed, what matched or almost matched. A file that cannot be used is one outcome
    of the kind `error`, named as the file.
    """

    __test__ = False

    file: Path
    name: str
    kind: str
    patterns: tuple[str, ...]
    differences: tuple[str, ...]
    timeline: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything came as expected."""
        return not self.differences

    @property
    def is_error(self) -> bool:
        """Whether nothing could be run."""
        return self.kind == "error"


@dataclass(frozen=True)
class _Job:
    """One test on its way through the engine."""

    name: str
    loaded: LoadedTests
    test: PatternTest
    patterns: list[PatternModel]
    beside: list[PatternModel]
    samples: list[Sample]


def find_tests(paths: Iterable[Path | str]) -> list[Path]:
    """The `.test.yaml` files: those named, those beside named patterns, those in named folders.

    PatternError if none.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += sorted(path.glob("*.test.yaml"))
        elif path.name.endswith(".test.yaml"):
            found.append(path)
        else:
            found.append(path.with_name(path.name.removesuffix(".yaml") + ".test.yaml"))
    if not found:
        raise PatternError("no tests found", "put NAME.test.yaml beside NAME.yaml")
    return list(dict.fromkeys(found))


def run_tests(
    paths: Iterable[Path | str],
    *,
    only: str | None = None,
    rules: Sequence[Mapping[str, Any]] = (),
    engine: Engine = run_patterns,
) -> list[TestOutcome]:
    """The outcome of every test in the files, in their order; `only`: of those whose name has it, as a regex.

    A file that cannot be used keeps no other from being run. PatternError where no test has such a name.
    """
    named = _names(only)
    read = [each for path in find_tests(paths) for each in _read(path, named)]
    if not read:
        raise PatternError(
            f"no test has {only!r} in its name", "name a part of a test's name, or leave it out"
        )
    done = _done([each for each in read if isinstance(each, _Job)], rules, engine)
    return [done[each.name] if isinstance(each, _Job) else each for each in read]


def _read(path: Path, named: re.Pattern[str] | None) -> Sequence[_Job | TestOutcome]:
    """The tests of a file that are wanted, or what is wrong with it."""
    try:
        return _jobs(load_tests(path), named)
    except PatternError as error:
        return [TestOutcome(path, path.name, "error", (), (str(error),))]


def _done(jobs: Sequence[_Job], rules: Sequence[Mapping[str, Any]], engine: Engine) -> dict[str, TestOutcome]:
    """The outcomes by the jobs' names, with a timeline of those that failed."""
    if not jobs:
        return {}
    results = _run(jobs, rules, engine)
    outcomes = {job.name: _outcome(job, results[job.name]) for job in jobs}
    failed = [job for job in jobs if not outcomes[job.name].passed and not results[job.name].refused]
    if failed:
        traced = _run(failed, rules, engine, trace=True)
        for job in failed:
            lines = _timeline(job, traced[job.name])
            outcomes[job.name] = replace(outcomes[job.name], timeline=tuple(lines))
    return outcomes


def _jobs(loaded: LoadedTests, named: re.Pattern[str] | None) -> list[_Job]:
    patterns, beside = load_some(loaded.pattern_paths), load_some(loaded.beside_paths)
    for number, test in enumerate(loaded.content.tests):
        for place, expected in (("expect", test.expect), ("timeouts", test.timeouts or [])):
            for index, want in enumerate(expected):
                _check(f"{loaded.path}: tests.{number}.{place}.{index}", want, patterns)
    return [
        _Job(f"{loaded.path}: {number}", loaded, test, patterns, beside, samples_of(loaded, test))
        for number, test in enumerate(loaded.content.tests)
        if named is None or named.search(test.name)
    ]


def _check(place: str, want: Expected, patterns: Sequence[PatternModel]) -> None:
    """PatternError where what is expected names a pattern or a step that the test does not have."""
    steps = {each.id: [step.name for step in every_step(each.steps)] for each in patterns}
    pattern = want.pattern or patterns[0].id
    if pattern not in steps:
        raise PatternError(
            f"{place}: there is no pattern {pattern!r}{nearest(pattern, steps)}", "correct the test file"
        )
    for name in want.steps or {}:
        if name not in steps[pattern]:
            message = f"{place}: pattern {pattern} has no step {name!r}{nearest(name, steps[pattern])}"
            raise PatternError(message, "correct the test file")


def _names(only: str | None) -> re.Pattern[str] | None:
    try:
        return None if only is None else re.compile(only)
    except re.error as error:
        raise PatternError(
            f"{only!r} is no regular expression: {error}", "escape it, or name a word"
        ) from error


def _run(
    jobs: Sequence[_Job], rules: Sequence[Mapping[str, Any]], engine: Engine, trace: bool = False
) -> Mapping[str, RunResult]:
    """Every job with its own patterns, all in one run of the engine."""
    patterns: list[PatternModel] = []
    runs = []
    for job in jobs:
        own = [*job.patterns, *job.beside]
        patterns += [each for each in own if each not in patterns]
        runs.append(
            Run(
                job.name,
                job.samples,
                edges_of(job.loaded, job.test),
                patterns=[patterns.index(each) for each in own],
                tick_ms=job.loaded.tick_ms,
                out_of_orderness_ms=job.test.out_of_orderness,
                trace=trace,
            )
        )
    return engine(patterns, runs, Settings(rules=rules))


def _timeline(job: _Job, result: RunResult) -> list[str]:
    several = len(job.patterns) > 1
    lines = []
    for pattern in job.patterns:
        head = f"{pattern.id}: " if several else ""
        lines += [f"{head}{line}" for line in timeline(pattern, result, clock)]
    return lines


def _outcome(job: _Job, result: RunResult) -> TestOutcome:
    ids = tuple(pattern.id for pattern in job.patterns)
    differences = [f"refused: {name}: {reason}" for name, reason in result.refused.items() if name in ids]
    found = [each for each in result.found if each.pattern in ids]
    differences += _compare("match", job.test.expect, found, ids)
    if job.test.timeouts is not None:
        differences += _compare("timeout", job.test.timeouts, found, ids)
    differences += _compare_late(job, result)
    if result.samples != len(job.samples):
        differences.append(f"{result.samples} of {len(job.samples)} samples reached the engine")
    return TestOutcome(job.loaded.path, job.test.name, job.test.kind, ids, tuple(differences))


def _compare(
    kind: str, expected: Sequence[Expected], found: Sequence[Found], ids: Sequence[str]
) -> list[str]:
    left = [each for each in found if each.kind == kind]
    differences = []
    for want in expected:
        same = next((each for each in left if _same(want, each, ids)), None)
        if same is None:
            differences.append(f"missing {kind}: {_told(want, ids)}")
        else:
            left.remove(same)
    return differences + [f"unexpected {kind}: {_shown(each)}" for each in left]


def _same(want: Expected, got: Found, ids: Sequence[str]) -> bool:
    node = got.key.split("/", 1)[-1]
    peer = got.match.get("peer")
    return (
        got.ready_at == START_MS + want.at
        and node == want.node
        and got.pattern == (want.pattern or ids[0])
        and (want.peer is None or peer == want.peer)
        and (
            want.steps is None
            or _steps(want) == {name: list(times) for name, times in got.steps.items() if times}
        )
    )


def _steps(want: Expected) -> dict[str, list[int]]:
    steps = want.steps or {}
    return {name: [START_MS + at for at in times] for name, times in steps.items() if times}


def _compare_late(job: _Job, result: RunResult) -> list[str]:
    wanted = sorted((late.node, START_MS + late.at) for late in job.test.late)
    got = sorted((job.samples[index].node, job.samples[index].time) for index in result.late)
    if wanted == got:
        return []
    return [f"late samples: expected {_times(wanted)}, got {_times(got)}"]


def _times(late: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{node} at {clock(time)}" for node, time in late) or "none"


def _told(want: Expected, ids: Sequence[str]) -> str:
    steps = {name: [clock(time) for time in times] for name, times in _steps(want).items()}
    return f"{want.pattern or ids[0]} on {want.node} at {clock(START_MS + want.at)} {steps or ''}".rstrip()


def _shown(got: Found) -> str:
    steps = {name: [clock(time) for time in times] for name, times in got.steps.items()}
    return f"{got.pattern} on {got.key} at {clock(got.ready_at)} {steps}"


def clock(time: int) -> str:
    """A time on the virtual clock as 1h2m3.5s."""
    rest = time - START_MS
    sign, rest = ("-", -rest) if rest < 0 else ("", rest)
    hours, rest = divmod(rest, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    parts = ((hours, "h"), (minutes, "m"), (rest / 1_000, "s"))
    return sign + ("".join(f"{number:g}{unit}" for number, unit in parts if number) or "0s")
