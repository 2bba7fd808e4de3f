"""Feeds many small systems, or one that misbehaves: a past as fast as it goes, then at the pace of time.

Arguments: bootstrap, topic, "many" or "loud", number of graphs or of nodes, live from (s since 1970), file.
For each live record its event time and the moment it was sent go into the file. Runs until it is ended.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.live_feed import SENT
from benchmarks.load import GAUGES, START_MS, Load
from benchmarks.otlp import staggered
from tests.kit.topics import producer_of

TICK_MS: Final = 10_000
PAST: Final = 40
"""Ticks of the past, of which the one that misbehaves sends the last LOUD_PAST."""
LOUD_PAST: Final = 12
NODES: Final = 4
FAULTS: Final = 25
"""One in so many systems has faults, each at a time of its own."""
LIVE_MS: Final = START_MS + PAST * TICK_MS
_ENDLESS: Final = 1_000_000


@dataclass(frozen=True)
class Many(Load):
    """Systems of which some have faults."""

    def _faulty(self, scrape: int) -> npt.NDArray[np.int64]:
        rows = super()._faulty(scrape)
        some: npt.NDArray[np.int64] = rows[rows // self.nodes % FAULTS == 0]
        return some


@dataclass(frozen=True)
class Loud(Load):
    """One large system. Live, its gauges are no numbers in one scrape of four, and stand out in another."""

    def names(self, node: int) -> tuple[str, str]:
        """Graph and node of a row of the scrapes."""
        return "loud", f"node-{node}"

    def scrapes(self, count: int) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
        """As the load's, later."""
        late = (PAST - LOUD_PAST) * TICK_MS
        for number, (time_ms, values) in enumerate(super().scrapes(count)):
            if time_ms + late >= LIVE_MS:
                gauges = values[:, : len(GAUGES)]
                gauges[:] = {1: np.nan, 3: 4 * gauges}.get(number % 4, gauges)
            yield time_ms + late, values


def load_of(kind: str, size: int) -> Load:
    """Many systems of NODES nodes, a sample of each series a tick; or one of `size`, two a tick."""
    if kind == "many":
        return Many(graphs=size, nodes=NODES, interval_ms=TICK_MS, fault_every=20, fault_for=8)
    return Loud(graphs=1, nodes=size, interval_ms=TICK_MS // 2, fault_every=_ENDLESS)


def main() -> None:
    """Feed."""
    bootstrap, topic, kind, size, live_from, file = sys.argv[1:7]
    load = load_of(kind, int(size))
    producer = producer_of(bootstrap, linger_ms=5, batch_size=900_000)
    with Path(file).open("wb") as sent:
        for time_ms, payload in staggered(load, _ENDLESS):
            if time_ms >= LIVE_MS:
                time.sleep(max(0.0, float(live_from) + (time_ms - LIVE_MS) / 1_000 - time.time()))
                sent.write(SENT.pack(time_ms, time.time()))
                sent.flush()
            producer.send(topic, value=payload, partition=0)


if __name__ == "__main__":
    main()
