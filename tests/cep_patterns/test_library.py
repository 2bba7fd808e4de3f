"""The shipped patterns: each has its tests, each test passes on the production engine.

These tests need the jar; without it they fail and name the mend (`make jar`).
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from cep_patterns.lock import forbidden, lock_of, read_lock, stale
from cep_patterns.model import StepModel, every_step
from cep_patterns.testfile import load_tests
from cep_patterns.testing import TestOutcome, find_tests, run_tests
from cep_patterns.tree import Const
from cep_patterns.unparse import unparse
from cep_patterns.yaml_loader import LIBRARY, load_library, read_patterns

FILES = find_tests([LIBRARY])
CASES = [(file, test.name) for file in FILES for test in load_tests(file).content.tests]
FAMILIES = {
    "saturation": {"cpu-deviation", "cpu-peak-after-start", "disk-fills", "memory-deviation", "memory-leak",
                   "saturation-deviation", "saturation-full"},
    "latency": {"edge-latency-deviation", "latency-deviation", "overload", "slow-scrape-edge-latency",
                "slow-scrape-latency"},
    "errors": {"error-deviation", "slow-scrape-errors"},
    "traffic": {"traffic-drop", "traffic-surge"},
    "availability": {"availability-drop", "availability-flapping", "node-silent"},
    "restarts": {"crash-loop", "restart-then-errors"},
    "topology": {"retry-storm", "slow-behind-errors", "spreading"},
}  # fmt: skip


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


def test_every_pattern_has_a_match_a_near_miss_and_a_timeout_or_late_case() -> None:
    kinds: defaultdict[Path, set[str]] = defaultdict(set)
    for file in FILES:
        loaded = load_tests(file)
        (path,) = loaded.pattern_paths
        kinds[path] |= {test.kind for test in loaded.content.tests}
    files = [file for file in sorted(LIBRARY.glob("*.yaml")) if not file.name.endswith(".test.yaml")]
    assert sorted(kinds) == files
    for path, seen in kinds.items():
        assert {"match", "near_miss"} <= seen, path
        assert seen & {"timeout", "late"}, path


def test_no_pattern_of_the_library_is_refused_or_warned_about() -> None:
    assert read_patterns([LIBRARY]).problems == []


def test_the_library_covers_the_families() -> None:
    library = {pattern.id: pattern for pattern in load_library()}
    assert set(library) == set().union(*FAMILIES.values())
    assert sum(len(ids) for ids in FAMILIES.values()) == len(library)
    for pattern in library.values():
        assert pattern.owner
        assert pattern.description
        assert pattern.misses
        if pattern.key != "graph":
            first = next(every_step(pattern.steps))
            assert "signal ==" in unparse(first.where or Const(const=True)), "an index needs the signal"


def test_new_patterns_say_what_to_do() -> None:
    for pattern in load_library():
        if pattern.maturity == "experimental":
            assert pattern.runbook, pattern.id


def test_the_lock_is_up_to_date() -> None:
    """A change of meaning without another version fails; `faultline pattern lock` takes the rest over."""
    locked, now = read_lock(LIBRARY), lock_of(load_library())
    assert forbidden(locked, now) == []
    assert stale(locked, now) == []


def test_the_design_s_pattern_is_shipped_as_designed() -> None:
    pattern = next(each for each in load_library() if each.id == "cpu-peak-after-start")
    start, peak = pattern.steps
    assert isinstance(start, StepModel)
    assert isinstance(peak, StepModel)
    assert (pattern.key, pattern.within_ms, pattern.after_match.kind) == ("series", 30_000, "skip_past_last")
    assert (start.name, peak.name, peak.contiguity) == ("start", "peak", "next")


def test_the_page_of_the_library_says_what_each_finds_and_misses() -> None:
    page = (LIBRARY.parents[1] / "docs" / "reference-library.md").read_text(encoding="utf-8")
    for pattern in load_library():
        row = f"| `{pattern.id}` ({pattern.maturity}, {pattern.key}) | {pattern.severity} |"
        assert row in page, pattern.id
        assert pattern.description.strip() in page, pattern.id
        assert all(each in page for each in pattern.misses), pattern.id
