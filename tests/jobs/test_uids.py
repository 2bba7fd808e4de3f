"""What a savepoint knows the operators by: names that stay when the configuration changes.

An operator without one would get a name from its place in the job, and its state would be lost as soon as a
source or a sink is added.
"""

from __future__ import annotations

from typing import Any

from pyflink.datastream import StreamExecutionEnvironment
from pyflink.java_gateway import get_gateway

from jobs import gateway
from jobs.config import JobConfig
from jobs.pipeline import build

KEPT = {
    "node",
    "correlate",
    "incidents",
    "score",
    "score-large",
    "publish",
    "source-control",
    "source-feedback",
    "audit",
    "of-models",
    "models",
}
"""With the sources and sinks below, all that a release may not rename."""
STATELESS = {"by graph", "Map"}
"""What gives a keyed stream its key, and PyFlink's own: no state."""


def operators(*topics: str, **sinks: Any) -> tuple[set[str], set[str]]:
    """Names for savepoints of a job's operators, and what those without one are called."""
    env = StreamExecutionEnvironment.get_execution_environment()
    gateway.add_jar(env)
    kafka = {"type": "kafka", "bootstrap_servers": "localhost:1", "format": "native"}
    config = {
        "sources": [{**kafka, "topic": topic} for topic in topics],
        "sinks": {"kafka": {"bootstrap_servers": "localhost:1"}, **sinks},
    }
    build(env, JobConfig.model_validate(config))
    graph = env._generate_stream_graph(clear_transformations=True)
    nodes = list(get_gateway().jvm.java.util.ArrayList(graph.getStreamNodes()))
    named = {str(node.getTransformationUID()) for node in nodes if node.getTransformationUID()}
    unnamed = [str(node.getOperatorName()) for node in nodes if not node.getTransformationUID()]
    # PyFlink joins those of its own that follow each other.
    return named, {part for name in unnamed for part in name.split(", ")}


def test_every_operator_has_a_name_for_savepoints() -> None:
    named, unnamed = operators("a", files={"dir": "out"})
    own = {"source-kafka-a-0", "split-0", "sink-kafka", "Sink Committer: sink-kafka", "sink-files"}
    assert named == KEPT | own
    assert unnamed <= STATELESS


def test_a_further_source_takes_no_other_ones_name() -> None:
    named, unnamed = operators("new", "a", "a")
    assert {name for name in named if name.startswith("source-kafka")} == {
        "source-kafka-new-0",
        "source-kafka-a-0",
        "source-kafka-a-1",
    }
    assert named >= KEPT
    assert unnamed <= STATELESS
