"""From a request to the draft of an event: arrays for the model, its answer in words, or the fallback's.

Pure but for the scores that are handed in. Imports records, numpy, onnx_models (no runtime) and this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from jobs.alerts import Alert, trace_id, worst
from jobs.evidence import evidence_for, matches_of, onset_of, silent_since
from jobs.explain import action_plan, blast_radius, path_to
from jobs.wire import Request
from onnx_models.encoding import encode
from onnx_models.fallback import rank_by_deviation
from onnx_models.scores import Scores
from onnx_models.snapshot import Alarm, Snapshot
from records.frames import FrameRow, read_frame_row
from records.incidents import IncidentEvent, ModelRef, RootCause
from records.matches import Severity
from records.signals import SIGNALS

MAX_CAUSES: Final = 5
_QOS: Final[dict[Severity, Literal["P0", "P1", "P2"]]] = {"critical": "P0", "warning": "P1", "info": "P2"}


@dataclass(frozen=True)
class Case:
    """A request with its rows read and encoded; `snapshot` is None where no row with a node came yet."""

    request: Request
    rows: tuple[FrameRow, ...]
    snapshot: Snapshot | None


def open_case(request: Request) -> Case:
    """Reads the rows and encodes them as the model wants them; FrameError where bytes are no frame row."""
    read = [read_frame_row(data) for data in request.rows]
    rows = tuple(row for row in read if row.tick_ms == read[-1].tick_ms)
    if not rows or not rows[-1].nodes:
        return Case(request, rows, None)
    alarms = [Alarm(alert.node, alert.signal) for alert in request.incident.alerts]
    return Case(request, rows, encode(rows, alarms))


def urgency(case: Case) -> int:
    """0 for what is to be scored first, up to 2: by the worst of its alarms."""
    return int(_QOS[worst(case.request.incident.alerts)][1])


def answered(case: Case, scores: Scores, model: ModelRef) -> IncidentEvent:
    """The draft of an event for the model's scores."""
    return _draft(case, scores, model, None)


def fallen_back(case: Case, reason: str) -> IncidentEvent:
    """The draft of an event ranked by the fallback, with the word for why it was.

    Without any row the nodes that raised the alarm are named, unscored, in order of time.
    """
    if case.snapshot is None:
        return _bare(case, reason if case.rows else "no_frames")
    return _draft(case, rank_by_deviation(case.snapshot), None, reason)


def _draft(case: Case, scores: Scores, model: ModelRef | None, reason: str | None) -> IncidentEvent:
    assert case.snapshot is not None
    row, alerts = case.rows[-1], case.request.incident.alerts
    order = [node for node in scores.ranking().tolist() if scores.node_probability[node] > 0]
    causes = [_cause(rank, case, node, scores) for rank, node in enumerate(order[:MAX_CAUSES], start=1)]
    first = causes[0]
    silent = silent_since(first.node, row) is not None
    return _event(
        case,
        causes,
        method=scores.method,
        reason=reason,
        confidence_score=round(float(scores.confidence), 4),
        anomaly_probability=None if model is None else round(float(scores.anomaly), 4),
        path=path_to(first.node, row, scores.edge_weight.tolist(), alerts),
        blast_radius=blast_radius(first.node, row, alerts),
        action_plan=action_plan(first.node, first.signal, silent, alerts),
        onset=onset_of(first.node, case.rows, alerts),
        model=model,
        input_hash=f"sha256:{case.snapshot.input_hash()}",
        topology_version=row.topology_version,
    )


def _cause(rank: int, case: Case, node: int, scores: Scores) -> RootCause:
    assert case.snapshot is not None
    name = case.snapshot.nodes[node]
    return RootCause(
        rank=rank,
        node=name,
        signal=SIGNALS[scores.signal_of(node)],
        score=round(float(scores.node_probability[node]), 4),
        evidence=evidence_for(name, case.rows, case.request.incident.alerts),
    )


def _bare(case: Case, reason: str) -> IncidentEvent:
    alerts = case.request.incident.alerts
    nodes: dict[str, Alert] = {}
    for alert in alerts:
        nodes.setdefault(alert.node, alert)
    causes = [
        RootCause(rank=rank, node=node, signal=alert.signal, evidence=matches_of(node, alerts))
        for rank, (node, alert) in enumerate(nodes.items(), start=1)
    ][:MAX_CAUSES]
    plan = action_plan(causes[0].node, causes[0].signal, False, alerts)
    onset = min(alert.start for alert in alerts)
    return _event(case, causes, method="fallback", reason=reason, action_plan=plan, onset=onset)


def _event(case: Case, causes: list[RootCause], **fields: object) -> IncidentEvent:
    """The draft with what every answer has: who, when, triggers, and the chain of causation."""
    request, incident = case.request, case.request.incident
    newest = max(incident.alerts, key=lambda alert: alert.order)
    return IncidentEvent.model_validate(
        {
            "graph": request.graph,
            "incident_id": incident.id,
            "revision": 1,
            "status": "opened",
            "detected_at": incident.detected_at,
            "time": request.time,
            "root_causes": causes,
            "triggers": [alert.trigger() for alert in incident.alerts],
            "qos": _QOS[worst(incident.alerts)],
            "trace_id": trace_id(incident.id),
            "causation_id": newest.id,
            "latency_ms": float(request.time - incident.last_match),
            **fields,
        }
    )
