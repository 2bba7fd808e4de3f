"""Joins the Python operators: observations in, records for the sinks out. Imports pyflink.

observations -> incidents -> score -> publish -> records    (verdicts go to publish)
                    |-> matches, frames, unreadable rows -> records
"""

from __future__ import annotations

from pyflink.common import Row, Time, Types
from pyflink.datastream import AsyncDataStream, DataStream

from jobs.config import JobConfig
from jobs.incident import Settings
from jobs.incidents import Incidents, records_tag
from jobs.jvm_config import DEFAULT_TICK_MS
from jobs.publish import Publish
from jobs.rows import observation_type, record_type
from jobs.score import ScoreRequests
from onnx_models.bundle import Manifest


def assemble(
    observations: DataStream, config: JobConfig, manifest: Manifest, feedback: DataStream | None = None
) -> DataStream:
    """The records of all topics that Python writes. `manifest`: of the bundle that the workers load.
    `feedback`: verdicts on incidents, if any are read.
    """
    settings = Settings(config.resolve_after, manifest.window_ticks, config.tick or DEFAULT_TICK_MS)
    requests = (
        observations.key_by(_graph, key_type=Types.STRING())
        .process(
            Incidents(settings, config.publish_frames, config.publish_matches, config.quiet),
            output_type=observation_type(),
        )
        .name("incidents")
        .uid("incidents")
    )
    drafts = (
        AsyncDataStream.ordered_wait(
            requests,
            ScoreRequests(
                config.model,
                manifest.sha256,
                config.score.provider,
                config.score.batch_ms,
                config.breaker_settings,
            ),
            Time.milliseconds(config.timeout_ms),
            config.score.capacity,
            observation_type(),
        )
        .name("score")
        .uid("score")
    )
    events = (
        (drafts if feedback is None else drafts.union(feedback))
        .key_by(_graph, key_type=Types.STRING())
        .process(
            Publish(f"/faultline/{config.name}", config.resend, config.quiet, config.suspected.hold_below),
            output_type=record_type(),
        )
        .name("publish")
        .uid("publish")
    )
    return events.union(requests.get_side_output(records_tag()))


def _graph(row: Row) -> str:
    return str(row[0])
