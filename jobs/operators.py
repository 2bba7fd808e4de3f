"""Joins the Python operators: observations in, records for the sinks out. Imports pyflink.

observations -> incidents -> score --------> publish -> records
      models ----^   |   `-> score-large ----^  ^-- verdicts
                     |-> matches, frames, unreadable rows, answers -> records
"""

from __future__ import annotations

from typing import Final

from pyflink.common import Time
from pyflink.datastream import AsyncDataStream, DataStream

from jobs.config import JobConfig
from jobs.gateway import by_graph
from jobs.incident import Settings
from jobs.incidents import Incidents, Lives, large_tag, records_tag
from jobs.jvm_config import DEFAULT_TICK_MS
from jobs.large_lane import LargeLane
from jobs.live_incidents import LiveIncidents, models_state
from jobs.models import LoadModels
from jobs.publish import Publish
from jobs.rows import observation_type, record_type
from jobs.score import ScoreRequests
from jobs.serving import ServeSettings
from onnx_models.bundle import Manifest
from records.model_control import BundleRef

AT_ONCE: Final = 0
"""ms: what these operators send is little and waited for, so no buffer is filled with it first."""


def assemble(
    observations: DataStream,
    config: JobConfig,
    manifest: Manifest,
    control: DataStream | None = None,
    feedback: DataStream | None = None,
) -> DataStream:
    """The records of all topics that Python writes.

    `manifest`: of the bundle that the workers load. `control`: rows (key, value) of the control topic, None
    where the configuration's bundle serves for good. `feedback`: verdicts on incidents, if any are read.
    """
    own = BundleRef(
        name=manifest.name, version=manifest.version, sha256=manifest.sha256, path=config.model or ""
    )
    requests = _incidents(observations, config, manifest, own, control)
    drafts = _drafts(requests, config, manifest, own)
    events = (
        by_graph(drafts if feedback is None else drafts.union(feedback))
        .process(
            Publish(
                f"/faultline/{config.name}",
                config.resend,
                config.quiet,
                config.control.topic,
                config.suspected.hold_below,
            ),
            output_type=record_type(),
        )
        .name("publish")
        .uid("publish")
        .set_buffer_timeout(AT_ONCE)
    )
    return events.union(requests.get_side_output(records_tag()))


def _incidents(
    observations: DataStream,
    config: JobConfig,
    manifest: Manifest,
    own: BundleRef,
    control: DataStream | None,
) -> DataStream:
    settings = Settings(config.resolve_after, manifest.window_ticks, config.tick or DEFAULT_TICK_MS)
    lives = Lives(
        settings, config.publish_frames, config.publish_matches, config.quiet, config.score.large.nodes
    )
    keyed = by_graph(observations)
    if control is None:
        requests = keyed.process(Incidents(lives), output_type=observation_type())
    else:
        outcomes = (
            control.broadcast()
            .process(
                LoadModels(config.score.provider, config.score.breaker.slow_ms),
                output_type=observation_type(),
            )
            .name("models")
            .uid("models")
            .set_buffer_timeout(AT_ONCE)
        )
        requests = keyed.connect(outcomes.broadcast(models_state())).process(
            LiveIncidents(
                lives, config.name, own.label, config.control.topic if config.writes_control else None
            ),
            output_type=observation_type(),
        )
    return requests.name("incidents").uid("incidents").set_buffer_timeout(AT_ONCE)


def _drafts(requests: DataStream, config: JobConfig, manifest: Manifest, own: BundleRef) -> DataStream:
    """Large graphs' requests are keyed anew, so that this operator is a task of its own."""
    score, large = config.score, config.score.large
    settings = ServeSettings(
        provider=score.provider,
        batch_ms=score.batch_ms,
        breaker=config.breaker_settings,
        trial=config.trial_settings,
        call_ms=config.call_ms,
        large_nodes=large.nodes,
    )
    scored = ScoreRequests(own, settings, config.timeout_ms, config.writes_control)
    timeout = Time.milliseconds(config.timeout_ms)
    drafts = (
        AsyncDataStream.ordered_wait(requests, scored, timeout, score.capacity, observation_type())
        .name("score")
        .uid("score")
        .set_buffer_timeout(AT_ONCE)
    )
    apart = (
        by_graph(requests.get_side_output(large_tag()))
        .process(
            LargeLane(scored, large.waiting, manifest.window_ticks, config.bounded),
            output_type=observation_type(),
        )
        .name("score-large")
        .uid("score-large")
        .set_buffer_timeout(AT_ONCE)
    )
    return drafts.union(apart)
