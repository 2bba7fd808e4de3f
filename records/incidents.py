"""The incident event `io.faultline.incident.v1`: what the job tells about one incident, revision by revision.

Owns the event's fields; cloudevents.py wraps it. Imports pydantic only. Numbers that are not finite become
null: a NaN never leaves the process.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from records.matches import Severity
from records.samples import Name, TimeMs
from records.signals import Signal
from records.validation import Record

ENDED: Final = frozenset({"resolved", "retracted"})
"""Statuses of an event after which nothing is wrong any more."""
EVENT_TYPE: Final = "io.faultline.incident.v1"


def _finite_or_none(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Number = Annotated[float | None, BeforeValidator(_finite_or_none)]
"""A number, or null where there is none or it is not finite."""


class Evidence(Record):
    """One reason for a candidate.

    `kind` (deviation, match, silence, path, model, ...) and a sentence, with its figures.

    `value` and `baseline` are in `unit`; `z` is robust, without unit; `time` in ms.
    """

    kind: Name
    text: str
    signal: Signal | None = None
    metric: str | None = None
    peer: str | None = None
    value: Number = None
    baseline: Number = None
    z: Number = None
    unit: str | None = None
    time: TimeMs | None = None


class RootCause(Record):
    """A candidate, `rank` from 1.

    `score` in 0..1, null where the score was not finite: such a one ranks last.
    """

    rank: Annotated[int, Field(ge=1)]
    node: Name
    signal: Signal | None = None
    score: Number = None
    evidence: list[Evidence] = Field(default_factory=list)


class PathEdge(Record):
    """An edge that explains how the cause reached others: `source` calls or depends on `target`.

    `weight` in 0..1.
    """

    source: Name
    target: Name
    weight: Number = None


class TriggerSample(Record):
    """A sample that made a trigger's match; `value` in `unit`."""

    time: TimeMs
    value: Number = None
    z: Number = None
    metric: str | None = None
    signal: Signal | None = None
    unit: str | None = None
    peer: str | None = None


class Trigger(Record):
    """A match that opened or fed the incident: pattern id and version, where and when, and its samples."""

    pattern: Name
    version: int
    node: Name
    peer: str | None = None
    signal: Signal | None = None
    severity: Severity = "warning"
    kind: Literal["match", "timeout"] = "match"
    time: TimeMs
    samples: list[TriggerSample] = Field(default_factory=list)


class Action(Record):
    """A step of the action plan: `kind` runbook, check, ...; `url` where there is a page for it."""

    step: Annotated[int, Field(ge=1)]
    kind: Name
    target: Name
    title: str
    url: str | None = None
    automated: bool = False


class ModelRef(Record):
    """The bundle that scored: name, version, sha256 of model.onnx, and the provider that ran it."""

    name: Name
    version: Name
    sha256: str
    provider: str


class IncidentEvent(Record):
    """One revision of one incident; `id` is `<incident_id>:<revision>`, the same at every replay.

    `onset`: first anomalous sample, `detected_at`: first trigger ready, `time`: event time of this revision,
    all ms. `latency_ms`: event time from the trigger that asked for this revision to this revision. `method`
    says who ranked, `reason` why it was the fallback (null for the model). `anomaly_probability`: that
    anything is wrong in the graph, by the model; null for the fallback. `resolution` says why an incident
    ended: its signals were back, its graph's data stopped, or somebody judged it false, for which it is
    `retracted`: the last word on it, whose id is `<incident_id>:retracted`, whichever its revision.
    `truncated` names the parts that were shortened to fit.
    """

    graph: Name
    incident_id: Name
    revision: Annotated[int, Field(ge=1)]
    status: Literal["opened", "updated", "resolved", "retracted"]
    onset: TimeMs
    detected_at: TimeMs
    time: TimeMs
    method: Literal["model", "fallback"]
    reason: str | None = None
    resolution: Literal["signals_back", "data_stopped", "judged_false"] | None = None
    confidence_score: Number = None
    anomaly_probability: Number = None
    root_causes: list[RootCause] = Field(default_factory=list)
    path: list[PathEdge] = Field(default_factory=list)
    blast_radius: list[str] = Field(default_factory=list)
    triggers: list[Trigger] = Field(default_factory=list)
    action_plan: list[Action] = Field(default_factory=list)
    qos: Literal["P0", "P1", "P2"] = "P1"
    model: ModelRef | None = None
    input_hash: str | None = None
    trace_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    causation_id: str | None = None
    topology_version: int = 0
    latency_ms: Number = None
    truncated: list[str] = Field(default_factory=list)

    @property
    def order(self) -> tuple[bool, int]:
        """Of two events of an incident the one with the larger order is the later word."""
        return self.status == "retracted", self.revision

    @property
    def id(self) -> str:
        """The event's id, the same at every replay."""
        return f"{self.incident_id}:{'retracted' if self.status == 'retracted' else self.revision}"
