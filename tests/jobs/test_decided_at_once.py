"""Two workers that decide about a bundle in the same moment: whatever the order, all end alike, and so does
the control topic, which is all that a job knows that starts later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path
from time import monotonic

import pytest
from pyflink.common import Row, Types
from pyflink.datastream.data_stream import CloseableIterator

from jobs.model_state import ModelState, Outcome, restated, step
from jobs.models import MODEL
from jobs.operators import assemble
from records.control import CONTROL_TOPIC
from records.model_control import MODEL_KEY, Candidate, ModelRecord, Promotion
from tests.jobs.bundles import bundle
from tests.jobs.minicluster import audit, configuration, environment, sent_of, stream
from tests.jobs.test_promotion import graph_of
from tests.jobs.test_serving import Worker, ref_of
from tests.records.test_model_control import record, ref

WORKERS = 2
RULE = Promotion(after=2, latency_ms=60_000, share=0.5)
SHADOW = record(live=ref(1), candidate=Candidate(bundle=ref(2), stage="shadow", promote=RULE))
PROMOTED, PROMOTED_TOO = SHADOW.promoted("one worker's figures", 5), SHADOW.promoted("the other's", 6)
TAKEN_BACK = SHADOW.without(ref(2).sha256, "errors", 7)
LIVE_TAKEN_BACK = SHADOW.without(ref(1).sha256, "errors", 7)
NEWER = record(live=ref(3), request="r9")


class Job:
    """A control topic, and the state of each subtask of `incidents`; the workers load whatever is named."""

    def __init__(self, topic: Iterable[ModelRecord] = ()) -> None:
        self.topic: list[ModelRecord] = []
        self._states = [ModelState() for _ in range(WORKERS)]
        self.tell(*topic)

    def tell(self, *records: ModelRecord) -> None:
        """Writes records at once and has them read, with what the job writes about them."""
        place = len(self.topic)
        self.topic += records
        while place < len(self.topic):
            decided = [self._read(place, subtask) for subtask in range(WORKERS)]
            assert decided[0] == decided[1]
            self.topic += [each for each in decided[:1] if each is not None]
            assert len(self.topic) < 20, "the job answers itself without end"
            place += 1

    def _read(self, place: int, subtask: int) -> ModelRecord | None:
        told = self.topic[place]
        state, decision = self._states[subtask], None
        for worker in range(WORKERS):
            state, decision = step(state, Outcome(str(place), told, worker, WORKERS, None, 1.0))
        self._states[subtask] = state
        assert decision is not None
        return restated(state, decision)

    @property
    def in_force(self) -> ModelRecord:
        """In every subtask."""
        one, other = (state.record for state in self._states)
        assert one is not None
        assert one == other
        return one


def said(record: ModelRecord) -> dict[str, object]:
    """What a record asks for, whoever wrote it, when and why."""
    return record.model_dump(include={"live", "previous", "candidate", "request"})


def settled(*records: ModelRecord) -> ModelRecord:
    """What is in force after records that are all about SHADOW; a job that starts then is told the same."""
    job = Job([SHADOW])
    job.tell(*records)
    assert said(Job(job.topic[-1:]).in_force) == said(job.in_force)
    return job.in_force


@pytest.mark.parametrize("order", [*permutations((PROMOTED, PROMOTED_TOO))])
def test_two_that_promote_promote_once(order: tuple[ModelRecord, ...]) -> None:
    assert said(settled(*order)) == said(PROMOTED)


@pytest.mark.parametrize("order", [*permutations((PROMOTED, TAKEN_BACK, PROMOTED_TOO))])
def test_taking_back_counts_more_than_promoting(order: tuple[ModelRecord, ...]) -> None:
    assert said(settled(*order)) == said(TAKEN_BACK)


def test_a_promotion_that_comes_after_the_next_one_does_not_undo_it() -> None:
    assert said(settled(PROMOTED, PROMOTED.promoted("again", 8), PROMOTED_TOO)) == said(
        PROMOTED.promoted("again", 8)
    )


def test_of_two_bundles_that_are_taken_back_at_once_the_first_goes_and_the_other_is_judged_anew() -> None:
    assert TAKEN_BACK.request != LIVE_TAKEN_BACK.request
    assert said(settled(TAKEN_BACK, LIVE_TAKEN_BACK)) == said(TAKEN_BACK)
    assert said(settled(LIVE_TAKEN_BACK, TAKEN_BACK)) == said(LIVE_TAKEN_BACK)


@pytest.mark.parametrize("order", [*permutations((PROMOTED, TAKEN_BACK, NEWER))])
def test_what_a_person_publishes_meanwhile_stays(order: tuple[ModelRecord, ...]) -> None:
    assert said(settled(*order)) == said(NEWER)


def test_a_late_word_about_what_was_in_force_before_takes_nothing_back() -> None:
    """What is told again names a request that it replaces, and is no promotion of it."""
    job = Job([SHADOW, NEWER, PROMOTED])
    again = job.in_force
    assert (again.by, again.replaces, again.request) == ("job", PROMOTED.request, NEWER.request)
    job.tell(TAKEN_BACK, PROMOTED.without(ref(2).sha256, "errors", 9))
    assert said(job.in_force) == said(NEWER)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[list[Worker]]:
    made = [Worker(bundle(tmp_path / f"own-{place}")) for place in range(WORKERS)]
    yield made
    for each in made:
        each.close()


def test_two_workers_whose_rule_is_met_at_once_put_the_bundle_one_stage_on(
    workers: list[Worker], tmp_path: Path
) -> None:
    second = ref_of(bundle(tmp_path, version=2, factor=2.0))
    job = Job([record(candidate=Candidate(bundle=second, stage="shadow", promote=RULE))])
    for stage in ("canary", None):
        before = job.in_force
        told = [promotion(worker, before) for worker in workers]
        assert {each.replaces for each in told} == {before.request}
        job.tell(*told)
        tried = job.in_force.candidate
        assert (tried and tried.stage) == stage
    assert job.in_force.live == second


def promotion(worker: Worker, tried: ModelRecord) -> ModelRecord:
    """Scores until the worker promotes; its record."""
    worker.send(Row("", MODEL, 0, tried.model_dump_json().encode()))
    before, end = len(worker.controls()), monotonic() + 300
    while len(worker.controls()) == before:
        assert monotonic() < end
        worker.event(tried, graph=graph_of(tried))
    return worker.controls()[-1]


@pytest.mark.parametrize(
    ("loads", "writes", "state"),
    [(True, True, "passed_over"), (False, True, "refused"), (True, False, "passed_over")],
)
def test_the_operator_tells_the_topic_again_what_is_in_force(
    tmp_path: Path, loads: bool, writes: bool, state: str
) -> None:
    first = bundle(tmp_path / "first")
    newer = record(live=ref_of(first), request="r9")
    late = TAKEN_BACK.model_copy(update={"live": ref_of(first)}) if loads else TAKEN_BACK
    env = environment()
    env.set_parallelism(WORKERS)
    kinds = Types.ROW([Types.STRING(), Types.PRIMITIVE_ARRAY(Types.BYTE())])
    told = [Row(MODEL_KEY, each.model_dump_json(exclude_none=True).encode()) for each in (newer, late)]
    control = env.from_collection(told, kinds)
    kafka = {"bootstrap_servers": "broker:9092"}
    config = configuration(
        first.path,
        sources=[{"type": "kafka", "topic": "samples", "format": "native", **kafka}],
        sinks={"kafka": kafka},
        control={} if writes else {"bootstrap_servers": "another:9092"},
    )
    results = assemble(stream(env, []), config, first.manifest, control).execute_and_collect("told again")
    assert isinstance(results, CloseableIterator)
    with results:
        sent = [sent_of(row) for row in results]
    states = sorted(line["state"] for line in audit(sent) if line["type"] == "model_ack")
    assert states == ["live"] * WORKERS + [state] * WORKERS
    written = [ModelRecord.model_validate_json(each.value) for each in sent if each.topic == CONTROL_TOPIC]
    assert written == ([newer.restated(late.request)] if writes else [])
