"""Bundles that are swapped ten times under a steady feed: none is lost, each answer is wholly of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from pyflink.common import Row, Types
from pyflink.datastream import FlatMapFunction
from pyflink.datastream.data_stream import CloseableIterator

from jobs.operators import assemble
from jobs.rows import observation_type
from onnx_models.bundle import Bundle
from records.incidents import IncidentEvent
from records.model_control import MODEL_KEY, ModelRecord
from tests.jobs import minicluster
from tests.jobs.bundles import bundle
from tests.jobs.minicluster import (
    Sent,
    audit,
    configuration,
    environment,
    events,
    observations,
    sent_of,
    stream,
)
from tests.jobs.test_operators import incident
from tests.jobs.test_serving import ref_of
from tests.records.test_model_control import record

SWAPS = 10
GRAPHS = 5
PAUSE_S = 0.04
"""Between two rows of the feed."""
WAIT_S = 300.0


def feed() -> list[Row]:
    """Systems with an incident each, one after the other."""
    each = [list(incident(f"s{place}", 10 + 3 * place, 14 + 3 * place, 46)) for place in range(GRAPHS)]
    return observations(event for events_of in each for event in events_of)


class Steady(FlatMapFunction):
    """Passes the rows on, with a pause after each, and notes how many it has passed."""

    def __init__(self, folder: Path) -> None:
        self._notes = folder / "passed"
        self._passed = 0

    def flat_map(self, value: Any) -> Iterator[Any]:
        self._passed += 1
        if self._passed % 10 == 0:
            self._notes.write_text(str(self._passed))
        sleep(PAUSE_S)
        yield value


class AsTheFeedPasses(FlatMapFunction):
    """Passes each record on once the feed has come so far."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._notes = folder / "passed"
        self._step = rows // (SWAPS + 2)
        self._sent = 0

    def flat_map(self, value: Any) -> Iterator[Any]:
        self._sent += 1
        end = monotonic() + WAIT_S
        while self._passed() < self._sent * self._step and monotonic() < end:
            sleep(0.01)
        yield value

    def _passed(self) -> int:
        text = self._notes.read_text() if self._notes.exists() else ""
        return int(text or 0)


def swapped(rows: list[Row], first: Bundle, second: Bundle, folder: Path) -> list[Sent]:
    """What the operators send while the live bundle is the second, the first, the second, ..."""
    # A bundle would hold records back until its last one is due.
    env = environment(python__fn_execution__bundle__size="1")
    both = [ref_of(second), ref_of(first)]
    records: list[ModelRecord] = [
        record(live=both[number % 2], previous=both[1 - number % 2], request=f"r{number}")
        for number in range(SWAPS)
    ]
    told = [Row(MODEL_KEY, each.model_dump_json(exclude_none=True).encode()) for each in records]
    kinds = Types.ROW([Types.STRING(), Types.PRIMITIVE_ARRAY(Types.BYTE())])
    control = env.from_collection(told, kinds).flat_map(AsTheFeedPasses(folder, len(rows)), output_type=kinds)
    steady = stream(env, rows).flat_map(Steady(folder), output_type=observation_type())
    # The first bundle is also the one of the configuration.
    config = configuration(
        first.path,
        score={
            "timeout_ms": 600_000,
            "breaker": {"enabled": False, "slow_ms": 600_000},
            "rollback": {"enabled": False},
        },
    )
    results = assemble(steady, config, first.manifest, control).execute_and_collect("swaps")
    assert isinstance(results, CloseableIterator)
    with results:
        return [sent_of(row) for row in results]


def answer(event: IncidentEvent) -> tuple[Any, ...]:
    """What the model said."""
    causes = [(each.node, each.signal, each.score) for each in event.root_causes]
    return causes, event.confidence_score, event.anomaly_probability, event.input_hash


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bundle, Bundle]:
    folder = tmp_path_factory.mktemp("bundles")
    return bundle(folder / "first"), bundle(folder / "second", version=2, factor=0.2)


def test_no_event_is_lost_and_each_is_wholly_one_bundle_s(
    tmp_path: Path, bundles: tuple[Bundle, Bundle]
) -> None:
    rows = feed()
    alone = {
        each.manifest.sha256: {
            event.id: event
            for event in events(minicluster.run(rows, configuration(each.path), each.manifest))
        }
        for each in bundles
    }
    one, other = alone.values()
    assert sorted(one) == sorted(other)
    assert len(one) >= 2 * GRAPHS
    assert all(answer(one[name]) != answer(other[name]) for name in one)
    sent = swapped(rows, *bundles, tmp_path)
    lines = audit(sent)
    acks = [line for line in lines if line["type"] == "model_ack"]
    assert [line["state"] for line in acks] == ["live"] * SWAPS
    told = events(sent)
    assert sorted(event.id for event in told) == sorted(one)
    by = Counter(event.model.sha256 for event in told if event.model is not None)
    assert set(by) <= set(alone)
    assert by.total() == len(told)
    for event in told:
        assert event.model is not None
        assert answer(event) == answer(alone[event.model.sha256][event.id])
    scored = Counter(line["model"] for line in lines if line["type"] == "scored")
    assert set(scored) == {"loudest-1", "loudest-2"}
