"""The part `score` of the job's configuration: how snapshots are scored. Imports pydantic and records."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from jobs.durations import PositiveDuration
from records.validation import Record

Count = Annotated[int, Field(gt=0)]
CALL_TIMEOUT_MS: Final = 62
"""Longest time of the model for a snapshot, where nothing else is said and the sources are live."""


class BreakerConfig(Record):
    """When the fallback ranks instead of the model for a while: see jobs.breaker.

    `enabled`: unset, for live sources only, since a replay's answers must not depend on how busy the machine
    is.
    """

    enabled: bool | None = None
    slow_ms: Count = 200
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.85
    share: Annotated[float, Field(gt=0, le=1)] = 0.8
    window: Count = 20
    pause: PositiveDuration = 10_000


class RollbackConfig(Record):
    """When a bundle that was published is taken back by the job itself: see jobs.trial.

    `errors`: the share of the last `window` answers that are errors, late, or over `score.breaker.slow_ms`;
    `disagreement`: the share of the last `window` comparisons with another first cause. `answers`: so many
    good ones in a row and a bundle is trusted.
    """

    enabled: bool = True
    window: Count = 20
    errors: Annotated[float, Field(gt=0, le=1)] = 0.25
    disagreement: Annotated[float, Field(gt=0, le=1)] = 0.6
    answers: Count = 1_000


class LargeConfig(Record):
    """Graphs of more than `nodes` nodes are scored apart, so that none waits for them: see jobs.large_lane.

    `waiting`: answers per worker that are waited for at once there; what comes beyond, the fallback ranks.
    """

    nodes: Count = 1_000
    waiting: Count = 8


class ScoreConfig(Record):
    """How snapshots are scored.

    `timeout_ms`: longest wait for one answer before the fallback ranks; unset, 1,000 ms for live sources and
    60,000 ms where all sources end, since a replay's answers must not depend on how busy the machine is.
    `batch_ms`: within it snapshots that arrive together are collected and scored. `capacity`: snapshots in
    flight per worker. `call_timeout_ms`: the longest that the model may take for one snapshot of a graph of
    up to `large.nodes` nodes, in proportion longer for a larger one; unset, 62 ms for live sources and no
    bound where all sources end.
    """

    timeout_ms: Count | None = None
    call_timeout_ms: Count | None = None
    large: LargeConfig = Field(default_factory=LargeConfig)
    batch_ms: Count = 87
    capacity: Count = 100
    provider: Literal["cpu", "gpu"] = "cpu"
    breaker: BreakerConfig = Field(default_factory=BreakerConfig)
    rollback: RollbackConfig = Field(default_factory=RollbackConfig)
