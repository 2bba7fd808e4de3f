"""Cases from the field on the production engine: the matches, timeouts and times of Flink's own CEP.

These tests need the jar; without it they fail and name the mend (`make jar`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from cep_patterns.gateway import Found, Run, RunResult, run_patterns
from cep_patterns.yaml_loader import load_patterns
from records.matches import Match
from records.samples import Sample

CASES = Path(__file__).with_name("cases")
EXPECTED: dict[str, Any] = yaml.safe_load((CASES / "expected.yaml").read_text())
RUNS: list[dict[str, Any]] = EXPECTED["runs"]


@pytest.fixture(scope="module")
def results() -> dict[str, RunResult]:
    """Every case's samples through every pattern, in one go."""
    folders = {run["case"]: CASES / run["case"] for run in RUNS}
    patterns = load_patterns([folder / run["pattern"] for run in RUNS for folder in [folders[run["case"]]]])
    runs = [
        Run(
            name,
            [
                Sample.model_validate_json(line)
                for line in (folder / "samples.ndjson").read_text().splitlines()
            ],
        )
        for name, folder in folders.items()
    ]
    return run_patterns(patterns, runs)


def millis(seconds: float) -> int:
    return int(EXPECTED["t0"] + round(seconds * 1000))


def told(found: Found) -> tuple[str, tuple[tuple[str, tuple[int, ...]], ...], int]:
    steps = tuple((name, tuple(times)) for name, times in sorted(found.steps.items()) if times)
    return found.key, steps, found.ready_at


def wanted(entry: dict[str, Any], ready: str) -> tuple[str, tuple[tuple[str, tuple[int, ...]], ...], int]:
    steps = tuple((name, tuple(millis(at) for at in times)) for name, times in sorted(entry["steps"].items()))
    last = max(time for _, times in steps for time in times)
    return entry["key"], steps, millis(entry[ready]) if ready in entry else last


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['case']}/{run['pattern']}")
def test_the_case(results: dict[str, RunResult], run: dict[str, Any]) -> None:
    (pattern,) = load_patterns([CASES / run["case"] / run["pattern"]])
    found = [each for each in results[run["case"]].found if each.pattern == pattern.id]
    matches = sorted(told(each) for each in found if each.kind == "match")
    timeouts = sorted(told(each) for each in found if each.kind == "timeout")
    assert matches == sorted(wanted(entry, "ready_at") for entry in run["matches"])
    assert timeouts == sorted(wanted(entry, "at") for entry in run["timeouts"])


def test_no_sample_is_late_and_no_pattern_refused(results: dict[str, RunResult]) -> None:
    assert {name: (result.late, result.refused) for name, result in results.items()} == {
        name: ([], {}) for name in results
    }


def test_what_the_engine_sends_is_a_match_record(results: dict[str, RunResult]) -> None:
    found = [each for result in results.values() for each in result.found]
    assert {each.kind for each in found} == {"match", "timeout"}
    for each in found:
        record = Match.model_validate_json(orjson.dumps(each.match))
        assert (f"{record.graph}/{record.node}", record.pattern, record.kind) == (
            each.key,
            each.pattern,
            each.kind,
        )
        assert record.time == each.ready_at
        times = {step.name: [sample.time for sample in step.samples] for step in record.steps if step.samples}
        assert times == {name: taken for name, taken in each.steps.items() if taken}
