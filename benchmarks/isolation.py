"""Many small systems beside one that misbehaves: how long their events take, with and without it.

    python -m benchmarks.isolation --graphs 500 --nodes 10000 --seconds 150 --write
    python -m benchmarks.isolation --graphs 500 --nodes 0 --seconds 150 --write

The one has ten times the traffic of all others together, gauges that are no numbers, and nodes that all stand
out at once. The latency is counted as in benchmarks/live.py: from the moment Kafka holds the record that ends
a tick, of the many or of the one, whichever came later, until a consumer has the event.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml
from kafka import KafkaConsumer

from benchmarks import figures
from benchmarks.isolation_feed import LIVE_MS, TICK_MS
from benchmarks.live import LATENESS_MS, embedded, released
from tests.kit.kafka import Broker
from tests.kit.processes import kill, start, tail

INCIDENTS: Final = "faultline.incidents.v1"
_SENT: Final = [("time", "<i8"), ("at", "<f8")]


def measure(graphs: int, nodes: int, seconds: int, lead: int) -> dict[str, Any]:
    """One run; without the one that misbehaves where `nodes` is 0.

    `lead`: seconds to start and catch up in.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faultline-isolation-")))
        broker = stack.enter_context(Broker(folder / "kafka"))
        live_from = time.time() + lead
        feeds = {"many": graphs} | ({"loud": nodes} if nodes else {})
        for kind, size in feeds.items():
            given = [broker.bootstrap, kind, kind, str(size), str(live_from), str(folder / kind)]
            feeder = start(
                [sys.executable, "-m", "benchmarks.isolation_feed", *given], folder / f"{kind}.log"
            )
            stack.callback(kill, feeder)
        file = folder / "job.yaml"
        file.write_text(yaml.safe_dump(_config(broker.bootstrap, list(feeds), folder)), encoding="utf-8")
        job, log = embedded(stack, folder, file)
        opened = _opened(broker.bootstrap, live_from + seconds)
        if job.poll() is not None:
            raise RuntimeError(f"the job has ended:\n{tail(log)}")
        sent = [np.fromfile(folder / kind, dtype=_SENT) for kind in feeds]
        return _told(opened, sent)


def _config(bootstrap: str, topics: list[str], folder: Path) -> dict[str, Any]:
    source = {"type": "kafka", "bootstrap_servers": bootstrap, "start": "earliest", "format": "otlp_proto"}
    return {
        "name": "isolation",
        "sources": [{**source, "topic": topic, "group": topic} for topic in topics],
        "sinks": {"kafka": {"bootstrap_servers": bootstrap}},
        "tick": f"{TICK_MS}ms",
        "spread_ticks": True,
        "out_of_orderness": f"{LATENESS_MS}ms",
        "checkpoint": {"interval": "10s", "dir": str(folder / "checkpoints")},
    }


def _opened(bootstrap: str, until: float) -> list[tuple[str, int, float]]:
    """(graph, end of the tick in ms, moment of the receipt) of what was opened live."""
    consumer = KafkaConsumer(
        INCIDENTS, bootstrap_servers=bootstrap, auto_offset_reset="earliest", enable_auto_commit=False
    )
    found = []
    while time.time() < until:
        for batch in consumer.poll(timeout_ms=50).values():
            now = time.time()
            for record in batch:
                data = json.loads(record.value)
                if data["status"] == "opened" and data["time"] >= LIVE_MS:
                    found.append((str(data["graph"]), int(data["time"]), now))
    consumer.close()
    return found


def _told(opened: list[tuple[str, int, float]], sent: list[Any]) -> dict[str, Any]:
    waits = []
    for graph, time_ms, got in opened:
        moments = [at for each in sent if (at := released(each, time_ms)) is not None]
        if graph != "loud" and len(moments) == len(sent):
            waits.append((got - max(moments)) * 1_000)
    if not waits:
        raise RuntimeError("no incident was opened: let it run longer")
    p50, p99 = np.percentile(waits, [50, 99])
    lags = [
        float(each["at"][-1] - each["at"][0] - (each["time"][-1] - each["time"][0]) / 1_000) for each in sent
    ]
    return {
        "incidents": len(waits),
        "incidents_of_the_loud": sum(graph == "loud" for graph, _, _ in opened),
        "p50_ms": float(p50),
        "p99_ms": float(p99),
        "worst_ms": max(waits),
        "feeders_behind_s": lags,
    }


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.isolation", description=main.__doc__)
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=10_000, help="of the one that misbehaves; 0: without it")
    parser.add_argument("--seconds", type=int, default=150, help="of live data")
    parser.add_argument("--lead", type=int, default=240, help="seconds before, to start and catch up in")
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args()
    found = measure(given.graphs, given.nodes, given.seconds, given.lead)
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    if given.write:
        of = {"graphs": given.graphs, "nodes": given.nodes, "seconds": given.seconds}
        figures.keep("isolation", {"beside" if given.nodes else "alone": {**of, **found}})


if __name__ == "__main__":
    main()
