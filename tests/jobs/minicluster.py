"""Runs the Python operators on a MiniCluster over rows made in the test, before or without the JVM half."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from pyflink.common import Configuration, Row
from pyflink.common.watermark_strategy import TimestampAssigner, WatermarkStrategy
from pyflink.datastream import DataStream, StreamExecutionEnvironment
from pyflink.datastream.data_stream import CloseableIterator

from jobs.config import JobConfig
from jobs.gateway import add_jar
from jobs.operators import assemble
from jobs.rows import FRAME, MATCH, observation_type
from onnx_models.bundle import Manifest
from records.cloudevents import read_cloudevent
from records.frames import FrameRow, write_frame_row
from records.incidents import IncidentEvent
from records.matches import Match


@dataclass(frozen=True)
class Sent:
    """A record that went to the sinks."""

    topic: str
    key: bytes
    value: bytes
    headers: dict[str, str]


class RowTime(TimestampAssigner):
    """The time in a row, ms."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return int(value[2])


def observations(events: Iterable[FrameRow | Match]) -> list[Row]:
    """Rows as the JVM sends them, in order of time; a match before the frame row of the same time."""
    rows = []
    for event in events:
        if isinstance(event, FrameRow):
            rows.append(Row(event.graph, FRAME, event.time, write_frame_row(event)))
        else:
            rows.append(Row(event.graph, MATCH, event.time, event.model_dump_json().encode()))
    return sorted(rows, key=lambda row: (row[2], row[1] == FRAME))


def configuration(model: Path, **more: Any) -> JobConfig:
    """A configuration for a run of the operators alone."""
    needed = {
        "sources": [{"type": "recordings", "paths": ["unused"]}],
        "sinks": {"files": {"dir": "unused"}},
        "model": str(model),
    }
    return JobConfig.model_validate({**needed, **more})


def environment(**options: str) -> StreamExecutionEnvironment:
    """An embedded environment with one slot; `options` with `__` for `.` and `_` for `-`."""
    settings = Configuration()
    named = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    for key, value in {
        "rest.port": "0",
        "python.executable": sys.executable,
        "python.fn-execution.bundle.time": "30",
        "restart-strategy.type": "none",
        **named,
    }.items():
        settings.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(settings)
    env.set_parallelism(1)
    add_jar(env)
    return env


def run(rows: list[Row], config: JobConfig, manifest: Manifest, verdicts: Sequence[Row] = ()) -> list[Sent]:
    """What the operators send for `rows`, and for verdicts read at any time beside them."""
    env = environment()
    judged = stream(env, list(verdicts)) if verdicts else None
    out = assemble(stream(env, rows), config, manifest, feedback=judged)
    results = out.execute_and_collect("operators")
    assert isinstance(results, CloseableIterator)
    with results:
        return [sent_of(row) for row in results]


def stream(env: StreamExecutionEnvironment, rows: list[Row]) -> DataStream:
    """The rows as an event-time stream."""
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(RowTime())
    made = env.from_collection(rows, observation_type()).assign_timestamps_and_watermarks(strategy)
    assert isinstance(made, DataStream)
    return made


def sent_of(row: Any) -> Sent:
    """A collected row as a record."""
    topic, key, value, headers = row
    return Sent(topic, _octets(key), _octets(value), dict(headers))


def _octets(value: Any) -> bytes:
    """Bytes as they are; collected results give signed numbers."""
    return bytes(number % 256 for number in value)


def events(sent: Iterable[Sent]) -> list[IncidentEvent]:
    """The incident events among what was sent."""
    return [read_cloudevent(each.value, each.headers) for each in of(sent, "incidents")]


def of(sent: Iterable[Sent], kind: str) -> list[Sent]:
    """What was sent to the topic of a kind."""
    return [each for each in sent if each.topic == f"faultline.{kind}.v1"]


def audit(sent: Iterable[Sent]) -> list[dict[str, Any]]:
    """The lines of the audit."""
    return [orjson.loads(each.value) for each in of(sent, "audit")]
