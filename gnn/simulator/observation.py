"""From what happens to what is measured: the series of nodes and of edges, with the gaps and lies of real
monitoring."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from gnn.simulator.noise import F64, chance
from gnn.simulator.scene import Scene
from gnn.simulator.series import METRICS, Series, cumulative, idle, measure, measured, shares
from gnn.simulator.style import Style
from records.signals import SIGNALS, Signal

Kind = Literal["gauge", "counter"]
Side = Literal["server", "client"]

_COPIED = ("cpu", "memory", "disk", "network", "latency", "other")
_AT_ENDPOINTS = ("latency", "errors", "traffic", "availability")
_AT_HOSTS = ("cpu", "memory", "disk", "network", "saturation")
_LEVELS = ("cpu", "memory", "disk", "network", "latency", "traffic", "other")


def observe(
    rng: np.random.Generator, scene: Scene, style: Style, tick_s: float
) -> tuple[list[Series], F64, npt.NDArray[np.bool_]]:
    """Return the series, their values [R,S] (NaN: no sample), and which nodes have own series."""
    series: list[Series] = []
    columns: list[F64] = []
    hidden = rng.random(scene.count) < style.unobserved
    deploys = _deploys(rng, style, *scene.requests.shape)
    seam = int(rng.integers(0, scene.requests.shape[1]))
    steady = _memory_drift(rng, scene)
    for node in range(scene.count):
        if hidden[node]:
            continue
        for signal in _signals_at(rng, scene, style, node):
            truth, unit, kind = _truth(
                rng, scene, style, node, signal, steady[min(node, len(steady) - 1)], tick_s
            )
            side = style.side if signal == "latency" else None
            since = measured(style.idle, scene.requests[node]) if signal == "latency" else None
            copies = 1 + (int(rng.binomial(2, style.copies)) if signal in _COPIED else 0)
            hit = int(rng.integers(0, copies))
            for copy in range(copies):
                each = truth if copy == hit else _spared(rng, truth, scene.elsewhere[node])
                factor = 1 + 0.6 * copy if signal == "latency" and not style.replicas else 1.0
                value = measure(rng, style, signal, each * factor, 0 if style.replicas else copy, since)
                value *= deploys[node] if signal in _COPIED else 1.0
                if signal in _LEVELS and style.seam:
                    value[seam:] *= np.exp(rng.normal(0, style.seam))
                value[scene.silent[node]] = np.nan
                labels = {"part": str(copy)} if copy else {}
                series.append(Series(node, METRICS[signal], signal, unit, kind, None, side, labels))
                columns.append(cumulative(value, tick_s) if kind == "counter" else value)
    for one, value in _edge_series(rng, scene, style, tick_s):
        series.append(one)
        columns.append(value)
    own = np.zeros(scene.count, bool)
    own[[one.node for one in series if one.peer is None]] = True
    matrix = np.stack(columns, 1) if columns else np.zeros((scene.requests.shape[1], 0))
    return series, matrix, own


def _spared(rng: np.random.Generator, truth: F64, elsewhere: npt.NDArray[np.bool_]) -> F64:
    """Return what a replica shows that a partial fault does not hit: usual values in the ticks of the
    fault."""
    usual = np.flatnonzero(~elsewhere)
    if not elsewhere.any() or not usual.size:
        return truth
    spared = truth.copy()
    spared[elsewhere] = truth[rng.choice(usual, int(elsewhere.sum()))]
    return spared


def _deploys(rng: np.random.Generator, style: Style, nodes: int, ticks: int) -> F64:
    """Lasting level shifts [N,R] of all series of a node: a new release, no fault."""
    level = np.ones((nodes, ticks))
    for _ in range(rng.poisson(style.deploys * ticks / 150)):
        level[int(rng.integers(0, nodes)), int(rng.integers(0, ticks)) :] *= np.exp(rng.normal(0, 0.3))
    return level


def _memory_drift(rng: np.random.Generator, scene: Scene) -> F64:
    shape = (scene.topology.count + scene.hosts, scene.requests.shape[1])
    step = float(rng.choice([0.0, 0.0005, 0.002]))
    return np.asarray(np.exp(np.cumsum(step * rng.standard_normal(shape), 1)))


def _signals_at(rng: np.random.Generator, scene: Scene, style: Style, node: int) -> list[Signal]:
    """Signals of one node: the system's, less a few; alias endpoints have what a client can see."""
    found = [name for index, name in enumerate(SIGNALS) if style.signals[index]]
    if scene.is_alias(node):
        found = [name for name in found if name in _AT_ENDPOINTS]
    elif scene.is_host(node):
        found = [name for name in found if name in _AT_HOSTS] or ["cpu"]
    if not chance(rng, style.latency_nodes):
        found = [name for name in found if name != "latency"]
    return [name for name in found if not chance(rng, style.node_lacks)]


def _truth(
    rng: np.random.Generator, scene: Scene, style: Style, node: int, signal: Signal, drift: F64, tick_s: float
) -> tuple[F64, str | None, Kind]:
    """Return a signal's value [R] before measuring, its unit, and gauge or counter."""
    requests, errors = scene.requests[node], scene.errors[node]
    if signal == "latency":
        few = np.exp(0.4 * rng.standard_normal(requests.size) / np.sqrt(np.maximum(requests, 1.0)))
        value = idle(style.idle, scene.latency[node] * few, requests)
        return (value * 1e3, "ms", "gauge") if style.millis else (value, "s", "gauge")
    if signal == "traffic":
        value = idle(style.idle_traffic, requests / tick_s, requests)
        return value, "1/s" if not style.counters else "1", _counter(style)
    if signal == "availability":
        good = idle(style.idle, 1 - shares(rng, errors, requests), requests, zero=1.0)
        return (good * 100, "%", "gauge") if style.percent else (good, "1", "gauge")
    if signal == "errors":
        measured = idle(style.idle_traffic, shares(rng, errors, requests), requests)
        if style.sparse_errors:
            measured = np.where(measured > 0, measured, np.nan)
        rate = requests / tick_s
        return (measured * rate, "1", "counter") if style.counters else (measured, "1", "gauge")
    return (*_resource(rng, scene, style, node, signal, drift), "gauge")


def _counter(style: Style) -> Kind:
    return "counter" if style.counters else "gauge"


def _resource(
    rng: np.random.Generator, scene: Scene, style: Style, node: int, signal: Signal, drift: F64
) -> tuple[F64, str | None]:
    """Signals of the machine below a node, or of a host; never asked for alias endpoints."""
    world, effects = scene.world, scene.effects
    if scene.is_host(node):
        return _host(rng, scene.host_load[node - scene.topology.count], signal, drift)
    ratio = world.rate[node] / scene.topology.rate[node]
    if signal == "cpu":
        return world.utilisation[node] * 90 * 10 ** rng.uniform(-1, 0), "%"
    if signal == "memory":
        level = np.maximum(1 + effects.memory[node] + 0.03 * (np.minimum(ratio, 5) - 1), 0.1)
        return 10 ** rng.uniform(7, 9.5) * drift * level, "By"
    if signal == "disk":
        made = np.clip(1 - 0.5 * effects.dropped[node], 0, 1)
        return 10 ** rng.uniform(3, 6) * (0.3 + 0.7 * np.clip(ratio, 0, 10) * made) * (
            1 + effects.disk[node]
        ), None
    if signal == "network":
        left = np.clip(1 - 0.4 * effects.dropped[node] - effects.loss[node], 0.02, 9)
        return 10 ** rng.uniform(2, 5) * np.clip(ratio, 0, 20) * left + 10, None
    if signal == "saturation":
        over = np.maximum(world.utilisation[node] - rng.uniform(0.2, 0.8), 0) * 100
        return over + effects.saturation[node] * rng.uniform(5, 50) + world.backlog[node], None
    if signal == "restarts":
        back = (effects.down[node] > 0) & (rng.random(ratio.size) < 0.2)
        return (rng.random(ratio.size) < 0.003) + effects.restarts[node] + back, None
    return _other(rng, scene, node, ratio), None


def _host(rng: np.random.Generator, load: F64, signal: Signal, drift: F64) -> tuple[F64, str | None]:
    """Signals of a host under ``load`` [R]: cpu as it is, a queue where it is full, the rest follows a
    little."""
    if signal == "cpu":
        return load * 90, "%"
    if signal == "saturation":
        return np.asarray(50.0 * np.maximum(load - rng.uniform(0.3, 0.9), 0.0)), None
    low, high, unit = (9, 11, "By") if signal == "memory" else (3, 6, None)
    return np.asarray(10 ** rng.uniform(low, high) * drift * (0.7 + rng.uniform(0.0, 0.3) * load)), unit


def _other(rng: np.random.Generator, scene: Scene, node: int, ratio: F64) -> F64:
    """A metric nobody named: constant, or tied to waiting, load, cpu or requests in flight."""
    scale = 10 ** rng.uniform(-1, 3)
    ties = (
        np.ones_like(ratio),
        scene.world.waiting[node] + 1e-3,
        np.clip(ratio, 0.01, 20) ** 0.7,
        scene.world.utilisation[node],
        scene.world.rate[node] * scene.world.latency[node] + 0.1 * scene.world.backlog[node],
    )
    return np.asarray(scale * ties[int(rng.choice(5, p=[0.15, 0.3, 0.2, 0.15, 0.2]))])


def _edge_series(
    rng: np.random.Generator, scene: Scene, style: Style, tick_s: float
) -> list[tuple[Series, F64]]:
    """Series of edges, at the callee with the caller as peer; what the server measures ends when it is
    silent."""
    found: list[tuple[Series, F64]] = []
    clean = replace(style, shift=0.0, quirk=0.3 * style.quirk)
    for edge, (caller, callee) in enumerate(scene.topology.edges):
        if not style.edge_kinds or chance(rng, 0.5 * style.node_lacks):
            continue
        sent = scene.edge_requests[edge]
        few = np.exp(0.3 * rng.standard_normal(sent.size) / np.sqrt(np.maximum(sent, 1.0)))
        took = scene.world.latency[callee] * few
        served = idle(style.idle, took, sent)
        seen = idle(style.idle, took + scene.world.edge_delay[edge], sent)
        errors = idle(style.idle_traffic, shares(rng, scene.world.errors[callee], sent), sent)
        values: dict[str, tuple[Signal, F64, Side]] = {
            "client": ("latency", seen, "client"),
            "server": ("latency", served, "server"),
            "traffic": ("traffic", idle(style.idle_traffic, sent / tick_s, sent), "client"),
            "errors": ("errors", errors, "client"),
        }
        for kind in style.edge_kinds:
            signal, truth, side = values[kind]
            since = measured(style.idle, sent) if signal == "latency" else None
            value = measure(rng, clean, signal, truth, measured=since)
            value[scene.silent[callee if side == "server" else caller]] = np.nan
            unit = {"latency": "s", "traffic": "1/s", "errors": "1"}[signal]
            one = Series(int(callee), f"call_{signal}_{side}", signal, unit, "gauge", int(caller), side)
            found.append((one, value))
    return found
