"""The job on graphs of unusual size and on nodes whose samples come apart.

    python -m benchmarks.sizes --only nodes-10000 --write

Ticks are 10 s, one scrape each, so that baselines warm up and faults become incidents within few scrapes. A
tick is on time if its row comes out once and holds every node: late blocks and frames are counted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks import figures, lines, otlp
from benchmarks.feed import fill
from benchmarks.load import SERIES, Load
from benchmarks.measure import Topic, Watched, job_command, job_config
from benchmarks.settings import Records, pattern_paths
from tests.kit.kafka import Broker


@dataclass(frozen=True)
class Size:
    """A load and how it is sent. `apart`: one sample a record, out of order."""

    title: str
    load: Load
    scrapes: int
    apart: bool = False

    def records(self) -> Records:
        """What goes into the topic."""
        sent = lines.scattered if self.apart else otlp.payloads
        return sent(self.load, self.scrapes)

    @property
    def topic(self) -> tuple[str, int]:
        """Format, and samples in a record."""
        return ("native", 1) if self.apart else ("otlp_proto", self.load.chunk * SERIES)


SIZES: Final = {
    "nodes-10000": Size(
        "one graph of 10,000 nodes", Load(graphs=1, nodes=10_000, fault_every=20, fault_for=8), 45
    ),
    "graphs-500": Size(
        "500 graphs of 10 nodes", Load(graphs=500, nodes=10, chunk=10, fault_every=20, fault_for=8), 60
    ),
    "series-100000": Size(
        "3 graphs of 100,000 series", Load(graphs=3, nodes=3_340, fault_every=20, fault_for=8), 45
    ),
    "apart": Size(
        "5 graphs of 200 nodes, one sample a record, up to 5 s out of order",
        Load(fault_every=20, fault_for=8),
        45,
        apart=True,
    ),
}


def measure(size: Size) -> dict[str, Any]:
    """One run of a size."""
    with tempfile.TemporaryDirectory(prefix="faultline-sizes-") as scratch:
        folder = Path(scratch)
        with Broker(folder / "kafka") as broker:
            assert broker.process is not None
            fill(broker.bootstrap, "edges", lines.edges(size.load))
            records = fill(broker.bootstrap, "samples", size.records())
            format_name, per_record = size.topic
            topic = Topic("samples", format_name, records, per_record)
            out = folder / "out"
            patterns = pattern_paths(("library",), folder)
            config = job_config(broker.bootstrap, "sizes", topic, patterns, out)
            config |= {"tick": "10s", "publish_frames": True}
            watched = Watched(broker.bootstrap, broker.process.pid, "sizes", topic, log=folder / "job.log")
            used = watched.run(job_command(config, folder / "job.yaml"))
        audit = _audit(out / "audit.ndjson")
    return {
        "title": size.title,
        "used": asdict(used),
        "rows_wanted": size.load.graphs * size.scrapes,
        "late_blocks": audit["late"],
        "late_frames": audit["late_frame"],
    }


def _audit(file: Path) -> Counter[str]:
    """Lines of the audit by type."""
    if not file.is_file():
        return Counter()
    return Counter(json.loads(line)["type"] for line in file.read_text(encoding="utf-8").splitlines())


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.sizes", description=main.__doc__)
    parser.add_argument("--only", default=",".join(SIZES), help="sizes, by comma")
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args()
    for name in given.only.split(","):
        found = measure(SIZES[name])
        sys.stdout.write(json.dumps({name: found}, indent=1) + "\n")
        if given.write:
            figures.keep("sizes", {name: found})


if __name__ == "__main__":
    main()
