"""The job on live data: cores used at a steady rate, and the time from detection to event.

    python -m benchmarks.live steady --rate 200000 --seconds 60 --write
    python -m benchmarks.live latency --rate 100000 --seconds 300 --write
    python -m benchmarks.live latency --rate 100000 --seconds 300 --aligned --write

Every series has a sample a second, at moments spread over the second. An incident is told with the frames of
the tick in which its pattern was fulfilled, so no job can tell it before Kafka holds the record that lets the
watermark pass the end of that tick. From then until a consumer has the event is the latency: the rest of the
tick and the watermark's delay are not in it.

The job reads a past first, and then what is live for a minute and a half before anything is measured: until
then the JIT uses half a core.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

import numpy as np
import yaml
from kafka import KafkaConsumer

from benchmarks import figures, lines
from benchmarks.feed import fill
from benchmarks.live_feed import GO, PAST_EVERY, SENT, SENT_FILE
from benchmarks.load import SERIES, Load
from benchmarks.measure import BROKER, HEAP, Topic, job_config
from benchmarks.settings import pattern_paths
from benchmarks.watch import Offsets, Reading, Watch
from tests.kit.kafka import Broker
from tests.kit.processes import kill, start, tail

FEEDER: Final = "feeder"
TOPIC: Final = "live"
INCIDENTS: Final = "faultline.incidents.v1"
INTERVAL_MS: Final = 1_000
LATENESS_MS: Final = 1_000
TICK_MS: Final = 10_000
PAST: Final = 240
GRAPHS: Final = 20
WORST_LAG_S: Final = 2
"""A job that is further behind than this has not caught up, or cannot keep up."""


Starter = Callable[[ExitStack, Path, Path], tuple["Popen[bytes]", Path]]
"""Starts the job in a folder, with its configuration; its process and log. The stack ends what it started."""


@dataclass
class Live:
    """A broker, a feeder and the job at work. `load`: what is fed; `log`: the job's."""

    load: Load
    folder: Path
    broker: Broker
    feeder: Popen[bytes]
    job: Popen[bytes]
    log: Path
    offsets: Offsets
    sent: Path
    watch: Watch = field(init=False)

    def __post_init__(self) -> None:
        assert self.broker.process is not None
        others = {BROKER: self.broker.process.pid, FEEDER: self.feeder.pid}
        self.watch = Watch(self.job.pid, others, self.offsets)

    @property
    def records_a_second(self) -> float:
        """Records that are fed in a second."""
        return self._records_a_scrape * 1_000 / self.load.interval_ms

    @property
    def _records_a_scrape(self) -> int:
        return self.load.graphs * -(-self.load.nodes // self.load.chunk)

    def rate(self, used: Reading) -> float:
        """Samples a second that were read."""
        return used.records / used.at * self.load.per_scrape / self._records_a_scrape

    def lag_s(self) -> float:
        """How far the job is behind, in seconds of records."""
        past = PAST // PAST_EVERY * self._records_a_scrape
        live = self.sent.stat().st_size // SENT.size if self.sent.is_file() else 0
        return (past + live - self.offsets.read()) / self.records_a_second

    def warm_up(self, seconds: float = 90) -> None:
        """Lets the job read the past, and what is live for so many seconds."""
        self._catch_up(300)
        (self.folder / GO).touch()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.check()
            time.sleep(1)
        self._catch_up(300)

    def _catch_up(self, timeout_s: float) -> None:
        end = time.monotonic() + timeout_s
        while self.lag_s() > WORST_LAG_S:
            self.check()
            if time.monotonic() > end:
                raise RuntimeError(f"the job is {self.lag_s():.0f} s behind after {timeout_s:g} s")
            time.sleep(1)

    def check(self) -> None:
        """RuntimeError where a process has ended."""
        feeding = self.folder / f"{FEEDER}.log"
        for name, process, log in (("job", self.job, self.log), (FEEDER, self.feeder, feeding)):
            if process.poll() is not None:
                raise RuntimeError(f"the {name} has ended:\n{tail(log)}")

    def measure(self, seconds: float) -> Reading:
        """What is used within so many seconds."""
        before = self.watch.read()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.check()
            self.watch.read()
            time.sleep(0.5)
        if self.lag_s() > WORST_LAG_S:
            raise RuntimeError(f"the job fell {self.lag_s():.0f} s behind")
        return self.watch.read().since(before)


def embedded(stack: ExitStack, folder: Path, file: Path) -> tuple[Popen[bytes], Path]:
    """The job in one process of its own."""
    log = folder / "job.log"
    command = [sys.executable, "-m", "benchmarks.run_once", str(file)]
    job = start(command, log, env={"JVM_ARGS": HEAP})
    stack.callback(kill, job)
    return job, log


@contextmanager
def live(
    rate: int, patterns: Sequence[str], extra: dict[str, Any], starter: Starter = embedded
) -> Iterator[Live]:
    """The job at work on `rate` samples a second, warm."""
    load = Load(graphs=GRAPHS, nodes=round(rate / GRAPHS / SERIES), interval_ms=INTERVAL_MS)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faultline-live-")))
        broker = stack.enter_context(Broker(folder / "kafka"))
        fill(broker.bootstrap, "edges", lines.edges(load))
        file = folder / "job.yaml"
        file.write_text(yaml.safe_dump({**_config(broker, folder, patterns), **extra}), encoding="utf-8")
        shape = [GRAPHS, load.nodes, INTERVAL_MS, PAST]
        feed = ["benchmarks.live_feed", broker.bootstrap, TOPIC, *map(str, shape), str(folder)]
        feeder = start([sys.executable, "-m", *feed], folder / f"{FEEDER}.log")
        stack.callback(kill, feeder)
        job, log = starter(stack, folder, file)
        offsets = Offsets(broker.bootstrap, TOPIC, TOPIC)
        stack.callback(offsets.close)
        running = Live(load, folder, broker, feeder, job, log, offsets, folder / SENT_FILE)
        running.warm_up()
        yield running


def _config(broker: Broker, folder: Path, patterns: Sequence[str]) -> dict[str, Any]:
    config = job_config(
        broker.bootstrap,
        TOPIC,
        Topic(TOPIC, "otlp_proto", 0, 0),
        pattern_paths(tuple(patterns), folder),
        folder,
    )
    for source in config["sources"]:
        source["bounded"] = False
    return {
        **config,
        "sinks": {"kafka": {"bootstrap_servers": broker.bootstrap}},
        "tick": f"{TICK_MS} ms",
        "out_of_orderness": f"{LATENESS_MS} ms",
        "publish_matches": False,
        "checkpoint": {"dir": str(folder / "checkpoints")},
    }


def steady(rate: int, seconds: int, extra: dict[str, Any]) -> dict[str, Any]:
    """Cores of job, broker and feeder at that rate."""
    with live(rate, ("library",), extra) as running:
        used = running.measure(seconds)
        cores = {role: value / used.at for role, value in used.cpu.items()}
        return {
            "rate": running.rate(used),
            "seconds": used.at,
            "cores": cores,
            "series": running.load.per_scrape,
        }


def latency(rate: int, seconds: int, extra: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds from detection to event, over all incidents opened within so many seconds."""
    with live(rate, ("library",), extra) as running:
        events = _Events(running.broker.bootstrap)
        events.start()
        used = running.measure(seconds)
        opened = events.stop()
        pairs = np.fromfile(running.sent, dtype=[("time", "<i8"), ("at", "<f8")])
        found = [
            (got - at) * 1_000 for time_ms, got in opened if (at := released(pairs, time_ms)) is not None
        ]
    if not found:
        raise RuntimeError("no incident was opened: let it run longer")
    p50, p99 = np.percentile(found, [50, 99])
    return {
        "rate": running.rate(used),
        "incidents": len(found),
        "p50_ms": float(p50),
        "p99_ms": float(p99),
        "worst_ms": max(found),
        "settings": extra,
    }


def released(sent: Any, tick_end_ms: int) -> float | None:
    """When the record was sent that lets the watermark end that tick; None where before the live ones."""
    place = int(np.searchsorted(sent["time"], tick_end_ms + LATENESS_MS))
    return None if place in (0, len(sent)) else float(sent["at"][place])


class _Events(threading.Thread):
    """Notes when each incident's first event is received."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(name="events", daemon=True)
        self._consumer = KafkaConsumer(
            INCIDENTS, bootstrap_servers=bootstrap, auto_offset_reset="latest", enable_auto_commit=False
        )
        self._done = threading.Event()
        self._opened: list[tuple[int, float]] = []

    def run(self) -> None:
        while not self._done.is_set():
            for batch in self._consumer.poll(timeout_ms=100).values():
                now = time.time()
                for record in batch:
                    data = json.loads(record.value)
                    if data["status"] == "opened":
                        self._opened.append((int(data["time"]), now))

    def stop(self) -> list[tuple[int, float]]:
        """(end of the tick in ms, moment of the receipt) of all."""
        self._done.set()
        self.join()
        self._consumer.close()
        return self._opened


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.live", description=main.__doc__)
    parser.add_argument("what", choices=("steady", "latency"))
    parser.add_argument("--rate", type=int, default=200_000, help="samples a second")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--aligned", action="store_true", help="the ticks of all graphs end at once")
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args()
    run = steady if given.what == "steady" else latency
    found = run(given.rate, given.seconds, {"spread_ticks": not given.aligned})
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    if given.write:
        figures.keep("live", {f"{given.what}_aligned" if given.aligned else given.what: found})


if __name__ == "__main__":
    main()
