"""The form of a `.test.yaml`: input series on a virtual clock, and everything that is expected of them.

    pattern_files: [slow.yaml]         # default: the pattern beside the test
    beside: [errors.yaml]              # run as well, their matches are not compared
    interval: 60s
    tests:
    - name: two slow ticks
      kind: match                      # match | near_miss | timeout | late | silence
      input_series:
      - {series: 'latency{node="cart",signal="latency",unit="ms"}', values: '10x30 90x1'}
      expect:
      - {at: 32m, node: cart, steps: {slow: [31m, 32m]}}

`expect` lists all matches, and no others may come; so do `timeouts` and `late` where they are there, and
without `late` no sample may be late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from cep_patterns.document import duration_of
from cep_patterns.series import NotationError, expand_values, parse_series
from cep_patterns.yaml_loader import read_yaml
from records.errors import PatternError
from records.samples import Edge, Name, Sample
from records.validation import Record, explain

A = TypeVar("A")
R = TypeVar("R")

START_MS: Final = 1_767_225_600_000
"""Zero of the virtual clock: 2026-01-01T00:00:00Z."""
KINDS: Final = ("match", "near_miss", "timeout", "late", "silence")

Duration = Annotated[int, BeforeValidator(duration_of)]
"""A duration in ms, written 90s, 1m30s; 0 may be written bare."""
Span = Annotated[Duration, Field(gt=0)]


class InputSeries(Record):
    """One series. `delay`: its samples arrive so much later than their time."""

    series: Name
    values: str
    delay: Duration = 0


class Expected(Record):
    """A match or timeout: ready `at`, on `node`.

    `pattern`, `peer` and the samples' times of `steps` where they are given.
    """

    at: Duration
    node: Name
    pattern: Name | None = None
    peer: Name | None = None
    steps: dict[str, list[Duration]] | None = None


class Late(Record):
    """A sample that came too late: its node and its time."""

    node: Name
    at: Duration


class TopologyEdge(Record):
    """An edge that is there from the start."""

    source: Name
    target: Name


class PatternTest(Record):
    """One test: its input, and all that is expected."""

    name: Name
    kind: Literal["match", "near_miss", "timeout", "late", "silence"]
    input_series: list[InputSeries]
    topology: list[TopologyEdge] = Field(default_factory=list)
    out_of_orderness: Duration = 0
    expect: list[Expected]
    timeouts: list[Expected] | None = None
    late: list[Late] = Field(default_factory=list)

    @model_validator(mode="after")
    def _shows_its_kind(self) -> PatternTest:
        shown = {
            "match": bool(self.expect),
            "near_miss": not self.expect,
            "silence": not self.expect and not self.timeouts,
            "timeout": bool(self.timeouts),
            "late": bool(self.late),
        }
        if not shown[self.kind]:
            raise ValueError(f"a test of kind {self.kind} does not expect that")
        return self


class TestFile(Record):
    """A whole `.test.yaml`."""

    __test__ = False

    pattern_files: list[str] = Field(default_factory=list)
    beside: list[str] = Field(default_factory=list)
    interval: Span
    tick: Span | None = None
    graph: Name = "test"
    tests: Annotated[list[PatternTest], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_are_own(self) -> TestFile:
        for name, count in Counter(test.name for test in self.tests).items():
            if count > 1:
                raise ValueError(f"{count} tests are called {name!r}; a test's name must be its own")
        return self


@dataclass(frozen=True)
class LoadedTests:
    """A test file that was read: where it lies, what it says, and the files of its patterns."""

    path: Path
    content: TestFile

    @property
    def pattern_paths(self) -> list[Path]:
        """The pattern files it names, else the one beside it."""
        named = self.content.pattern_files or [self.path.name.removesuffix(".test.yaml") + ".yaml"]
        return [self.path.parent / each for each in named]

    @property
    def beside_paths(self) -> list[Path]:
        """The files of patterns that run as well, without being compared."""
        return [self.path.parent / each for each in self.content.beside]

    @property
    def tick_ms(self) -> int:
        """The tick: as said, else the interval, never under 10 s."""
        return self.content.tick or max(self.content.interval, 10_000)


def load_tests(file: Path) -> LoadedTests:
    """The tests in `file`; PatternError that names file and place where it is wrong."""
    raw = read_yaml(file)
    try:
        if raw is None:
            raise PatternError(
                f"{file}: the file is empty", "`faultline pattern new` writes one to begin with"
            )
        content = TestFile.model_validate(raw)
        loaded = LoadedTests(file, content)
        for number, test in enumerate(content.tests):
            if not samples_of(loaded, test):
                raise NotationError(f"tests.{number}.input_series: there is no sample, so nothing is shown")
    except ValidationError as error:
        raise PatternError(
            f"{file}: {'; '.join(explain(error, TestFile))}", "correct the test file"
        ) from error
    except NotationError as error:
        raise PatternError(f"{file}: {error}", "correct the test file") from error
    return loaded


def samples_of(loaded: LoadedTests, test: PatternTest) -> list[Sample]:
    """The test's samples in order of arrival; at one moment in order of the series."""
    arrivals: list[tuple[int, int, Sample]] = []
    for number, series in enumerate(test.input_series):
        place = f"test {test.name!r}: input_series.{number}"
        metric, own, labels = _at(place, parse_series, series.series)
        fields: dict[str, Any] = {
            "graph": loaded.content.graph,
            **own,
            "metric": metric,
            "labels": labels or None,
        }
        for index, value in enumerate(_at(place, expand_values, series.values)):
            time = START_MS + index * loaded.content.interval
            if value is not None:
                sample = _at(place, _sample, {**fields, "value": value, "time": time})
                arrivals.append((time + series.delay, number, sample))
    return [sample for *_, sample in sorted(arrivals, key=lambda each: each[:2])]


def _at(place: str, read: Callable[[A], R], given: A) -> R:
    """What `read` gives; NotationError that names the place where it does not."""
    try:
        return read(given)
    except NotationError as error:
        raise NotationError(f"{place}: {error}") from error


def _sample(fields: dict[str, Any]) -> Sample:
    try:
        return Sample.model_validate(fields)
    except ValidationError as error:
        raise NotationError("; ".join(explain(error, Sample))) from error


def edges_of(loaded: LoadedTests, test: PatternTest) -> list[Edge]:
    """The test's edges, alive for a day from the start."""
    graph = loaded.content.graph
    return [
        Edge(graph=graph, source=each.source, target=each.target, time=START_MS, ttl=86_400_000)
        for each in test.topology
    ]
