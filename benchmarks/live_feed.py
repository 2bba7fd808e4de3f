"""Feeds a topic live: some past as fast as it goes, for warm baselines, then at the pace of event time.

Of the past only each tenth scrape is sent. What is live begins when the file `go` is there, so that a job can
start before it. For each live record its event time and the moment it was sent go into the file `sent`. Runs
until it is ended.
Arguments: bootstrap, topic, graphs, nodes, interval in ms, scrapes of the past, folder of both files.
"""

from __future__ import annotations

import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kafka import KafkaProducer

from benchmarks.load import START_MS, Load
from benchmarks.otlp import staggered
from tests.kit.topics import producer_of

SENT: Final = struct.Struct("<qd")
"""Event time in ms, moment in s since 1970."""
PAST_EVERY: Final = 10
GO: Final = "go"
SENT_FILE: Final = "sent"
_ENDLESS: Final = 1_000_000


def feed(load: Load, past: int) -> Iterator[tuple[int, bytes]]:
    """Each record's event time (ms) and payload, in order, without end; `past`: scrapes of the past."""
    for time_ms, payload in staggered(load, _ENDLESS):
        scrape = (time_ms - START_MS) // load.interval_ms
        if scrape >= past or scrape % PAST_EVERY == 0:
            yield time_ms, payload


def main() -> None:
    """Feed."""
    bootstrap, topic, folder = sys.argv[1], sys.argv[2], Path(sys.argv[7])
    graphs, nodes, interval_ms, past = map(int, sys.argv[3:7])
    load = Load(graphs=graphs, nodes=nodes, interval_ms=interval_ms, fault_every=120, fault_for=60)
    live_from = START_MS + past * interval_ms
    producer = producer_of(bootstrap, linger_ms=0, batch_size=900_000)
    began = 0.0
    with (folder / SENT_FILE).open("wb") as sent:
        for time_ms, payload in feed(load, past):
            if time_ms >= live_from:
                began = began or _begin(producer, folder / GO)
                due = began + (time_ms - live_from) / 1_000
                time.sleep(max(0.0, due - time.time()))
                sent.write(SENT.pack(time_ms, time.time()))
                sent.flush()
            producer.send(topic, value=payload, partition=0)


def _begin(producer: KafkaProducer, go: Path) -> float:
    """Waits until it may go on; the moment."""
    producer.flush()
    while not go.exists():
        time.sleep(0.01)
    return time.time()


if __name__ == "__main__":
    main()
