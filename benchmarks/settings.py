"""What `benchmarks.throughput` runs: topics, patterns, and the settings that read the one with the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import yaml

from benchmarks import lines, otlp
from benchmarks.load import PLAIN, SERIES, Load

BATCH: Final = 500
"""Lines of a record that has many."""

Records = Iterator[tuple[int, bytes]]


@dataclass(frozen=True)
class Filling:
    """What goes into a topic: `scrapes` of the load, so many samples in a record."""

    format: str
    scrapes: int
    per_record: Callable[[Load], int]
    records: Callable[[Load, int], Records]


IDENTITY: Final = {"graph": {"label": "cluster"}, "node": [{"label": "service"}]}
"""Where Prometheus' samples carry their names."""

FILLINGS: Final = {
    "otlp": Filling("otlp_proto", 1_000, lambda load: load.chunk * SERIES, otlp.payloads),
    "burst": Filling(
        "otlp_proto",
        400,
        lambda load: load.chunk * SERIES,
        lambda load, n: otlp.payloads(replace(load, spikes=0.5), n),
    ),
    "otlp-mid": Filling("otlp_proto", 300, lambda load: load.chunk * SERIES, otlp.payloads),
    "otlp-short": Filling("otlp_proto", 120, lambda load: load.chunk * SERIES, otlp.payloads),
    "native": Filling("native", 700, lambda load: 1, lines.records),
    "native-short": Filling("native", 5, lambda load: 1, lines.records),
    "batch": Filling("native", 240, lambda load: BATCH, lambda load, n: lines.records(load, n, BATCH)),
    "prometheus": Filling("prometheus", 100, lambda load: 1, lines.prometheus),
}


@dataclass(frozen=True)
class Setting:
    """One row of the table. `patterns`: names of sets, see `pattern_sets`; for stock CEP how many."""

    title: str
    topic: str
    reader: Literal["job", "function", "stock"] = "job"
    patterns: tuple[str, ...] = ("library",)


SETTINGS: Final = {
    "otlp": Setting("OTLP, 600 samples a record", "otlp"),
    "native": Setting("native JSON, one object a record", "native"),
    "batch": Setting(f"native JSON, {BATCH} lines a record", "batch"),
    "prometheus": Setting("Prometheus JSON, one object a record", "prometheus"),
    "function": Setting("PyFlink keyed function, one object a record", "native-short", "function", ()),
    "pairs-0": Setting("OTLP, the job", "otlp", patterns=("pairs-0",)),
    "pairs-1": Setting("OTLP, the job", "otlp", patterns=("pairs-1",)),
    "pairs-5": Setting("OTLP, the job", "otlp", patterns=("pairs-5",)),
    "pairs-20": Setting("OTLP, the job", "otlp", patterns=("pairs-20",)),
    "pairs-100": Setting("OTLP, the job", "otlp", patterns=("pairs-100",)),
    "pairs-200": Setting("OTLP, the job", "otlp", patterns=("pairs-200",)),
    "hits-1": Setting("OTLP, the job", "otlp", patterns=("hits-1",)),
    "hits-10": Setting("OTLP, the job", "otlp", patterns=("hits-10",)),
    "hits-50": Setting("OTLP, the job", "otlp", patterns=("hits-50",)),
    "burst": Setting("OTLP, half of the gauges stand out at any time", "burst"),
    "stock-0": Setting("OTLP, stock Flink, keyed, nothing to match", "otlp", "stock", ("pairs-0",)),
    "stock-1": Setting("OTLP, stock Flink CEP", "otlp", "stock", ("pairs-1",)),
    "stock-5": Setting("OTLP, stock Flink CEP", "otlp-mid", "stock", ("pairs-5",)),
    "stock-20": Setting("OTLP, stock Flink CEP", "otlp-short", "stock", ("pairs-20",)),
}


def pairs(count: int) -> list[tuple[str, str]]:
    """The metrics of so many patterns: first one stands out, then another."""
    metrics = sorted({sent.name for sent in PLAIN})
    n = len(metrics)
    return [(metrics[i % n], metrics[(i + 1 + (6 + i // n) % (n - 1)) % n]) for i in range(count)]


STANDS_OUT: Final = 8.0
HITS: Final = {1: 2.33, 10: 1.28, 50: 0.0}
"""Percent of the samples of its metric that meet a first step of `z > ...`, where noise is normal."""
HIT_PATTERNS: Final = 20
NEVER: Final = 1e6
"""Where first steps are met often, no second one is: partial matches are measured, not incidents."""


def pattern_paths(names: tuple[str, ...], folder: Path) -> list[str]:
    """Where the patterns of these sets are.

    `library`; `pairs-N`: N patterns of two steps that both stand out, for 0 one of a metric that never comes;
    `hits-P`: 20 of them, P percent of a metric's samples meet the first step, and none the second. The last
    two are written into the folder.
    """
    return [name if name == "library" else str(_write(folder / name, name)) for name in names]


def count(name: str) -> int:
    """N of `pairs-N`."""
    return int(name.rpartition("-")[2])


def _write(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    hits = name.startswith("hits-")
    limits = (HITS[count(name)], NEVER) if hits else (STANDS_OUT, STANDS_OUT)
    for number, metrics in enumerate(pairs(HIT_PATTERNS if hits else count(name)) or [("none", "none")]):
        text = yaml.safe_dump(_pair(number, metrics, limits))
        (folder / f"pair-{number}.yaml").write_text(text, encoding="utf-8")
    return folder


def _pair(number: int, metrics: tuple[str, str], limits: tuple[float, float]) -> dict[str, object]:
    return {
        "id": f"pair-{number}",
        "version": 1,
        "maturity": "production",
        "owner": "benchmarks",
        "description": "One metric of a node stands out, then another.",
        "misses": ["everything else"],
        "key": "node",
        "severity": "info",
        "within": "60s",
        "steps": [
            {"name": name, "where": f'metric == "{metric}" and z > {limit:g}'}
            for name, metric, limit in zip(("first", "second"), metrics, limits, strict=True)
        ],
    }
