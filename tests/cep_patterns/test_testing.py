"""The tester is tested with a scripted engine: files that must fail do, and say why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from cep_patterns.gateway import Found, Run, RunResult, Settings
from cep_patterns.model import PatternModel
from cep_patterns.testfile import START_MS, load_tests, samples_of
from cep_patterns.testing import Engine, clock, find_tests, run_tests
from records.errors import PatternError

PATTERN = "id: high\nversion: 1\nkey: series\nsteps: [{name: a, where: value > 1}]\n"
HEAD = "interval: 15s\ntests:\n"
TEST = """- name: one
  kind: match
  input_series: [{series: 'm{node="cart"}', values: '0 5 0'}]
  expect: [{at: 15s, node: cart, steps: {a: [15s]}}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "high.yaml").write_text(PATTERN)
    (tmp_path / "high.test.yaml").write_text(HEAD + TEST)
    return tmp_path


def found(at: int = 15_000, kind: str = "match", node: str = "cart", pattern: str = "high") -> Found:
    return Found(kind, pattern, f"test/{node}", {"a": [START_MS + at]}, START_MS + at, {"peer": None})


def engine(*matches: Found, late: Sequence[int] = (), samples: int | None = None) -> Engine:
    """An engine that finds just this in every run."""

    def run(
        patterns: Sequence[PatternModel], runs: Sequence[Run], given: Settings
    ) -> Mapping[str, RunResult]:
        return {
            each.name: RunResult(
                list(matches), list(late), {}, len(each.samples) if samples is None else samples
            )
            for each in runs
        }

    return run


def differences(folder: Path, run: Engine) -> list[str]:
    (outcome,) = run_tests([folder], engine=run)
    assert outcome.passed == (not outcome.differences)
    return list(outcome.differences)


def test_what_comes_as_expected_passes(folder: Path) -> None:
    assert differences(folder, engine(found())) == []


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (engine(), ["missing match: high on cart at 15s {'a': ['15s']}"]),
        (engine(found(), found()), ["unexpected match: high on test/cart at 15s {'a': ['15s']}"]),
        (engine(found(30_000)), ["missing match", "unexpected match"]),
        (engine(found(node="web")), ["missing match", "unexpected match: high on test/web"]),
        (engine(found(), late=[0]), ["late samples: expected none, got cart at 0s"]),
        (engine(found(), samples=2), ["2 of 3 samples reached the engine"]),
    ],
)
def test_what_comes_otherwise_fails_and_says_how(folder: Path, run: Engine, told: list[str]) -> None:
    shown = differences(folder, run)
    assert len(shown) == len(told)
    assert all(want in got for want, got in zip(told, shown, strict=True))


def test_matches_of_other_patterns_do_not_count(folder: Path) -> None:
    assert differences(folder, engine(found(), found(pattern="other"))) == []


def test_a_pattern_that_the_engine_refuses_fails(folder: Path) -> None:
    def run(
        patterns: Sequence[PatternModel], runs: Sequence[Run], given: Settings
    ) -> Mapping[str, RunResult]:
        return {each.name: RunResult([found()], [], {"high": "no"}, 3) for each in runs}

    assert differences(folder, run) == ["refused: high: no"]


def test_timeouts_count_where_they_are_listed(folder: Path) -> None:
    assert differences(folder, engine(found(), found(1, "timeout"))) == []
    (folder / "high.test.yaml").write_text(HEAD + TEST + "  timeouts: []\n")
    assert "unexpected timeout" in differences(folder, engine(found(), found(1, "timeout")))[0]


def test_all_files_share_a_run_of_the_engine(folder: Path) -> None:
    other = TEST.replace("name: one", "name: other\n  out_of_orderness: 5s")
    (folder / "high.test.yaml").write_text(HEAD + TEST + TEST.replace("one", "two") + other)
    (folder / "low.yaml").write_text(PATTERN.replace("id: high", "id: low"))
    (folder / "low.test.yaml").write_text((HEAD + TEST).replace("interval: 15s", "interval: 60s"))
    calls: list[list[tuple[int | None, int | None, Sequence[int] | None]]] = []

    def run(
        patterns: Sequence[PatternModel], runs: Sequence[Run], given: Settings
    ) -> Mapping[str, RunResult]:
        calls.append([(each.tick_ms, each.out_of_orderness_ms, each.patterns) for each in runs])
        return engine(found())(patterns, runs, given)

    outcomes = run_tests([folder / "high.yaml", folder / "low.test.yaml"], engine=run)
    assert [outcome.name for outcome in outcomes] == ["one", "two", "other", "one"]
    assert [outcome.passed for outcome in outcomes] == [True, True, True, False]
    first = [(15_000, 0, [0]), (15_000, 0, [0]), (15_000, 5_000, [0]), (60_000, 0, [1])]
    assert calls == [first, [(60_000, 0, [0])]], "the second run traces what failed"


def test_tests_are_chosen_by_their_names(folder: Path) -> None:
    (folder / "high.test.yaml").write_text(HEAD + TEST + TEST.replace("one", "two slow"))
    outcomes = run_tests([folder], only="^two", engine=engine(found()))
    assert [outcome.name for outcome in outcomes] == ["two slow"]
    with pytest.raises(PatternError, match="no test has 'three' in its name"):
        run_tests([folder], only="three", engine=engine(found()))
    with pytest.raises(PatternError, match="is no regular expression"):
        run_tests([folder], only="(", engine=engine(found()))


def test_samples_come_in_order_of_arrival(folder: Path) -> None:
    series = """[{series: 'm{node="a"}', values: '1x2'},
      {series: 'm{node="b",pod="x"}', values: '2 _ 3', delay: 20s}]"""
    before = TEST.split("input_series: ")[1].split("\n")[0]
    (folder / "high.test.yaml").write_text(HEAD + TEST.replace(before, series))
    loaded = load_tests(folder / "high.test.yaml")
    samples = samples_of(loaded, loaded.content.tests[0])
    assert [(each.node, each.time - START_MS) for each in samples] == [
        ("a", 0),
        ("a", 15_000),
        ("b", 0),
        ("a", 30_000),
        ("b", 30_000),
    ]
    assert samples[2].labels == {"pod": "x"}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("kind: match", "kind: near_miss", "a test of kind near_miss does not expect that"),
        ("kind: match", "kind: timeout", "a test of kind timeout does not expect that"),
        ("kind: match", "kind: late", "a test of kind late does not expect that"),
        ("kind: match", "kind: silence", "a test of kind silence does not expect that"),
        ("expect:", "expects:", "unknown key 'expects' in tests.0; did you mean 'expect'?"),
        ("at: 15s", "at: 15", "a duration with its unit is wanted"),
        ("0 5 0", "0 5 o", "'o' is no value"),
        ('m{node="cart"}', "m{}", "node: Field required"),
        ('node="cart"', 'node="cart",signal="cpus"', "signal: Input should be"),
        ("tests:", "test:", "unknown key 'test'"),
        ("interval: 15s", "interval: 0s", "interval: Input should be greater than 0"),
        ("'0 5 0'", "''", "tests.0.input_series: there is no sample"),
        ("'0 5 0'", "7", "input_series.0.values: text is wanted; this is 7; write it in quotes"),
        ("0 5 0", "0 x 0", "test 'one': input_series.0: 'x' is no value"),
        (TEST, "", "tests: a list is wanted; this is nothing"),
        (TEST, TEST + TEST, "2 tests are called 'one'; a test's name must be its own"),
        (HEAD + TEST, "", "the file is empty"),
        (HEAD + TEST, "- a", "a mapping of keys is wanted; this is a list"),
        (TEST, "\t- name: one", "at line 3, column 1; YAML is indented with blanks, not tabs"),
        ("kind: match", "kind: match\n  kind: late", "key 'kind' appears twice at line 5, column 3"),
    ],
)
def test_a_wrong_test_file_is_refused(folder: Path, before: str, after: str, told: str) -> None:
    file = folder / "high.test.yaml"
    file.write_text((HEAD + TEST).replace(before, after, 1))
    with pytest.raises(PatternError, match=r"high\.test\.yaml") as caught:
        load_tests(file)
    assert told in caught.value.message


def test_tests_are_found_beside_patterns_and_in_folders(folder: Path, tmp_path: Path) -> None:
    test = folder / "high.test.yaml"
    assert find_tests([folder / "high.yaml", test, folder]) == [test]
    (tmp_path / "empty").mkdir()
    with pytest.raises(PatternError, match="no tests found"):
        find_tests([tmp_path / "empty"])


def test_a_file_that_cannot_be_used_keeps_no_other_from_being_run(folder: Path) -> None:
    (folder / "late.yaml").write_text(PATTERN.replace("id: high", "id: late"))
    (folder / "late.test.yaml").write_text("interval: 0s\n")
    first, *others = run_tests([folder / "none.yaml", folder], engine=engine(found()))
    assert (first.name, first.kind, first.is_error, first.passed) == ("none.test.yaml", "error", True, False)
    assert "none.test.yaml: cannot be read: No such file" in first.differences[0]
    assert [(each.name, each.is_error) for each in others] == [("one", False), ("late.test.yaml", True)]
    assert others[0].passed


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "node: cart, ",
            "node: cart, pattern: hihg, ",
            "expect.0: there is no pattern 'hihg'; did you mean 'high'?",
        ),
        ("steps: {a:", "steps: {b:", "tests.0.expect.0: pattern high has no step 'b'; valid: a"),
    ],
)
def test_what_is_expected_must_be_of_the_pattern(folder: Path, before: str, after: str, told: str) -> None:
    (folder / "high.test.yaml").write_text((HEAD + TEST).replace(before, after, 1))
    (outcome,) = run_tests([folder], engine=engine(found()))
    assert outcome.is_error
    assert told in outcome.differences[0]


@pytest.mark.parametrize(
    ("time", "told"), [(0, "0s"), (15_000, "15s"), (3_723_500, "1h2m3.5s"), (60_000, "1m"), (-1_000, "-1s")]
)
def test_the_clock(time: int, told: str) -> None:
    assert clock(START_MS + time) == told
