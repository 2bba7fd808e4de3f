"""Samples per second and CPU per sample: the whole job on topics as the field fills them, and what else could
do the work on the same input.

    python -m benchmarks.throughput                                  all settings, printed
    python -m benchmarks.throughput --only otlp,native --write       these, into benchmarks/results.md

Topics are filled first, on a broker of their own. Then every setting runs `--repeats` times, all settings in
turn, so that a change of the machine's mood meets all of them. Each run is a process of its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks import figures, lines
from benchmarks.feed import fill
from benchmarks.load import Load
from benchmarks.measure import Topic, Used, Watched, java_command, job_command, job_config
from benchmarks.settings import FILLINGS, IDENTITY, SETTINGS, Setting, count, pairs, pattern_paths
from tests.kit.kafka import Broker


class Bench:
    """A broker with filled topics, and the runs over them."""

    def __init__(self, broker: Broker, folder: Path, load: Load, scale: float) -> None:
        """`scale`: share of the records that the settings name."""
        assert broker.process is not None
        self._bootstrap, self._broker = broker.bootstrap, broker.process.pid
        self._folder, self._load, self._scale = folder, load, scale
        self._topics: dict[str, Topic] = {}
        self._runs = 0

    def fill(self, names: Iterable[str]) -> None:
        """Fills these topics and the one with the edges."""
        fill(self._bootstrap, "edges", lines.edges(self._load))
        for name in names:
            filling = FILLINGS[name]
            scrapes = max(2, round(filling.scrapes * self._scale))
            records = fill(self._bootstrap, name, filling.records(self._load, scrapes))
            identity = IDENTITY if filling.format == "prometheus" else None
            per_record = filling.per_record(self._load)
            self._topics[name] = Topic(name, filling.format, records, per_record, identity)
            sys.stderr.write(f"{name}: {records:,} records, {records * per_record:,} samples\n")

    def run(self, name: str, setting: Setting) -> Used:
        """One run of a setting."""
        self._runs += 1
        group, topic = f"{name}-{self._runs}", self._topics[setting.topic]
        log = self._folder / f"{group}.log"
        told = self._folder / f"{group}.told" if setting.reader == "function" else None
        watched = Watched(self._bootstrap, self._broker, group, topic, log=log, told=told)
        return watched.run(self._command(setting, group, topic))

    def _command(self, setting: Setting, group: str, topic: Topic) -> list[str]:
        where = [self._bootstrap, topic.name, group]
        match setting.reader:
            case "job":
                patterns = pattern_paths(setting.patterns, self._folder)
                config = job_config(self._bootstrap, group, topic, patterns, self._folder / "out" / group)
                return job_command(config, self._folder / f"{group}.yaml")
            case "function":
                told = self._folder / f"{group}.told"
                return [sys.executable, "-m", "benchmarks.pyflink_function", *where, str(told)]
            case "stock":
                metrics = [name for pair in pairs(count(setting.patterns[0])) for name in pair]
                return java_command("io.faultline.bench.StockCepJob", [*where, topic.format, *metrics])


def measure(names: Sequence[str], load: Load, scale: float, repeats: int) -> dict[str, list[Used]]:
    """Every setting `repeats` times."""
    used: dict[str, list[Used]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory(prefix="faultline-bench-") as scratch:
        folder = Path(scratch)
        with Broker(folder / "kafka") as broker:
            bench = Bench(broker, folder, load, scale)
            bench.fill(dict.fromkeys(SETTINGS[name].topic for name in names))
            for turn in range(repeats):
                for name in names:
                    one = bench.run(name, SETTINGS[name])
                    used[name].append(one)
                    sys.stderr.write(f"turn {turn + 1}: {name}: {figures.brief(one)}\n")
    return used


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.throughput", description=main.__doc__)
    parser.add_argument("--only", default=",".join(SETTINGS), help="settings, by comma")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the records (default: all)")
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args()
    names = given.only.split(",")
    unknown = [name for name in names if name not in SETTINGS]
    if unknown:
        parser.error(f"no setting {unknown[0]!r}; there are {', '.join(SETTINGS)}")
    used = measure(names, Load(), given.scale, given.repeats)
    sys.stdout.write("\n".join(figures.throughput_table(used)) + "\n")
    if given.write:
        figures.keep("throughput", {name: [asdict(one) for one in runs] for name, runs in used.items()})


if __name__ == "__main__":
    main()
