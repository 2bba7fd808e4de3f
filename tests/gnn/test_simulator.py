"""The simulator: reproducible, finite, and faults that do what their kind says."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gnn.simulator import Simulation, incident_recording, simulate
from gnn.simulator.faults import KINDS, Fault, apply_faults
from gnn.simulator.propagation import World, propagate
from gnn.simulator.series import idle
from gnn.simulator.style import Idle, Style, clean_style
from gnn.simulator.system import run
from gnn.simulator.timeline import Timeline
from gnn.simulator.topology import Topology, random_topology
from records.errors import UsageError
from records.recordings import open_recording

TICKS, START, END = 80, 50, 65


def chain(**traits: object) -> Topology:
    """Entry 0 calls 1, which calls 2 and 3."""
    plain: dict[str, Any] = {
        "host": np.arange(4),
        "asynchronous": np.zeros(3, bool),
        "timeout": np.full(3, np.inf),
        "cache": np.full(3, -1),
        "miss": np.ones(3),
        "rate": np.full(4, 100.0),
        "calls": np.ones(3),
    }
    edges = np.array([[0, 1], [1, 2], [1, 3]])
    return Topology(
        edges=edges,
        delay=np.full(3, 1e-3),
        layer=np.array([0, 1, 2, 2]),
        proxy=np.zeros(4, bool),
        database=np.zeros(4, bool),
        parallel=np.zeros(4, bool),
        entry_rate=np.array([100.0, 0, 0, 0]),
        own_time=np.full(4, 0.01),
        **(plain | traits),
    )


def happen(kind: str, node: int, strength: float = 4.0, **traits: object) -> World:
    rng, system = np.random.default_rng(3), chain(**traits)
    effects = apply_faults(rng, system, [Fault(node, kind, START, END, strength)], TICKS)
    return propagate(rng, system, np.ones(TICKS), effects, heavy=False, calm=True)


def rise(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(np.median(values[START + 5 : END]) / np.median(values[:START]))


def test_slowness_climbs_to_callers_and_not_to_siblings() -> None:
    world = happen("slow_code", 2)
    assert rise(world.latency[2]) > 1.5
    assert rise(world.latency[1]) > 1.15
    assert rise(world.latency[0]) > 1.1
    assert rise(world.latency[3]) < 1.1


def test_a_network_delay_shows_on_the_edge_and_not_inside_the_callee() -> None:
    world = happen("network_delay", 2)
    assert rise(world.edge_delay[1]) > 3
    assert rise(world.latency[2]) < 1.1
    assert rise(world.latency[1]) > 1.1


def test_errors_climb_and_traffic_below_a_dead_node_is_lost() -> None:
    world = happen("outage", 1)
    assert np.median(world.errors[1][START + 5 : END]) > 0.4
    assert rise(world.edge_rate[1]) < 0.6


def test_a_quiet_cpu_fault_hurts_no_latency_below_it() -> None:
    world = happen("cpu_hog", 2, strength=1.0)
    assert rise(world.utilisation[2]) > 1.2
    assert rise(world.utilisation[3]) == pytest.approx(1.0, abs=0.1)


def test_lost_traffic_falls_at_the_node_and_below() -> None:
    world = happen("traffic_loss", 1)
    assert rise(world.rate[1]) < 0.8
    assert rise(world.rate[2]) < 0.8
    assert rise(world.rate[0]) == pytest.approx(1.0, abs=0.1)


def test_a_queue_keeps_slowness_from_its_callers_and_piles_up() -> None:
    queue = np.array([False, True, False])
    world = happen("slow_code", 2, asynchronous=queue)
    assert rise(world.latency[2]) > 1.5
    assert rise(world.latency[1]) == pytest.approx(1.0, abs=0.1)
    assert world.backlog[2, END - 1] > 5 * world.backlog[2, START - 1] + 1
    assert not world.backlog[[0, 1, 3]].any()
    assert not happen("slow_code", 2).backlog.any()


def test_a_broken_cache_floods_what_it_spared() -> None:
    spared: dict[str, Any] = {"cache": np.array([-1, -1, 2]), "miss": np.array([1.0, 1.0, 0.1])}
    assert rise(happen("outage", 2, **spared).edge_rate[2]) > 3
    assert rise(happen("outage", 2).edge_rate[2]) < 1.2


def test_a_timeout_bounds_the_waiting_and_fails_instead() -> None:
    patient, strict = happen("slow_code", 2, 8.0), happen("slow_code", 2, 8.0, timeout=np.full(3, 0.02))
    fault = slice(START + 5, END)
    assert np.median(strict.waiting[1][fault]) < 0.5 * np.median(patient.waiting[1][fault])
    assert np.median(strict.errors[1][fault]) > np.median(patient.errors[1][fault]) + 0.1


def test_a_crowded_host_slows_what_lives_on_it() -> None:
    world = happen("host_pressure", 4 + 1, host=np.array([0, 1, 1, 0]))
    assert rise(world.latency[2]) > 1.1
    assert rise(world.latency[3]) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_leaves_finite_numbers(kind: str) -> None:
    world = happen(kind, 4 if kind == "host_pressure" else 1)
    for name in ("rate", "edge_rate", "utilisation", "latency", "waiting", "errors", "edge_delay"):
        assert np.isfinite(getattr(world, name)).all(), name


def test_a_crash_ends_all_own_series_of_the_node() -> None:
    timeline = Timeline(TICKS, [Fault(2, "crash", START, END, 4.0)])
    result = run(np.random.default_rng(1), chain(), timeline, clean_style(), "g", 15_000, calm=True)
    own = [i for i, one in enumerate(result.series) if one.node == 2 and one.peer is None]
    assert own
    assert np.isnan(result.matrix[START:END, own]).all()
    assert not np.isnan(result.matrix[:START, own]).any()


def observed(style: Style, faults: list[Fault], **traits: object) -> Simulation:
    rng, timeline = np.random.default_rng(1), Timeline(TICKS, faults)
    return run(rng, chain(**traits), timeline, style, "g", 60_000, calm=True)


def columns(result: Simulation, node: int, signal: str) -> npt.NDArray[np.float64]:
    own = [i for i, s in enumerate(result.series) if (s.node, s.signal, s.peer) == (node, signal, None)]
    return result.matrix[:, own]


@pytest.mark.parametrize(("idle", "shown"), [("absent", np.nan), ("zero", 0.0)])
def test_a_node_that_is_called_now_and_then_has_no_latency_in_between(idle: Idle, shown: float) -> None:
    style = replace(clean_style(), idle=idle)
    result = observed(style, [], calls=np.array([1.0, 1e-4, 1.0]), rate=np.array([100.0, 100.0, 0.01, 100.0]))
    latency, traffic = columns(result, 2, "latency")[:, 0], columns(result, 2, "traffic")[:, 0]
    assert 0.2 < (traffic == 0).mean() < 0.8
    assert np.array_equal(latency[traffic == 0], np.full((traffic == 0).sum(), shown), equal_nan=True)
    assert (latency[traffic > 0] > 0).all()
    assert not np.isnan(columns(result, 1, "latency")).any()


def test_a_held_value_is_the_last_one() -> None:
    value, requests = np.array([5.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 4.0])
    assert np.array_equal(idle("held", value, requests), [np.nan, 1.0, 1.0, 3.0], equal_nan=True)
    assert np.array_equal(idle("absent", value, requests), [np.nan, 1.0, np.nan, 3.0], equal_nan=True)


def test_a_value_that_stands_was_measured_once() -> None:
    style = replace(clean_style(), idle="held", noise=1.0)
    result = observed(style, [], calls=np.array([1.0, 1e-4, 1.0]), rate=np.array([100.0, 100.0, 0.01, 100.0]))
    latency, traffic = columns(result, 2, "latency")[:, 0], columns(result, 2, "traffic")[:, 0]
    stands = (traffic[1:] == 0) & ~np.isnan(latency[:-1])
    assert stands.any()
    assert np.array_equal(stands, latency[1:] == latency[:-1])


def test_a_host_is_a_node_and_shows_its_fault() -> None:
    style = replace(clean_style(), hosts=True)
    result = observed(style, [Fault(4, "host_pressure", START, END, 4.0)], host=np.array([0, 0, 0, 1]))
    assert {(0, 4), (1, 4), (2, 4), (3, 5)} <= set(result.edges)
    assert rise(columns(result, 4, "cpu")[:, 0]) > 1.5
    assert rise(columns(result, 5, "cpu")[:, 0]) < 1.1
    assert not columns(result, 4, "latency").size


def test_a_partial_fault_shows_at_one_replica() -> None:
    style = replace(clean_style(), replicas=True, copies=1.0)
    rises = {}
    for partial in (True, False):
        result = observed(style, [Fault(2, "slow_code", START, END, 4.0, partial)])
        rises[partial] = [rise(column) for column in columns(result, 2, "latency").T]
    assert len(rises[True]) == 3
    assert sum(one > 1.5 for one in rises[True]) == 1
    assert sum(one > 1.5 for one in rises[False]) == 3


def test_calls_back_make_cycles() -> None:
    known = set(observed(replace(clean_style(), cycles=1.0), []).edges)
    assert {(0, 1), (1, 0), (2, 1)} <= known


def test_systems_differ_in_ticks_and_some_baselines_are_polluted() -> None:
    results = [simulate(seed, episodes=3) for seed in range(60)]
    assert len({one.tick_ms for one in results}) >= 4
    warm_ups = [one for one in results if one.decoys and one.decoys[0].end <= one.faults[0].start]
    assert 3 <= len(warm_ups) <= 30
    beside = [d for one in results for d in one.decoys for f in one.faults if d.start < f.start < d.end]
    assert beside
    assert max(decoy.strength for decoy in beside) <= 0.6


def digest(simulation: Simulation) -> str:
    text = repr((simulation.names, simulation.series, simulation.edges, simulation.faults))
    return hashlib.sha256(text.encode() + simulation.matrix.tobytes()).hexdigest()


def test_a_seed_fixes_everything() -> None:
    assert digest(simulate(5)) == digest(simulate(5))
    assert digest(simulate(5)) != digest(simulate(6))


def test_random_systems_are_sound() -> None:
    for seed in range(40):
        result = simulate(seed, episodes=4)
        count = len(result.names)
        assert len(set(result.names)) == count
        assert not np.isinf(result.matrix).any()
        assert result.matrix.shape[1] == len(result.series)
        assert all(0 <= a < count and 0 <= b < count and a != b for a, b in result.edges)
        assert all(one.peer is None or (one.peer, one.node) != (one.node, one.node) for one in result.series)
        spans = [(fault.start, fault.end) for fault in result.faults]
        assert all(end + 10 < start for (_, end), (start, _) in pairwise(spans))


def test_topologies_of_any_size() -> None:
    for nodes in (1, 2, 300):
        topology = random_topology(np.random.default_rng(nodes), nodes)
        assert topology.count == nodes
        assert (topology.edges[:, 0] < topology.edges[:, 1]).all()


def test_incident_recording_reads_back_and_shows_its_fault(tmp_path: Path) -> None:
    recording = open_recording(incident_recording(tmp_path / "one", seed=11, kind="slow_code").path)
    (fault,) = recording.faults()
    samples = list(recording.samples())
    assert recording.meta.interval == 15_000
    assert len({sample.node for sample in samples}) == 12
    assert fault.start == recording.meta.start + 180 * 15_000
    assert fault.end == fault.start + 15 * 15_000
    latency = [s for s in samples if (s.node, s.signal, s.peer) == (fault.node, "latency", None)]
    before = np.median([s.value for s in latency if s.time < fault.start])
    during = np.median([s.value for s in latency if fault.start <= s.time < fault.end])
    assert during > 1.7 * before
    assert any(sample.peer and sample.side == "client" for sample in samples)
    assert {(edge.source, edge.target) for edge in recording.edges()} >= {
        (sample.peer, sample.node) for sample in samples if sample.peer
    }


def test_incident_recording_is_the_same_bytes_for_the_same_seed(tmp_path: Path) -> None:
    files = ("recording.json", "samples.ndjson.gz", "edges.ndjson.gz", "faults.ndjson")
    paths = [incident_recording(tmp_path / name, 4, healthy_ticks=20, nodes=5).path for name in "ab"]
    for file in files:
        assert (paths[0] / file).read_bytes() == (paths[1] / file).read_bytes()


def test_a_healthy_recording_has_no_fault(tmp_path: Path) -> None:
    recording = incident_recording(tmp_path, 4, healthy_ticks=20, nodes=5, fault=False)
    assert recording.faults() == []


def test_an_unknown_kind_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cpu_hug") as caught:
        incident_recording(tmp_path, 1, kind="cpu_hug")
    assert "cpu_hog" in caught.value.mend
