"""Heap per series: what a full collection leaves in the job's JVM, once every baseline is full.

    python -m benchmarks.heap --series 100000 --write

The job reads so many series until their rings of values are full, then waits for more; what is in use then,
less what the same job uses over two nodes, is what the series take.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from benchmarks import figures, lines
from benchmarks.feed import fill
from benchmarks.load import SERIES, Load
from benchmarks.measure import HEAP, Topic, job_config
from benchmarks.otlp import payloads
from benchmarks.settings import pattern_paths
from benchmarks.watch import Offsets, family
from records.java import find_java
from tests.kit.kafka import Broker
from tests.kit.processes import start, stop, tail

FULL: Final = 150
"""Ticks until a ring of 128 values behind a window of 10 is full."""
NODES: Final = 200
"""Of a graph."""
PATTERNS: Final = ("library",)
_USED: Final = re.compile(r"used (\d+)K")
_SETTLE_S: Final = 10


def measure(series: int, ticks: int) -> dict[str, Any]:
    """Bytes of live heap over so many series, over two nodes, and the classes that take most."""
    graphs = max(1, round(series / SERIES / NODES))
    with tempfile.TemporaryDirectory(prefix="faultline-heap-") as scratch:
        folder = Path(scratch)
        with Broker(folder / "kafka") as broker:
            least, _ = _live(broker, folder, Load(graphs=1, nodes=2, chunk=2), ticks)
            most, classes = _live(broker, folder, Load(graphs=graphs, nodes=NODES), ticks)
    return {
        "series": graphs * NODES * SERIES,
        "bytes": most,
        "bytes_of_two_nodes": least,
        "per_100000": (most - least) / (graphs * NODES * SERIES) * 100_000,
        "classes": classes,
    }


def _live(broker: Broker, folder: Path, load: Load, ticks: int) -> tuple[int, list[tuple[str, int]]]:
    """Live bytes and the largest classes of a job that has read the load."""
    name = f"heap-{load.graphs}-{load.nodes}"
    fill(broker.bootstrap, "edges", lines.edges(load))
    records = fill(broker.bootstrap, name, payloads(load, ticks))
    topic = Topic(name, "otlp_proto", records, load.chunk * SERIES)
    config = job_config(broker.bootstrap, name, topic, pattern_paths(PATTERNS, folder), folder)
    for source in config["sources"]:
        source["bounded"] = False
    config |= {"sinks": {"kafka": {"bootstrap_servers": broker.bootstrap}}, "tick": "10s"}
    config |= {"checkpoint": {"interval": "1h", "dir": str(folder / "checkpoints")}}
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    log = folder / f"{name}.log"
    command = [sys.executable, "-m", "benchmarks.run_once", str(file)]
    job = start(command, log, env={"JVM_ARGS": HEAP})
    offsets = Offsets(broker.bootstrap, name, name)
    try:
        while offsets.read() < records:
            if job.poll() is not None:
                raise RuntimeError(f"the job has ended:\n{tail(log)}")
            time.sleep(1)
        time.sleep(_SETTLE_S)
        return _after_collection(_java(job.pid))
    finally:
        offsets.close()
        stop(job)


def _java(pid: int) -> int:
    """The JVM among the processes of a job."""
    for each in family(pid):
        if Path(f"/proc/{each}/comm").read_text().strip() == "java":
            return each
    raise RuntimeError("the job has no JVM")


def _after_collection(pid: int) -> tuple[int, list[tuple[str, int]]]:
    _jcmd(pid, "GC.run")
    classes: list[tuple[str, int]] = []
    for line in _jcmd(pid, "GC.class_histogram").splitlines():
        cells = line.split()
        if len(cells) >= 4 and cells[0].endswith(":") and len(classes) < 12:
            classes.append((cells[3], int(cells[2])))
    used = _USED.search(_jcmd(pid, "GC.heap_info"))
    assert used is not None
    return int(used[1]) * 1024, classes


def _jcmd(pid: int, *command: str) -> str:
    jcmd = Path(find_java()).with_name("jcmd")
    done = subprocess.run([str(jcmd), str(pid), *command], capture_output=True, text=True, check=True)
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.heap", description=main.__doc__)
    parser.add_argument("--series", type=int, default=100_000)
    parser.add_argument("--ticks", type=int, default=FULL)
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args(arguments)
    found = measure(given.series, given.ticks)
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    if given.write:
        figures.keep("heap", found)


if __name__ == "__main__":
    main()
