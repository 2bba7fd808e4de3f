"""The shipped patterns: each has its tests, each test passes on the production engine.

These tests need the jar; without it they fail and name the mend (`make jar`).
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from cep_patterns.model import StepModel
from cep_patterns.testfile import load_tests
from cep_patterns.testing import TestOutcome, find_tests, run_tests
from cep_patterns.yaml_loader import LIBRARY, load_library, read_patterns

FILES = find_tests([LIBRARY])
CASES = [(file, test.name) for file in FILES for test in load_tests(file).content.tests]
QUIET = {"timeout", "late", "silence"}


@pytest.fixture(scope="module")
def outcomes() -> dict[tuple[Path, str], TestOutcome]:
    return {(outcome.file, outcome.name): outcome for outcome in run_tests([LIBRARY])}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].name}: {case[1]}")
def test_on_the_production_engine(
    outcomes: dict[tuple[Path, str], TestOutcome], case: tuple[Path, str]
) -> None:
    assert outcomes[case].differences == ()


def test_the_names_of_tests_are_their_own() -> None:
    assert len(set(CASES)) == len(CASES)


def test_every_pattern_has_a_match_a_near_miss_and_a_quiet_case() -> None:
    kinds: defaultdict[Path, set[str]] = defaultdict(set)
    for file in FILES:
        loaded = load_tests(file)
        (path,) = loaded.pattern_paths
        kinds[path] |= {test.kind for test in loaded.content.tests}
    files = [file for file in sorted(LIBRARY.glob("*.yaml")) if not file.name.endswith(".test.yaml")]
    assert sorted(kinds) == files
    for path, seen in kinds.items():
        assert {"match", "near_miss"} <= seen, path
        assert seen & QUIET, path


def test_no_pattern_of_the_library_is_refused_or_warned_about() -> None:
    assert read_patterns([LIBRARY]).problems == []


def test_the_library_covers_the_families() -> None:
    library = {pattern.id: pattern for pattern in load_library()}
    assert set(library) == {
        "availability-drop",
        "cpu-deviation",
        "cpu-peak-after-start",
        "edge-latency-deviation",
        "error-deviation",
        "latency-deviation",
        "memory-deviation",
        "slow-scrape-errors",
        "slow-scrape-latency",
        "traffic-drop",
    }
    for pattern in library.values():
        assert pattern.owner
        assert pattern.description
        assert pattern.misses
        assert pattern.select.signals is not None, "an index needs the signal"


def test_the_design_s_pattern_is_shipped_as_designed() -> None:
    pattern = next(each for each in load_library() if each.id == "cpu-peak-after-start")
    start, peak = pattern.steps
    assert isinstance(start, StepModel)
    assert isinstance(peak, StepModel)
    assert (pattern.key, pattern.within_ms, pattern.after_match.kind) == ("series", 30_000, "skip_past_last")
    assert (start.name, peak.name, peak.contiguity) == ("start", "peak", "next")
