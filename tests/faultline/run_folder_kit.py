"""A small fixed run of one incident, written with the project's own writers: cart's cpu slows checkout and
frontend.

Times are minutes from T0; the fault runs from minute 60 to 70, the incident opens at minute 62.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson

from faultline.run_folder import RunInput, RunMeta, write_meta
from records.frames import FrameRow, write_frame_file
from records.incidents import (
    Action,
    Evidence,
    IncidentEvent,
    ModelRef,
    PathEdge,
    RootCause,
    Trigger,
    TriggerSample,
)
from records.matches import Match, MatchSample, MatchSeries, MatchStep
from records.recordings import Recording, RecordingMeta, write_recording
from records.samples import Edge, Fault, Sample
from records.signals import SIGNAL_INDEX, Signal

T0 = 1_767_225_600_000
MINUTE = 60_000
EDGES = (
    ("frontend", "ad"),
    ("frontend", "cart"),
    ("frontend", "catalog"),
    ("frontend", "checkout"),
    ("frontend", "currency"),
    ("frontend", "recommendation"),
    ("recommendation", "catalog"),
    ("checkout", "cart"),
    ("checkout", "currency"),
    ("checkout", "email"),
    ("checkout", "payment"),
    ("checkout", "shipping"),
    ("cart", "redis"),
)
NODES = tuple(sorted({node for edge in EDGES for node in edge}))
MINUTES = 90


def at(minute: float) -> int:
    """Event time of a minute of the run, ms."""
    return T0 + int(minute * MINUTE)


def recording(path: Path, graph: str = "shop") -> Recording:
    """The recording of the run: cpu and latency of each node, traffic of the frontend as a counter."""
    meta = RecordingMeta(name="cart-cpu", graph=graph, interval=MINUTE, start=T0, end=at(MINUTES - 1))
    edges = [Edge(graph=graph, source=a, target=b, time=T0, ttl=86_400_000) for a, b in EDGES]
    fault = Fault(graph=graph, node="cart", signal="cpu", start=at(60), end=at(70), kind="cpu_contention")
    return write_recording(path, meta, samples(graph), edges, [fault])


def samples(graph: str) -> Iterator[Sample]:
    """All samples, in time order."""
    for minute in range(MINUTES):
        for index, node in enumerate(NODES):
            if node == "redis" or (node == "ad" and 58 <= minute <= 75):
                continue
            wave = math.sin(minute / 3.1 + index) + 0.4 * math.sin(minute * 1.7 + 2 * index)
            faulty = 60 <= minute <= 70
            cpu = 30 + index + 2 * wave + (58 if faulty and node == "cart" else 0)
            late = {"cart": 0.31, "checkout": 0.24, "frontend": 0.2}.get(node, 0.0) if faulty else 0.0
            yield _sample(graph, node, "cpu_usage", cpu, minute, "cpu", "%")
            yield _sample(
                graph, node, "request_latency_p95", 0.05 + 0.004 * wave + late, minute, "latency", "s"
            )
            yield _sample(graph, node, "memory_usage", (210 + wave) * 1e6, minute, "memory", "By")
        total = minute * 6000.0
        yield Sample(
            graph=graph,
            node="frontend",
            metric="requests_total",
            value=total,
            time=at(minute),
            kind="counter",
        )


def _sample(graph: str, node: str, metric: str, value: float, minute: int, signal: str, unit: str) -> Sample:
    fields = {"graph": graph, "node": node, "metric": metric, "value": round(value, 6), "time": at(minute)}
    return Sample.model_validate({**fields, "signal": signal, "unit": unit})


def frame_rows(graph: str = "shop") -> Iterator[FrameRow]:
    """The frame rows around the incident: cart, checkout and frontend anomalous, ad silent, redis never
    seen.
    """
    edges = np.array([(NODES.index(a), NODES.index(b)) for a, b in EDGES], np.int32)
    presence = np.array([0 if node == "redis" else 2 if node == "ad" else 1 for node in NODES], np.uint8)
    age = np.array([-1 if node == "redis" else 3 if node == "ad" else 0 for node in NODES], np.int32)
    strong = {
        "cart": ("cpu", 29.0),
        "checkout": ("latency", 17.0),
        "frontend": ("latency", 9.5),
        "email": ("cpu", 3.0),
    }
    for minute in range(55, 72):
        frames = np.zeros((len(NODES), 11, 7), np.float32)
        for node, (signal, z) in strong.items():
            frames[NODES.index(node), SIGNAL_INDEX[signal], 0] = z if minute > 60 else 0.5
        yield FrameRow(
            graph=graph,
            tick_ms=MINUTE,
            time=at(minute),
            topology_version=4,
            nodes=NODES,
            presence=presence,
            age=age,
            edges=edges,
            frames=frames,
            edge_frames=np.zeros((len(EDGES), 5, 3), np.float32),
        )


def event(revision: int = 1, **changes: object) -> IncidentEvent:
    """A revision of the incident: opened at minute 62, updated at 65, resolved at 78."""
    status, minute = {1: ("opened", 62), 2: ("updated", 65), 3: ("resolved", 78)}[revision]
    fields: dict[str, object] = {
        "graph": "shop",
        "incident_id": "inc-7c1f0e2b",
        "revision": revision,
        "status": status,
        "onset": at(60),
        "detected_at": at(62),
        "time": at(minute),
        "method": "model",
        "confidence_score": 0.87,
        "root_causes": [] if revision == 3 else _causes(),
        "path": [
            PathEdge(source="checkout", target="cart", weight=0.81),
            PathEdge(source="frontend", target="checkout", weight=0.44),
        ],
        "blast_radius": ["checkout", "frontend"],
        "triggers": _triggers(),
        "action_plan": [
            Action(
                step=1,
                kind="runbook",
                target="cart",
                title="Check what takes the CPU of cart",
                url="https://runbooks.example/cpu",
            )
        ],
        "qos": "P0",
        "model": ModelRef(name="tgnn", version="1", sha256="2d71" * 16, provider="CPUExecutionProvider"),
        "input_hash": "320c" * 16,
        "trace_id": "5b8efff798038103d269b633813fc60c",
        "topology_version": 4,
        "latency_ms": 0.0,
    }
    return IncidentEvent.model_validate({**fields, **changes})


def _causes() -> list[RootCause]:
    evidence = [
        Evidence(
            kind="deviation",
            text="cpu of cart rose to 97.4 %, 29 robust deviations above its baseline.",
            signal="cpu",
            metric="cpu_usage",
            value=97.4,
            baseline=31.2,
            z=29.0,
            unit="%",
            time=at(61),
        ),
        Evidence(
            kind="match", text="Pattern cpu-peak-after-start matched on cpu_usage.", signal="cpu", time=at(61)
        ),
        Evidence(kind="path", text="checkout and frontend call cart and slowed down after it."),
    ]
    slower = [
        Evidence(kind="deviation", text="latency of checkout rose to 290 ms.", value=0.29, unit="s", z=17.0)
    ]
    scores: tuple[tuple[str, Signal, float, list[Evidence]], ...] = (
        ("cart", "cpu", 0.87, evidence),
        ("checkout", "latency", 0.07, slower),
        ("frontend", "latency", 0.03, []),
    )
    return [
        RootCause(rank=rank, node=node, signal=signal, score=score, evidence=why)
        for rank, (node, signal, score, why) in enumerate(scores, start=1)
    ]


def _triggers() -> list[Trigger]:
    sample = TriggerSample(time=at(61), value=97.4, z=29.0, metric="cpu_usage", signal="cpu", unit="%")
    cpu = Trigger(
        pattern="cpu-deviation", version=1, node="cart", signal="cpu", time=at(62), samples=[sample]
    )
    slow = TriggerSample(
        time=at(61), value=0.29, z=17.0, metric="request_latency_p95", signal="latency", unit="s"
    )
    return [
        cpu,
        Trigger(
            pattern="latency-deviation",
            version=2,
            node="checkout",
            signal="latency",
            time=at(62),
            samples=[slow],
        ),
    ]


def matches() -> list[Match]:
    """The matches that opened the incident."""
    return [
        _match("cpu-deviation", "cart", "cpu_usage", "cpu", "%", [(60, 95.1, 27.0), (61, 97.4, 29.0)], 31.2),
        _match(
            "latency-deviation", "checkout", "request_latency_p95", "latency", "s", [(61, 0.29, 17.0)], 0.05
        ),
    ]


def _match(
    pattern: str,
    node: str,
    metric: str,
    signal: str,
    unit: str,
    seen: list[tuple[int, float, float]],
    base: float,
) -> Match:
    series = MatchSeries.model_validate({"metric": metric, "signal": signal, "unit": unit})
    taken = [
        MatchSample(time=at(minute), value=value, z=z, unit=unit, baseline=base) for minute, value, z in seen
    ]
    return Match(
        graph="shop",
        node=node,
        series=series,
        pattern=pattern,
        version=1,
        key="series",
        severity="critical",
        kind="match",
        time=at(62),
        start=taken[0].time,
        end=taken[-1].time,
        steps=[MatchStep(name="high", samples=taken)],
    )


def run_folder(path: Path, events: list[IncidentEvent] | None = None) -> Path:
    """The run's folder, as the job leaves it, with its recording beside it."""
    path.mkdir(parents=True, exist_ok=True)
    made = recording(path.parent / "recording")
    told = [event(1), event(2), event(3)] if events is None else events
    (path / "incidents.ndjson").write_bytes(_lines([each.model_dump() for each in told]))
    (path / "matches.ndjson").write_bytes(_lines([each.model_dump() for each in matches()]))
    (path / "frames").mkdir(exist_ok=True)
    write_frame_file(path / "frames" / "frames.bin", frame_rows())
    counts = {"samples": sum(1 for _ in made.samples()), "edges": len(EDGES)}
    inputs = [RunInput(path=str(made.path), graph="shop")]
    write_meta(path, RunMeta(version="0.1.0", inputs=inputs, counts=counts, seconds=12.3))
    return path


def _lines(values: list[dict[str, object]]) -> bytes:
    return b"".join(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE) for value in values)
