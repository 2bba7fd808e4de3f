"""From publishing a bundle to its being live in every subtask of the job that runs on a Flink cluster.

    python -m benchmarks.control_models --rate 100000 --updates 40

As benchmarks/control.py, with the two newest released bundles in turn. In the end each match must have been
scored in its time, by one of the two, and some events of each are derived anew with the bundle that they
name: a bundle that was not wholly loaded answers otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from benchmarks import figures
from benchmarks.control import PATIENCE_S, Ack, OnCluster, measure
from benchmarks.live import INCIDENTS, TICK_MS, Live
from benchmarks.witness import MATCHES
from faultline.kafka import values_since
from onnx_models.bundle import read_manifest, released
from records.control import AUDIT_TOPIC
from records.matches import Match
from records.model_control import BundleRef, ModelRecord
from tests.kit.cluster import Cluster
from tests.kit.control import Control

PAUSE_S: Final = 1.0
WAIT_TICKS: Final = 3
"""A match is scored with the row of its tick, or with what is there two ticks later."""
EXCUSED: Final = ("breaker_open", "timeout")
"""Why the fallback may have answered: not for a bundle that was changed."""
DERIVED: Final = 3
"""So many events of each bundle are derived anew."""


def bundles() -> list[BundleRef]:
    """The two newest released ones, by name."""
    found = []
    for folder in released()[-2:]:
        said = read_manifest(folder)
        found.append(BundleRef(name=said.name, version=said.version, sha256=said.sha256, path=folder.name))
    return found


def swap(control: Control, number: int) -> Sequence[Ack]:
    """Makes the older and the newer bundle live in turn; the answers."""
    both = bundles()
    live, previous = both[number % 2], both[1 - number % 2]
    now = int(time.time() * 1_000)
    record = ModelRecord(action="publish", live=live, previous=previous, time=now, request=uuid.uuid4().hex)
    return control.swap(record, PATIENCE_S)


def told(running: Live, starter: OnCluster) -> dict[str, Any]:
    """How many matches were scored and events told, by bundle. RuntimeError where any was not as it must."""
    bootstrap = running.broker.bootstrap
    lines = [orjson.loads(value) for value in values_since(bootstrap, AUDIT_TOPIC, 0)]
    scored = [line for line in lines if line["type"] == "scored"]
    matches = [Match.model_validate_json(value) for value in values_since(bootstrap, MATCHES, 0)]
    complete = [each for each in matches if not each.dry_run]
    events = [json.loads(value) for value in values_since(bootstrap, INCIDENTS, 0)]
    return {
        "matches": scored_in_time(complete, scored),
        "scored": by_bundle(scored, {each.label for each in bundles()}),
        "events": len(events),
        "derived": derived(starter.cluster, bootstrap, events),
    }


def scored_in_time(matches: Sequence[Match], scored: Sequence[dict[str, Any]]) -> int:
    """How many matches there are but for the last ticks; RuntimeError where one was not scored."""
    times: dict[str, set[int]] = defaultdict(set)
    for line in scored:
        times[line["graph"]].add(line["time"])
    last = max((line["time"] for line in scored), default=0)
    due = [each for each in matches if each.time <= last - WAIT_TICKS * TICK_MS]
    lost = [
        each
        for each in due
        if not any(0 <= at - each.time <= WAIT_TICKS * TICK_MS for at in times[each.graph])
    ]
    if lost or not due:
        raise RuntimeError(f"{len(lost)} of {len(due)} matches were not scored, the first: {lost[:1]}")
    return len(due)


def by_bundle(scored: Iterable[dict[str, Any]], labels: set[str]) -> dict[str, int]:
    """How many answers each bundle gave, and the fallback where the model was in doubt or busy.

    RuntimeError where a bundle gave none, or an answer was none of these.
    """
    counts = Counter(line["model"] or f"fallback, {line['reason']}" for line in scored)
    others = set(counts) - labels - {f"fallback, {reason}" for reason in EXCUSED}
    if others or not labels <= set(counts):
        raise RuntimeError(f"answers by {dict(counts)}, wanted by {sorted(labels)}")
    return dict(sorted(counts.items()))


def derived(cluster: Cluster, bootstrap: str, events: Sequence[dict[str, Any]]) -> int:
    """How many events were derived anew and are the same; RuntimeError for one that is not."""
    chosen: dict[str, list[str]] = defaultdict(list)
    for event in events:
        if event["status"] != "resolved" and event["model"] is not None:
            chosen[event["model"]["version"]].append(f"{event['incident_id']}:{event['revision']}")
    names = [name for those in chosen.values() for name in those[-DERIVED:]]
    for name in names:
        done = cluster.faultline("events", "explain", name, "--bootstrap-servers", bootstrap, "--json")
        if done.returncode or not json.loads(done.stdout)["same"]:
            raise RuntimeError(f"{name} is not the same:\n{done.stdout}{done.stderr}")
    return len(names)


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.control_models", description=main.__doc__)
    parser.add_argument("--rate", type=int, default=100_000, help="samples a second")
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args()
    found = measure(given.rate, given.updates, swap, PAUSE_S, told)
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    if given.write:
        figures.keep("models", found)


if __name__ == "__main__":
    main()
