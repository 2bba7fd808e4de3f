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
import uuid
from typing import Any, Final

import numpy as np
from kafka import KafkaProducer

from benchmarks.live import live
from cep_patterns.pattern import Pattern
from faultline.kafka_send import COMPACTED, Follower, make_topic
from faultline.live_control import answers, expected
from faultline.live_patterns import read_lines
from records.control import AUDIT_TOPIC, CONTROL_TOPIC, ControlRecord, PatternAck

NAME: Final = "benchmark-swap"
PATIENCE_S: Final = 120.0
PAUSE_S: Final = 0.2
WARM: Final = 5
"""Updates before those that count."""


def update(version: int) -> ControlRecord:
    """The pattern in another version: three high samples in a row, a little higher each time."""
    limit = f'signal == "cpu" and z > {6 + version / 1_000}'
    pattern = Pattern.begin("high").where(limit).times(3).within("5m").model(NAME, version=version)
    return ControlRecord(
        action="publish",
        id=NAME,
        version=version,
        pattern=pattern.wire(),
        time=int(time.time() * 1_000),
        request=uuid.uuid4().hex,
    )


def answered(follower: Follower, request: str) -> int:
    """How many subtasks are live with it, once all are; RuntimeError where one refuses or none answers."""
    acks = answers(follower, request, time.monotonic() + PATIENCE_S, PatternAck, read_lines)
    refused = [ack.reason for ack in acks if ack.state != "live"]
    if refused:
        raise RuntimeError(f"refused: {refused[0]}")
    if not acks or len(acks) != expected(acks):
        raise RuntimeError(f"{len(acks)} answers within {PATIENCE_S:g} s")
    return len(acks)


def measure(rate: int, updates: int) -> dict[str, Any]:
    """Seconds of each update, at that rate of samples."""
    found = []
    with live(rate, ("library",), {"spread_ticks": True}) as running:
        bootstrap = running.broker.bootstrap
        make_topic(bootstrap, CONTROL_TOPIC, COMPACTED)
        producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all")
        follower = Follower(bootstrap, AUDIT_TOPIC)
        before = running.watch.read()
        for version in range(1, WARM + updates + 1):
            record = update(version)
            began = time.monotonic()
            producer.send(CONTROL_TOPIC, key=NAME.encode(), value=record.model_dump_json().encode())
            producer.flush()
            subtasks = answered(follower, record.request)
            found.append(time.monotonic() - began)
            running.check()
            time.sleep(PAUSE_S)
        used = running.watch.read().since(before)
        follower.close()
        producer.close()
        lag = running.lag_s()
    p50, p99 = np.percentile(found[WARM:], [50, 99])
    return {
        "rate": running.rate(used),
        "updates": updates,
        "subtasks": subtasks,
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
