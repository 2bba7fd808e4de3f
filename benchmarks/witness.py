"""Whether a live job lost a sample, or matched one twice: a pattern that nobody changes bears witness.

Its one step is met by every sample of one gauge of the first node of each graph, so there must be one match
for each of them. It looks at that gauge of all nodes, so the engine must have shown it as many events as were
fed. What was fed follows from how many records the topic holds.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
from kafka import KafkaConsumer, TopicPartition

from benchmarks.live import LATENESS_MS, PAST
from benchmarks.live_feed import PAST_EVERY
from benchmarks.load import SERIES, START_MS, Load
from faultline.kafka import values_since
from tests.kit.cluster import Cluster

MATCHES: Final = "faultline.matches.v1"
NAME: Final = "witness"
PATTERN: Final[dict[str, Any]] = {
    "id": NAME,
    "version": 1,
    "maturity": "experimental",
    "owner": "benchmarks",
    "description": "Every sample of one gauge of each graph's first node.",
    "misses": ["everything else"],
    "key": "node",
    "severity": "info",
    "steps": [{"name": "any", "where": 'metric == "orders.queue.depth" and node == "node-0"'}],
}
SEEN: Final = f".pattern.{NAME}.version.1.events_seen"
SAMPLES: Final = ".faultline.decode.samples"
PATIENCE_S: Final = 180.0

Where = tuple[str, int]
"""Graph, and time of the sample in ms."""


@dataclass(frozen=True)
class Fed:
    """What a feeder sent: of each record its time (ms), graph, nodes, and whether it has the first node."""

    times: npt.NDArray[np.int64]
    graphs: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]
    first: npt.NDArray[np.bool_]

    @property
    def samples(self) -> int:
        """All of them."""
        return int(self.nodes.sum()) * SERIES

    @property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Of each record whether event time has passed it."""
        return np.less(self.times, self.times[-1] - LATENESS_MS)

    @property
    def seen(self) -> int:
        """Events that the pattern must have been shown."""
        return int(self.nodes[self.complete].sum())

    @property
    def matched(self) -> set[Where]:
        """What must have matched."""
        chosen = self.complete & self.first
        pairs = zip(self.graphs[chosen].tolist(), self.times[chosen].tolist(), strict=True)
        return {(f"graph-{graph}", at) for graph, at in pairs}


def fed(load: Load, records: int) -> Fed:
    """What the first so many records of `benchmarks.live_feed` are."""
    per_graph = -(-load.nodes // load.chunk)
    scrape, place = np.divmod(np.arange(records, dtype=np.int64), load.graphs * per_graph)
    past = PAST // PAST_EVERY
    number = np.where(scrape < past, scrape * PAST_EVERY, PAST + scrape - past)
    spread = load.interval_ms * place // (load.graphs * per_graph)
    graph, part = np.divmod(place, per_graph)
    nodes = np.minimum(load.chunk, load.nodes - part * load.chunk)
    return Fed(START_MS + number * load.interval_ms + spread, graph, nodes, part == 0)


def records_of(bootstrap: str, topic: str) -> int:
    """How many records the one partition of a topic holds."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap)
    place = TopicPartition(topic, 0)
    end = consumer.end_offsets([place])[place]
    consumer.close()
    return int(end)


def told(values: Iterable[bytes]) -> Counter[Where]:
    """How often each sample matched."""
    matches = (each for each in map(json.loads, values) if each["pattern"] == NAME)
    return Counter((each["graph"], each["steps"][0]["samples"][0]["time"]) for each in matches)


def check(cluster: Cluster, job: str, bootstrap: str, sent: Fed) -> dict[str, int]:
    """How many samples were fed, seen and matched, once the job has come to the end of what was fed.

    RuntimeError where one was lost, or matched twice.
    """
    wanted = {SAMPLES: sent.samples, SEEN: sent.seen}
    seen: dict[str, int] = {}
    matched: Counter[Where] = Counter()
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and not (seen == wanted and set(matched) >= sent.matched):
        time.sleep(2)
        seen = {name: sum(_values(cluster, job, name)) for name in wanted}
        matched = told(values_since(bootstrap, MATCHES, 0))
    for name, count in wanted.items():
        if seen[name] != count:
            raise RuntimeError(f"{count} samples were fed, {name} counts {seen[name]}")
    compare(sent, matched)
    return {"fed": sent.samples, "decoded": seen[SAMPLES], "seen": seen[SEEN], "matched": len(matched)}


def compare(sent: Fed, matched: Counter[Where]) -> None:
    """RuntimeError where not each sample that must have matched did so once, and no other."""
    lost, twice = sent.matched - set(matched), [where for where, times in matched.items() if times > 1]
    others = set(matched) - sent.matched
    if lost or twice or others:
        counts = f"{len(lost)} did not match, {len(twice)} twice, {len(others)} others did"
        raise RuntimeError(f"of {len(sent.matched)} samples {counts}")


def _values(cluster: Cluster, job: str, name: str) -> Iterator[int]:
    """The values of a metric in all subtasks of the operator that has it."""
    for vertex in cluster.rest(f"/jobs/{job}")["vertices"]:
        path = f"/jobs/{job}/vertices/{vertex['id']}/metrics"
        for metric in cluster.rest(path) or ():
            if metric["id"].endswith(name):
                (value,) = cluster.rest(f"{path}?get={quote(metric['id'])}") or ({"value": "0"},)
                yield int(value["value"])
