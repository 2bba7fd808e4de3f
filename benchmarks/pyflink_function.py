"""The least that a PyFlink keyed function does for the same answer: parse, baseline, z, compare.

One JSON object per record, keyed by series; a running mean and variance stand for the baseline, which is
less than the job keeps. What is faster on this input was chosen: orjson, one small state, process mode, large
bundles, and a cache that holds the state of all series: with Flink's 1,000 entries each sample asks the JVM.
Arguments: bootstrap, topic, group, file that is told how many samples were processed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import orjson
from pyflink.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
from pyflink.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from pyflink.datastream.connectors.base import Sink
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.java_gateway import get_gateway

from jobs.gateway import add_jar

SHARE = 0.02
LIMIT = 8.0
TOLD_EVERY = 1_000


class Compare(KeyedProcessFunction):
    """Keeps mean and variance of a series and tells what stands out."""

    def __init__(self, progress: str) -> None:
        self._progress = progress
        self._processed = 0

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker."""
        self._file = os.open(self._progress, os.O_WRONLY | os.O_CREAT)
        kind = Types.TUPLE([Types.DOUBLE(), Types.DOUBLE()])
        self._state = runtime_context.get_state(ValueStateDescriptor("baseline", kind))

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        """One sample."""
        self._processed += 1
        if self._processed % TOLD_EVERY == 0:
            os.pwrite(self._file, f"{self._processed:012d}".encode(), 0)
        mean, variance = self._state.value() or (value[1], 0.0)
        distance = value[1] - mean
        self._state.update((mean + SHARE * distance, (1 - SHARE) * (variance + SHARE * distance * distance)))
        if variance > 0 and abs(distance) > LIMIT * variance**0.5:
            yield f"{value[0]} {distance}"


def parse(text: str) -> tuple[str, float]:
    """Series and value of a sample."""
    sample = orjson.loads(text)
    labels = ",".join(f"{name}={value}" for name, value in sorted(sample.get("labels", {}).items()))
    return f"{sample['graph']}/{sample['node']}/{sample['metric']}{{{labels}}}", sample["value"]


def main() -> None:
    """Reads the topic to its end."""
    bootstrap, topic, group, progress = sys.argv[1:]
    options = Configuration()
    settings = {
        "rest.port": "0",
        "python.executable": sys.executable,
        "python.execution-mode": "process",
        "python.state.cache.size": "1000000",
        "python.fn-execution.bundle.size": "10000",
        "parallelism.default": "1",
    }
    for key, value in settings.items():
        options.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(options)
    add_jar(env)
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(bootstrap)
        .set_topics(topic)
        .set_group_id(group)
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_property("enable.auto.commit", "true")
        .set_property("auto.commit.interval.ms", "200")
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    samples = env.from_source(source, WatermarkStrategy.no_watermarks(), "samples")
    parsed = samples.map(parse, output_type=Types.TUPLE([Types.STRING(), Types.DOUBLE()]))
    parsed.key_by(lambda sample: sample[0], key_type=Types.STRING()).process(
        Compare(progress), output_type=Types.STRING()
    ).sink_to(Sink(get_gateway().jvm.org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink()))
    env.execute("function")


if __name__ == "__main__":
    main()
