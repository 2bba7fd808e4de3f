"""From publishing a pattern to its being live in every subtask of the job that runs on a Flink cluster.

    python -m benchmarks.control --rate 100000 --updates 100

The job runs at that rate with the shipped patterns. Each update is a new version of one pattern; its time is
from before the record is sent until the last subtask's answer is received. In the end all samples are counted
and what matched is compared with what had to (`benchmarks.witness`): none may be lost, or match twice.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen
from typing import Any, Final

import numpy as np
import yaml

from benchmarks import figures, witness
from benchmarks.live import TOPIC, Live, live
from cep_patterns.pattern import Pattern
from records.control import ControlRecord, PatternAck
from records.model_control import ModelAck
from tests.kit.cluster import Cluster
from tests.kit.control import Control, record
from tests.kit.processes import stop

NAME: Final = "benchmark-swap"
PATIENCE_S: Final = 120.0
PAUSE_S: Final = 0.2
WARM: Final = 5
"""Updates before those that count."""
IN_FLIGHT: Final = ("drain", "drop")
"""In turn, what becomes of the partial matches of the version before."""
MEMORY: Final = {"taskmanager": {"memory": {"process": {"size": "5g"}}}}


Ack = PatternAck | ModelAck
Send = Callable[[Control, int], Sequence[Ack]]
"""Publishes an update, counted from 1, and waits for the answers of all subtasks."""


class OnCluster:
    """Starts the job on a cluster of its own; knows it afterwards."""

    cluster: Cluster
    job: str

    def __call__(self, stack: ExitStack, folder: Path, file: Path) -> tuple[Popen[bytes], Path]:
        """The TaskManager is the process that is measured."""
        self.cluster = stack.enter_context(Cluster(folder / "flink", slots=1, settings=MEMORY))
        given = ["--config", str(file), "--flink", self.cluster.address]
        done = self.cluster.faultline("job", "submit", *given)
        if done.returncode:
            raise RuntimeError(f"the job was not submitted:\n{done.stderr}{done.stdout}")
        self.job = done.stdout.strip().splitlines()[-1]
        return self.cluster.taskmanagers[0], self.cluster.logs / "taskmanager-0.out"


def update(version: int) -> ControlRecord:
    """The pattern in another version: three high samples in a row, a little higher each time."""
    limit = f'signal == "cpu" and z > {6 + version / 1_000}'
    pattern = Pattern.begin("high").where(limit).times(3).within("5m").model(NAME, version=version)
    return record("publish", NAME, version, pattern.wire(), in_flight=IN_FLIGHT[version % 2])


def send_pattern(control: Control, version: int) -> Sequence[Ack]:
    """Publishes the pattern in that version; the answers."""
    return control.send([update(version)], PATIENCE_S)


def measure(
    rate: int,
    updates: int,
    send: Send = send_pattern,
    pause_s: float = PAUSE_S,
    told: Callable[[Live, OnCluster], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Seconds of each update, at that rate of samples, and how many samples were counted in the end.

    `pause_s`: after each update. `told`: what else is found once all that was fed has come through.
    """
    starter = OnCluster()
    with tempfile.TemporaryDirectory(prefix="faultline-control-") as folder:
        file = Path(folder) / f"{witness.NAME}.yaml"
        file.write_text(yaml.safe_dump(witness.PATTERN), encoding="utf-8")
        extra = {"spread_ticks": True, "publish_matches": True, "patterns": ["library", str(file)]}
        with live(rate, (), extra, starter) as running:
            before = running.watch.read()
            subtasks, found = publish(running, WARM + updates, send, pause_s)
            used = running.watch.read().since(before)
            lag = running.lag_s()
            samples = counted(running, starter)
            others = {} if told is None else told(running, starter)
    p50, p99 = np.percentile(found[WARM:], [50, 99])
    return {
        "rate": running.rate(used),
        "updates": updates,
        "subtasks": subtasks,
        "p50_ms": float(p50) * 1_000,
        "p99_ms": float(p99) * 1_000,
        "worst_ms": max(found[WARM:]) * 1_000,
        "lag_s": lag,
        "samples": samples,
        **others,
    }


def publish(running: Live, updates: int, send: Send, pause_s: float) -> tuple[int, list[float]]:
    """Publishes one version after the other; subtasks that answered, and the seconds of each.

    RuntimeError where one refuses, or not all answer.
    """
    found, subtasks = [], 0
    with Control(running.broker.bootstrap) as control:
        for version in range(1, updates + 1):
            began = time.monotonic()
            acks = send(control, version)
            found.append(time.monotonic() - began)
            refused = [ack.reason for ack in acks if ack.state != "live"]
            if refused:
                raise RuntimeError(f"refused: {refused[0]}")
            subtasks = len(acks)
            running.check()
            time.sleep(pause_s)
    return subtasks, found


def counted(running: Live, starter: OnCluster) -> dict[str, int]:
    """Ends the feeder; what `witness.check` says of all that it fed."""
    stop(running.feeder)
    bootstrap = running.broker.bootstrap
    sent = witness.fed(running.load, witness.records_of(bootstrap, TOPIC))
    return witness.check(starter.cluster, starter.job, bootstrap, sent)


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.control", description=main.__doc__)
    parser.add_argument("--rate", type=int, default=100_000, help="samples a second")
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args()
    found = measure(given.rate, given.updates)
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    if given.write:
        figures.keep("control", found)


if __name__ == "__main__":
    main()
