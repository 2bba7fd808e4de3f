"""The results page: numbers of one run replace their own and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks import figures
from benchmarks.measure import BROKER, Used
from benchmarks.settings import HIT_PATTERNS, SETTINGS, count, pairs, pattern_paths
from benchmarks.watch import PYTHON, cpu_seconds, family
from cep_patterns.yaml_loader import load_patterns

ONE = Used(10.0, 5_000_000, {"fused operator": 1.0, PYTHON: 0.5, BROKER: 0.5}, {"incidents": 3})


def test_cpu_is_told_per_sample_and_the_broker_apart() -> None:
    assert ONE.rate == 500_000
    assert ONE.nanoseconds() == pytest.approx(300)
    assert ONE.nanoseconds(BROKER) == pytest.approx(100)
    assert ONE.capacity == pytest.approx(2e9 / 400)


def taking(nanoseconds: float) -> Used:
    """A run of a million samples that takes so long for each."""
    return Used(1.0, 1_000_000, {"fused operator": nanoseconds / 1_000})


def test_a_section_keeps_what_was_not_measured_again(tmp_path: Path) -> None:
    twice = [asdict(ONE), asdict(Used(5.0, 5_000_000, {"fused operator": 1.0, BROKER: 0.5}))]
    figures.keep("throughput", {"otlp": twice, "stock-1": [asdict(ONE)]}, tmp_path)
    figures.keep("throughput", {"pairs-1": [asdict(ONE)]}, tmp_path)
    kept = json.loads((tmp_path / "figures.json").read_text())
    assert set(kept["throughput"]) == {"otlp", "stock-1", "pairs-1"}
    page = (tmp_path / "results.md").read_text()
    assert "| 250 (200..300) | 100 (100..100) | 0 (0..0) |" in page
    assert "| 750 (500..1,000) | 2 |" in page
    assert "stock Flink CEP, 1 patterns: 1.0 times" in page


def test_matching_is_what_a_run_takes_beyond_one_without_patterns() -> None:
    runs = {"pairs-0": 300, "pairs-5": 420, "stock-0": 200, "stock-5": 5_200}
    page = figures.page({"throughput": {name: [asdict(taking(ns))] for name, ns in runs.items()}})
    assert "| 5 | 120 | 5,000 |" in page


@pytest.mark.parametrize("patterns", {setting.patterns for setting in SETTINGS.values()})
def test_the_patterns_of_every_setting_load(tmp_path: Path, patterns: tuple[str, ...]) -> None:
    paths = [Path(path) for path in pattern_paths(patterns, tmp_path) if path != "library"]
    wanted = sum(
        HIT_PATTERNS if name.startswith("hits") else max(1, count(name))
        for name in patterns
        if name != "library"
    )
    assert len(load_patterns(paths) if paths else []) == wanted


def test_a_pattern_never_waits_for_the_metric_it_began_with() -> None:
    assert len(set(pairs(200))) == 200
    assert all(first != second for first, second in pairs(200))


def test_a_process_is_read_with_its_children() -> None:
    code = "import sys, subprocess; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as parent:
        while len(list(family(parent.pid))) < 2:
            assert parent.poll() is None
        assert next(family(parent.pid)) == parent.pid
        parent.communicate(b"\n")
    assert cpu_seconds(os.getpid()) > 0
    assert cpu_seconds(parent.pid) == 0


def test_systems_beside_one_that_misbehaves_are_told_beside_those_alone() -> None:
    one: dict[str, Any] = {
        "graphs": 500,
        "nodes": 0,
        "seconds": 120,
        "incidents": 40,
        "incidents_of_the_loud": 0,
    }
    one |= {"p50_ms": 210.4, "p99_ms": 480.0, "worst_ms": 512.0, "feeders_behind_s": [0.04]}
    beside = {**one, "nodes": 10_000, "p99_ms": 990.0, "feeders_behind_s": [0.1, 2.0]}
    page = figures.page({"isolation": {"beside": beside, "alone": one}})
    assert "| 500 small systems | 40 | 210 | 480 | 512 | 0.0 |" in page
    assert "| 500, and one of 10,000 nodes that misbehaves | 40 | 210 | 990 | 512 | 0.1, 2.0 |" in page
