"""One embedded run of the job in a process of its own, watched from within; prints what it used as JSON.

The argument is a file with a Spec as JSON. Start and JIT are left out: what counts is measured from the
moment on at which `warm` records were read, until the last record or until the time is up.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.watch import Reading, Watch
from jobs.config_loading import load_config
from jobs.pipeline import run_embedded


@dataclass(frozen=True)
class Spec:
    """What to run and what to watch.

    `warm`: records before the measure begins; `records`: of the whole topic. `others`: further processes by
    role. `probe_heap`: measure the heap in use after a full collection, once that many records were read.
    """

    config: str
    bootstrap: str
    group: str
    topic: str
    records: int
    warm: int
    others: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Used:
    """What was used from the first reading to the last: seconds, records, CPU seconds by role."""

    seconds: float
    records: int
    cpu: dict[str, float]
    counts: dict[str, int]


class _Watcher(threading.Thread):
    """Reads a few times a second until told to stop."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(name="watch", daemon=True)
        self.spec = spec
        self.first: Reading | None = None
        self.last: Reading | None = None
        self.grown: Reading | None = None
        self._watch = Watch(spec.bootstrap, spec.group, spec.topic, spec.others)
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(0.1):
            self._take()

    def _take(self) -> None:
        reading = self._watch.read()
        if self.first is None and reading.records >= self.spec.warm:
            self.first = reading
        if self.last is None or reading.records > self.last.records:
            self.grown = reading
        self.last = reading

    def stop(self) -> None:
        self._done.set()
        self.join()


def run(spec: Spec) -> Used:
    """The run to its end."""
    watcher = _Watcher(spec)
    watcher.start()
    result = run_embedded(load_config(spec.config, environment={}))
    watcher.stop()
    first, last, grown = watcher.first, watcher.last, watcher.grown
    if first is None or last is None or grown is None or grown is first:
        raise RuntimeError("the run ended before it was warm: give it more records")
    used = last.since(first)
    return Used(grown.at - first.at, spec.records - first.records, dict(used.cpu), result.counts)


def main() -> None:
    """Run the Spec in the file named on the command line."""
    told: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    used = run(Spec(**told))
    sys.stdout.write(json.dumps(asdict(used)) + "\n")


if __name__ == "__main__":
    main()
