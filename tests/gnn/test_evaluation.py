"""Which windows are asked about, what an evaluation makes of the answers, and when one bundle is worse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gnn.baselines import Window
from gnn.cases import Case
from gnn.evaluation.asking import first_causes, judge_all, missing
from gnn.evaluation.contenders import MODEL, SHUFFLED, TREES, Answer, contenders
from gnn.evaluation.metrics import BINS, LEAST, difference, hits, interval, trust
from gnn.evaluation.questions import TICKS, Asked, Source, ask, gather
from gnn.evaluation.study import groups_of
from gnn.evaluation.trees import Trees, columns, labelled
from gnn.examples import Example, pack
from gnn.rewire import without_edges
from gnn.simulator.families import FAMILIES, systems_of
from gnn.simulator.faults import Fault as Fault_
from gnn.simulator.pollution import polluted
from gnn.simulator.series import Series
from gnn.simulator.system import Simulation
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.encoding import encode
from onnx_models.scorer import Scorer
from onnx_models.snapshot import Snapshot
from records.frames import FrameRow
from records.samples import Fault
from records.signals import SIGNALS
from tests.onnx_models.builders import START, TICK_MS, deviating, quiet_row, random_snapshot, with_cell

SHOWS = 20


def window(snapshot: Snapshot) -> Window:
    """Three nodes with a cpu series each; redis' jumps during."""
    before = np.random.default_rng(0).normal(10, 1, (60, 3))
    during = before[:3] + np.array([0.0, 0.0, 40.0])
    return Window(before, during, before[-10:], np.arange(3), np.array(["cpu"] * 3))


def rows(shows: int | None = SHOWS) -> list[FrameRow]:
    """Forty ticks; redis' cpu deviates from tick ``shows`` on, for six ticks."""
    made = [quiet_row(tick) for tick in range(40)]
    if shows is not None:
        made[shows : shows + 6] = [with_cell(row, 2, "cpu", 30.0, 1.0) for row in made[shows : shows + 6]]
    return made


def fault(start: int = SHOWS - 2, node: str = "redis") -> Fault:
    return Fault(
        graph="shop",
        node=node,
        signal="cpu",
        start=START + start * TICK_MS - TICK_MS,
        end=START + (start + 8) * TICK_MS,
        kind="cpu_hog",
    )


def source(frames: list[FrameRow], *faults: Fault) -> Source:
    return Source("shop", "shop-1", frames, faults, window)


def asked(*faults: Fault) -> tuple[Asked, ...]:
    return gather([source(rows(), *(faults or (fault(),)))]).asked


def test_a_fault_is_asked_about_one_tick_after_it_shows_and_some_seconds_after() -> None:
    one = ask(source(rows()), fault())
    assert one is not None
    assert one.main.shows == START + SHOWS * TICK_MS
    assert one.main.snapshot.time == START + (SHOWS + 1) * TICK_MS
    after = {s: (asked.snapshot.time - one.main.shows) // TICK_MS for s, asked in one.late.items()}
    assert after == {0: 0, 60: 1, 120: 2}
    assert [(one.ticks[n].snapshot.time - one.main.shows) // TICK_MS for n in TICKS] == [0, 1, 2, 3]
    assert one.main.snapshot.nodes[one.main.truth] == "redis"


def test_a_fault_is_traced_once_its_own_node_is_over_a_threshold() -> None:
    made = rows()
    made[SHOWS] = with_cell(quiet_row(SHOWS), 0, "cpu", 30.0, 1.0)
    one = ask(source(made), fault())
    assert one is not None
    assert {tick: each.traced for tick, each in one.ticks.items()} == {0: False, 1: True, 2: True, 3: True}
    (judged,) = judge_all([one], contenders(Scorer(load_bundle(default_bundle())), None))
    assert judged.traced == {1, 2, 3}


def test_a_fault_that_never_shows_is_asked_about_at_the_middle_without_alarms() -> None:
    one = ask(source(rows(None)), fault())
    assert one is not None
    assert one.main.shows is None
    assert one.late == one.ticks == {}
    assert fault().start < one.main.snapshot.time < fault().end
    assert not one.main.snapshot.node_static[:, 0].any()


def test_faults_at_nodes_that_nothing_knows_are_counted_and_left_out() -> None:
    found = gather([source(rows(), fault(), fault(node="ghost"))])
    assert len(found.asked) == 1
    assert found.unseen == {"shop": 1}


def test_hits_count_pairs_and_ties() -> None:
    pairs = np.zeros((2, len(SIGNALS)))
    pairs[1, 3] = 2.0
    assert hits(pairs, len(SIGNALS) + 3).tolist() == [1.0] * 5
    assert hits(pairs, 0)[0] == 0.0
    assert hits([1.0, 1.0], 0).tolist() == [0.5, 1.0, 1.0, 1.0, 1.0]


def test_worse_beyond_noise_needs_faults_and_a_clear_difference() -> None:
    good, bad = np.ones((20, 5)), np.ones((20, 5))
    bad[:10] = 0.0
    assert difference(bad, good).worse
    assert not difference(good, bad).worse
    assert not difference(good, good).worse
    assert not difference(bad[: LEAST - 1], good[: LEAST - 1]).worse
    one_lost = good.copy()
    one_lost[0] = 0.0
    assert not difference(one_lost, good).worse


def test_an_interval_holds_its_mean_and_narrows_with_faults() -> None:
    few, many = interval(np.array([0.0, 1.0] * 5)), interval(np.array([0.0, 1.0] * 500))
    assert few.low < few.mean == many.mean == 0.5 < few.high
    assert many.high - many.low < (few.high - few.low) / 5
    assert np.isnan(interval(np.zeros(0)).mean)


def test_calibration_tells_the_gap_of_each_tenth() -> None:
    told = trust([0.95] * 10 + [0.15] * 10, [1.0] * 10 + [1.0] * 10)
    assert told.error == pytest.approx(0.5 * 0.05 + 0.5 * 0.85)
    assert [one.cases for one in told.bins] == [10, 10]
    assert trust([1.0], [1.0]).bins[0].confidence == 1.0
    assert len(trust(np.linspace(0, 1, 200).tolist(), [0.0] * 200).bins) == BINS


def test_every_contender_answers_and_the_spoilt_graph_is_spoilt_alike_each_time() -> None:
    scorer = Scorer(load_bundle(default_bundle()))
    (one,) = asked()
    found = contenders(scorer, None, scorer)
    assert TREES not in found
    for name, contender in found.items():
        answer = contender(one.main.case)
        assert answer.node.shape == (3,), name
        assert answer.pair is None or answer.pair.shape == (3, len(SIGNALS)), name
        assert np.array_equal(answer.node, contender(one.main.case).node), name
    assert found[MODEL](one.main.case).node.argmax() == 2
    assert found["BARO's scorer"](one.main.case).node.argmax() == 2
    assert next(iter(found)) == MODEL
    assert SHUFFLED in found


def test_a_study_names_failures_with_what_was_told_instead() -> None:
    scorer = Scorer(load_bundle(default_bundle()))
    judged = judge_all(asked(fault(), fault(node="cart")), contenders(scorer, None))
    (group,) = groups_of(judged, {"shop": 0}, None)
    (wrong,) = group.failures
    assert (wrong.node, wrong.told[0].node, wrong.told[0].signal) == ("cart", "redis", "cpu")
    assert wrong.rank >= 2
    assert group.rows[0].node.ac1.mean == 0.5
    assert group.rows[0].pair is not None
    assert {one.by for one in group.slices} == {
        "kind",
        "size",
        "missing",
        "shows",
        "ticks",
        "traced",
        "delay",
    }
    assert [one.value for one in group.slices if one.by == "delay"] == ["0 s", "60 s", "120 s"]
    assert group.best.other not in (MODEL, SHUFFLED)


def test_a_bundle_that_answers_the_other_way_round_is_worse_and_not_the_other_way() -> None:
    scorer = Scorer(load_bundle(default_bundle()))
    good = contenders(scorer, None)

    def upside_down(case: Case) -> Answer:
        answer = good[MODEL](case)
        return replace(answer, node=-answer.node)

    faults = [fault() for _ in range(LEAST)]
    bad = judge_all(asked(*faults), {**good, MODEL: upside_down, "old-1": good[MODEL]})
    (group,) = groups_of(bad, {}, "old-1")
    assert group.against is not None
    assert group.against.difference.worse
    (better,) = groups_of(
        judge_all(asked(*faults), {**good, MODEL: good[MODEL], "old-1": upside_down}), {}, "old-1"
    )
    assert better.against is not None
    assert not better.against.difference.worse


def test_first_causes_come_with_their_signal() -> None:
    (one,) = judge_all(asked(), contenders(Scorer(load_bundle(default_bundle())), None))
    first = first_causes(one)
    assert (first[0].node, first[0].signal) == ("redis", "cpu")
    assert [each.score for each in first] == sorted((each.score for each in first), reverse=True)


def test_missing_counts_what_the_graph_has_at_all() -> None:
    assert missing(encode([quiet_row(tick) for tick in range(10)])) == 0.0
    one = encode([quiet_row(tick) for tick in range(10)])
    present = one.present.copy()
    present[0, 0] = 0.0
    assert missing(replace(one, present=present)) == pytest.approx(1 / 12)
    assert missing(replace(one, present=np.zeros_like(one.present))) == 1.0


def test_trees_see_no_edges() -> None:
    snapshot = random_snapshot(1, 12, 30)
    bare = without_edges(snapshot)
    seen, unseen = (columns(one.x, one.static, one.node_static) for one in (snapshot, bare))
    assert np.array_equal(seen, unseen)


def test_trees_find_the_node_that_deviates() -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    examples = []
    for number in range(60):
        snapshot = deviating(number % 3, "cpu", 20.0 + number, 1.0)
        examples.append(Example(snapshot, number % 3, 0, 0, np.zeros(2, bool), number, 0))
    seen, truth = labelled(pack(examples))
    assert truth.sum() == 60
    with threadpool_limits(1):
        trees = Trees(HistGradientBoostingClassifier(min_samples_leaf=5).fit(seen, truth), 60, len(truth))
    assert trees.score(deviating(1, "cpu", 33.5, 1.0)).argmax() == 1


def test_families_differ_from_training_as_they_say() -> None:
    large = next(systems_of("large", 10, 1))
    assert 120 <= len(set(large.names)) <= 700
    assert large.graph.startswith("large-9")
    for name in ("network-side-known", "network-side-unknown"):
        one = next(systems_of(name, 10, 3))
        assert {each.kind for each in one.faults} <= {"network_delay"}
        assert not any(each.peer is not None for each in one.series)
    sides = {each.side for each in next(systems_of("network-side-unknown", 10, 3)).series}
    assert sides <= {None}
    again = next(systems_of("deep", 10, 1)), next(systems_of("deep", 10, 1))
    assert np.array_equal(again[0].matrix, again[1].matrix, equal_nan=True)
    on_calls = next(systems_of("network-on-calls", 10, 3))
    assert {each.side for each in on_calls.series if each.peer is not None} == {"client", "server"}
    assert len(FAMILIES) == 9


def test_a_polluted_baseline_shows_the_fault_in_a_fifth_of_its_ticks_and_in_nothing_else() -> None:
    pairs = list(zip(systems_of("one-fault", 8, 1), systems_of("polluted", 8, 1), strict=True))
    assert len(pairs) == 16
    shown = 0
    for clean, dirty in pairs:
        assert clean.graph.rpartition("-")[2] == dirty.graph.rpartition("-")[2]
        if not clean.faults:
            assert np.array_equal(clean.matrix, dirty.matrix, equal_nan=True)
            continue
        start, gauges = clean.faults[0].start, [one.kind == "gauge" for one in clean.series]
        assert np.array_equal(
            clean.matrix[start - 10 :, gauges], dirty.matrix[start - 10 :, gauges], equal_nan=True
        )
        same = (clean.matrix == dirty.matrix) | (np.isnan(clean.matrix) & np.isnan(dirty.matrix))
        changed = (~same[: max(0, start - 10), gauges]).any(1).sum()
        assert changed <= round(0.2 * max(0, start - 10))
        shown += int(changed)
    assert shown > 50


def test_counters_of_a_polluted_baseline_never_fall() -> None:
    counter = np.array([1.0, 2.0, 3.0, 4.0, 104.0, 204.0])
    series = [Series(0, "requests_total", "traffic", kind="counter")]
    fault = Fault_(0, "cpu_hog", 14, 16, 1.0)
    matrix = np.concatenate([np.arange(10.0), 10 + counter])[:, None]
    one = Simulation("shop", ("a",), series, matrix, [], [fault], 60_000)
    found = polluted(np.random.default_rng(0), one, 0.5).matrix[:, 0]
    grown = np.diff(found)
    assert sorted(grown[:3].tolist()) == [1.0, 1.0, 100.0]
    assert found[-1] - found[-2] == 100.0
    assert (grown >= 0).all()


def test_the_same_faults_of_two_sets_are_compared_in_pairs() -> None:
    scorer = Scorer(load_bundle(default_bundle()))
    good = contenders(scorer, None)
    (one,) = asked()

    def named_as(group: str, source: str) -> Asked:
        return replace(one, main=replace(one.main, group=group, source=source))

    clean = judge_all([named_as("one-fault", "one-fault-7")], good)
    dirty = judge_all(
        [named_as("polluted", "polluted-7"), named_as("polluted", "polluted-8")],
        {**good, MODEL: lambda case: Answer(np.array([3.0, 2.0, 1.0]), np.ones((3, 11)), 0.5)},
    )
    groups = {group.name: group for group in groups_of([*clean, *dirty], {}, None)}
    told = groups["polluted"].twin
    assert groups["one-fault"].twin is None
    assert told is not None
    assert (told.other, told.difference.cases, told.difference.ac1.mean) == ("one-fault", 1, -1.0)


def test_the_package_is_free_of_torch(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = "import sys, gnn.evaluation.run; sys.exit('torch' in sys.modules or 'sklearn' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], timeout=300, check=False
    )
    assert done.returncode == 0
