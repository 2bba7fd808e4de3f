"""From publishing a pattern to its being live in every subtask of the running job.

    python -m benchmarks.control --rate 100000 --updates 100

The job runs at that rate with the shipped patterns. Each update is a new version of one pattern; its time is
from before the record is sent until the last subtask's answer is received.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any, Final

import numpy as np

from benchmarks.live import live
from cep_patterns.pattern import Pattern
from records.control import ControlRecord
from tests.kit.control import Control, record

NAME: Final = "benchmark-swap"
PATIENCE_S: Final = 120.0
PAUSE_S: Final = 0.2
WARM: Final = 5
"""Updates before those that count."""


def update(version: int) -> ControlRecord:
    """The pattern in another version: three high samples in a row, a little higher each time."""
    limit = f'signal == "cpu" and z > {6 + version / 1_000}'
    pattern = Pattern.begin("high").where(limit).times(3).within("5m").model(NAME, version=version)
    return record("publish", NAME, version, pattern.wire())


def measure(rate: int, updates: int) -> dict[str, Any]:
    """Seconds of each update, at that rate of samples."""
    found = []
    with live(rate, ("library",), {}) as running:
        before = running.watch.read()
        with Control(running.broker.bootstrap) as control:
            for version in range(1, WARM + updates + 1):
                sent = update(version)
                began = time.monotonic()
                answers = control.send([sent], PATIENCE_S)
                found.append(time.monotonic() - began)
                if refused := [each.reason for each in answers if each.state != "live"]:
                    raise RuntimeError(f"refused: {refused[0]}")
                running.check()
                time.sleep(PAUSE_S)
        used = running.watch.read().since(before)
        lag = running.lag_s()
    p50, p99 = np.percentile(found[WARM:], [50, 99])
    return {
        "rate": running.rate(used),
        "updates": updates,
        "subtasks": len(answers),
        "p50_ms": float(p50) * 1_000,
        "p99_ms": float(p99) * 1_000,
        "worst_ms": max(found[WARM:]) * 1_000,
        "lag_s": lag,
    }


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.control", description=main.__doc__)
    parser.add_argument("--rate", type=int, default=100_000, help="samples a second")
    parser.add_argument("--updates", type=int, default=100)
    given = parser.parse_args()
    sys.stdout.write(json.dumps(measure(given.rate, given.updates), indent=1) + "\n")


if __name__ == "__main__":
    main()
