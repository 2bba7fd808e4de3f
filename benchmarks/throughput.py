"""Samples per second from Kafka to incidents: the whole job, embedded, reading a filled topic.

Each run is a process of its own. What a run costs besides samples (JVM, workers, the start) is taken out
by a short and a long topic in turn: the rate is the difference in samples over the difference in seconds.
``python -m benchmarks.throughput`` prints the table; with ``--write`` it goes into benchmarks/results.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.load import Load
from tests.kit.kafka import Broker
from tests.kit.topics import produce

RESULTS = Path(__file__).with_name("results.md")
RUN = "benchmarks.run_once"


@dataclass(frozen=True)
class Row:
    """What one setting reached."""

    patterns: int
    rates: tuple[float, ...]

    def line(self) -> str:
        """The row of the table: rates in thousand samples per second."""
        shown = ", ".join(f"{rate / 1000:.0f}" for rate in self.rates)
        median = statistics.median(self.rates) / 1000
        return f"| OTLP protobuf, batched | {self.patterns} | {median:.0f} | {shown} |"


def write_patterns(folder: Path, count: int, metrics: int) -> Path:
    """``count`` patterns, each two deviations of two metrics within a minute; returns their folder."""
    folder.mkdir(parents=True)
    for number in range(count):
        pattern = {
            "id": f"bench-{number}",
            "version": 1,
            "maturity": "experimental",
            "owner": "benchmarks",
            "description": "One metric stands out, then another.",
            "misses": ["everything else"],
            "key": "node",
            "severity": "info",
            "within": "60s",
            "steps": [
                {"name": "first", "where": f'metric == "metric_{number % metrics}" and z > 8'},
                {"name": "second", "where": f'metric == "metric_{(number + 7) % metrics}" and z > 8'},
            ],
        }
        (folder / f"bench-{number}.yaml").write_text(yaml.safe_dump(pattern), encoding="utf-8")
    return folder


def run_once(config: dict[str, object], folder: Path) -> float:
    """Seconds of one run in a process of its own."""
    file = folder / "job.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", RUN, str(file)], capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-3_000:])
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


def job(bootstrap: str, topic: str, patterns: Path, out: Path) -> dict[str, object]:
    """The configuration of one run: bounded, all of the topic."""
    source = {
        "type": "kafka",
        "bootstrap_servers": bootstrap,
        "topic": topic,
        "format": "otlp_proto",
        "start": "earliest",
        "bounded": True,
    }
    return {
        "sources": [source],
        "sinks": {"files": {"dir": str(out)}},
        "patterns": [str(patterns)],
        "tick": "60s",
        "publish_frames": False,
    }


def measure(load: Load, short: int, long: int, counts: Sequence[int], repeats: int) -> list[Row]:
    """Fill two topics, then run every setting ``repeats`` times, interleaved."""
    rates: dict[int, list[float]] = {count: [] for count in counts}
    with tempfile.TemporaryDirectory(prefix="faultline-bench-") as scratch:
        folder = Path(scratch)
        patterns = {count: write_patterns(folder / f"p{count}", count, load.metrics) for count in counts}
        with Broker(folder / "kafka") as broker:
            for topic, scrapes in (("short", short), ("long", long)):
                sys.stderr.write(f"filling {topic}: {scrapes * load.per_scrape:,} samples\n")
                produce(broker.bootstrap, topic, load.payloads(scrapes))
            for turn in range(repeats):
                for count in counts:
                    seconds = [
                        run_once(job(broker.bootstrap, topic, patterns[count], folder / "out"), folder)
                        for topic in ("short", "long")
                    ]
                    rate = (long - short) * load.per_scrape / (seconds[1] - seconds[0])
                    rates[count].append(rate)
                    sys.stderr.write(f"turn {turn}: {count} patterns, {seconds} s, {rate:,.0f} samples/s\n")
    return [Row(count, tuple(found)) for count, found in rates.items()]


def table(load: Load, rows: Sequence[Row]) -> str:
    """The results as Markdown."""
    head = (
        "# Results\n\nWritten by `make bench`. Catch-up reads of a broker on the same machine, "
        f"parallelism 1, {os.cpu_count()} cores ({platform.machine()}).\n"
        f"{load.graphs} graphs of {load.nodes} nodes with {load.metrics} series each, scraped every "
        f"{load.interval_ms // 1000} s; {load.chunk} nodes per record; {load.spikes:.1%} of the samples "
        "stand out.\n\n"
        "| input | patterns | thousand samples/s (median) | each run |\n|---|---|---|---|\n"
    )
    return head + "\n".join(row.line() for row in rows) + "\n"


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.throughput", description=main.__doc__)
    parser.add_argument("--scrapes", type=int, nargs=2, default=(40, 240), metavar=("SHORT", "LONG"))
    parser.add_argument("--patterns", type=int, nargs="+", default=(1, 20))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write benchmarks/results.md")
    given = parser.parse_args()
    load = Load()
    short, long = given.scrapes
    text = table(load, measure(load, short, long, given.patterns, given.repeats))
    sys.stdout.write(text)
    if given.write:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
