"""Joins the Python operators: observations in, records for the sinks out. Imports pyflink.

observations -> incidents -> score -> publish -> records
      models ----^   |             ^-- verdicts
                     |-> matches, frames, unreadable rows, answers -> records
"""

from __future__ import annotations

from pyflink.common import Row, Time, Types
from pyflink.datastream import AsyncDataStream, DataStream

from jobs.config import JobConfig
from jobs.incident import Settings
from jobs.incidents import Incidents, Lives, records_tag
from jobs.jvm_config import DEFAULT_TICK_MS
from jobs.live_incidents import LiveIncidents, models_state
from jobs.models import LoadModels
from jobs.publish import Publish
from jobs.rows import observation_type, record_type
from jobs.score import ScoreRequests
from jobs.serving import ServeSettings
from onnx_models.bundle import Manifest
from records.model_control import BundleRef


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
    drafts = _drafts(requests, config, own)
    events = (
        (drafts if feedback is None else drafts.union(feedback))
        .key_by(_graph, key_type=Types.STRING())
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
    lives = Lives(settings, config.publish_frames, config.publish_matches, config.quiet)
    keyed = observations.key_by(_graph, key_type=Types.STRING())
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
        )
        requests = keyed.connect(outcomes.broadcast(models_state())).process(
            LiveIncidents(lives, config.name, own.label), output_type=observation_type()
        )
    return requests.name("incidents").uid("incidents")


def _drafts(requests: DataStream, config: JobConfig, own: BundleRef) -> DataStream:
    settings = ServeSettings(
        config.score.provider, config.score.batch_ms, config.breaker_settings, config.trial_settings
    )
    return (
        AsyncDataStream.ordered_wait(
            requests,
            ScoreRequests(own, settings, config.timeout_ms, config.writes_control),
            Time.milliseconds(config.timeout_ms),
            config.score.capacity,
            observation_type(),
        )
        .name("score")
        .uid("score")
    )


def _graph(row: Row) -> str:
    return str(row[0])
