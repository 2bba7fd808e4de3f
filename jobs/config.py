"""The job's configuration: what each key means and its default.

Owns the keys; config_loading.py reads them from a file, the environment and flags. Imports pydantic and
records. Durations are written with their unit (`10s`) and held as milliseconds. Paths are absolute once
loaded.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, model_validator

from jobs.breaker import BreakerSettings
from jobs.durations import Duration, PositiveDuration
from jobs.quiet import Quiet
from jobs.score_config import CALL_TIMEOUT_MS, Count, ScoreConfig
from jobs.trial import TrialSettings
from records.control import CONTROL_TOPIC
from records.feedback import FEEDBACK_TOPIC
from records.formats import Format
from records.samples import Name
from records.validation import Record

FormatName = Annotated[Format, Field(strict=False)]


READING: Final = {
    "identity",
    "json_timestamp_units",
    "content_types",
    "content_type_header",
    "default_format",
}
"""Keys of a source that say, beside its format, how records are read."""


class NodeKey(Record):
    """Where a name is read from: exactly one of a resource or point attribute, a label, or a tag."""

    attribute: Name | None = None
    label: Name | None = None
    tag: Name | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> NodeKey:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError("name exactly one of attribute, label, tag")
        return self


class GraphKey(Record):
    """Where the graph's name is read from, or the name itself as `value`: exactly one of them."""

    value: Name | None = None
    attribute: Name | None = None
    label: Name | None = None
    tag: Name | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> GraphKey:
        if len(self.model_dump(exclude_none=True)) != 1:
            raise ValueError("name exactly one of value, attribute, label, tag")
        return self


class Identity(Record):
    """How a source's samples find their graph and nodes; the first key of a list that exists counts."""

    graph: GraphKey | None = None
    node: list[NodeKey] = Field(default_factory=list)
    peer: list[NodeKey] = Field(default_factory=list)


class KafkaSource(Record):
    """A topic. `start`: where a job without saved offsets begins. `bounded`: end at what is there now.

    `json_timestamp_units`: of Telegraf's JSON, as in telegraf.conf. `content_types`, `content_type_header`,
    `default_format`: for `by_header`: which format a record's content type stands for, before what is usual;
    which header tells it; in which format a record is read whose content type tells none (unset, it is a dead
    letter). `edges_only`: the topic never holds event time back. `properties`: handed to the Kafka client.
    """

    type: Literal["kafka"]
    bootstrap_servers: Name
    topic: Name
    group: Name = "faultline"
    start: Literal["earliest", "latest", "committed"] = "committed"
    bounded: bool = False
    format: FormatName = Format.otlp_proto
    identity: Identity | None = None
    json_timestamp_units: Literal["1s", "1ms", "1us", "1ns"] | None = None
    content_types: dict[str, FormatName] = Field(default_factory=dict)
    content_type_header: Name | None = None
    default_format: FormatName | None = None
    edges_only: bool = False
    properties: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _options_of_the_format(self) -> KafkaSource:
        if self.json_timestamp_units and self.format not in (Format.telegraf, Format.by_header):
            raise ValueError("json_timestamp_units goes with format telegraf or by_header")
        by_header = self.content_types or self.content_type_header or self.default_format
        if by_header and self.format is not Format.by_header:
            raise ValueError("content_types, content_type_header and default_format go with format by_header")
        if Format.by_header in (self.default_format, *self.content_types.values()):
            raise ValueError("by_header is no format of a single record")
        return self

    def reading(self) -> dict[str, Any]:
        """What the JVM is told of how records are read, beside the format; what is unsaid is left out."""
        said = self.model_dump(include=READING, exclude_none=True)
        if "identity" in said:
            said["identity"] = {key: value for key, value in said["identity"].items() if value}
        return {key: value for key, value in said.items() if value}


class RecordingsSource(Record):
    """Folders with recordings, merged by event time."""

    type: Literal["recordings"]
    paths: Annotated[list[Name], Field(min_length=1)]


Source = Annotated[KafkaSource | RecordingsSource, Field(discriminator="type")]


class KafkaSink(Record):
    """Where events go. `exactly_once` writes in transactions that end with each checkpoint.

    `transactional_id_prefix`: unset, the job's name; no two jobs on a broker may share it. `properties`:
    handed to the Kafka client.
    """

    bootstrap_servers: Name
    delivery: Literal["at_least_once", "exactly_once"] = "at_least_once"
    transactional_id_prefix: Name | None = None
    properties: dict[str, str] = Field(default_factory=dict)


class FilesSink(Record):
    """A folder that gets one NDJSON file per topic."""

    dir: Name


class Sinks(Record):
    """Where events, matches, frames, dead letters and the audit go: either or both."""

    kafka: KafkaSink | None = None
    files: FilesSink | None = None


class Limits(Record):
    """Bounds of what is held in state and passed on, beyond which it is dropped, counted, and in the audit.

    `matches_per_tick`: of one graph. `pattern_time_share`: a pattern whose automaton takes more of a
    subtask's time than that, over `pattern_time_window` of the machine's clock, is suspended there; above 1
    none is. Where patterns change while the job runs only, since a replay's answers must not depend on how
    busy the machine is.
    """

    partials_per_key: Count = 1_000
    series_per_node: Count = 2_000
    nodes_per_graph: Count = 20_000
    matches_per_tick: Count = 2_000
    pattern_time_share: Annotated[float, Field(gt=0, strict=False)] = 0.8
    pattern_time_window: PositiveDuration = 60_000

    def to_jvm(self) -> dict[str, Any]:
        """What `Entry.sources` is told."""
        told = self.model_dump(exclude={"pattern_time_window"})
        return {**told, "pattern_time_window_ms": self.pattern_time_window}


class Checkpoint(Record):
    """`interval`: unset means none for bounded runs and 30 s for others.

    `dir`: unset means the cluster's own, and below that a folder of the job's name.
    """

    interval: PositiveDuration | None = None
    dir: Name | None = None


class Control(Record):
    """Where the job is told of patterns and models while it runs; a job that ends by itself is not.

    `bootstrap_servers`: unset, those of the Kafka sink, with its properties; without either there is no
    control. `properties`: handed to the Kafka client.
    """

    enabled: bool = True
    bootstrap_servers: Name | None = None
    topic: Name = CONTROL_TOPIC
    properties: dict[str, str] = Field(default_factory=dict)


class FeedbackConfig(Control):
    """Where the job reads verdicts on its incidents; keys as for `control`."""

    topic: Name = FEEDBACK_TOPIC


class Suspected(Record):
    """What the model's probability of an anomaly may decide: see jobs.suspicion. `hold_below`: 0 for off."""

    hold_below: Annotated[float, Field(ge=0, le=1, strict=False)] = 0.0


class JobConfig(Record):
    """Everything one job is told.

    `graph`: the graph of samples that name none. `tick`: unset means a recording's own interval (at least
    10 s), 60 s elsewhere; `graph_ticks` overrides it per graph. `spread_ticks`: the ticks of each graph
    end at a moment of its own and not all at once, which a job with many graphs wants. `out_of_orderness`:
    unset means 0 for recordings and 10 s where Kafka is read. `max_future`: a record that far ahead of its
    Kafka timestamp is a dead letter. `edge_ttl`: how long an edge lives after a call that does not say so
    itself. `edge_side`: whose count is an edge's traffic and errors where both ends count (of Istio's
    reporters, server is destination); the other end's is taken where that one does not exist.
    `resolve_after`: an incident ends when its signals were back for so long. `resend`: at most one update per
    so long. `model`: a bundle's folder or URL, unset the released one. `patterns`: files or folders,
    `library` for the shipped ones. `rules`: signal rules that go before the shipped ones, a file or the rules
    themselves. `publish_frames`, `publish_matches`: whether these topics are written. `control`: where
    changes of patterns and models are read. `feedback`: where verdicts are read. `quiet`: muted nodes and
    patterns, times of maintenance. `suspected`: which incidents are held back as doubtful.
    """

    name: Name = "faultline"
    sources: Annotated[list[Source], Field(min_length=1)]
    sinks: Sinks
    graph: Name | None = None
    tick: PositiveDuration | None = None
    graph_ticks: dict[str, PositiveDuration] = Field(default_factory=dict)
    spread_ticks: bool = False
    out_of_orderness: Duration | None = None
    idle_after: PositiveDuration = 30_000
    max_future: PositiveDuration = 300_000
    edge_ttl: PositiveDuration = 3_600_000
    edge_side: Literal["server", "client"] = "server"
    resolve_after: PositiveDuration = 300_000
    resend: Duration = 60_000
    model: Name | None = None
    patterns: Annotated[list[Name], Field(min_length=1)] = Field(default_factory=lambda: ["library"])
    rules: Name | list[dict[str, Any]] | None = None
    score: ScoreConfig = Field(default_factory=ScoreConfig)
    publish_frames: bool = True
    publish_matches: bool = True
    limits: Limits = Field(default_factory=Limits)
    control: Control = Field(default_factory=Control)
    feedback: FeedbackConfig = Field(default_factory=FeedbackConfig)
    suspected: Suspected = Field(default_factory=Suspected)
    quiet: list[Quiet] = Field(default_factory=list)
    parallelism: Count = 1
    bundle_time_ms: Count = 5
    checkpoint: Checkpoint = Field(default_factory=Checkpoint)

    @model_validator(mode="after")
    def _some_sink(self) -> JobConfig:
        if self.sinks.kafka is None and self.sinks.files is None:
            raise ValueError("sinks: name kafka or files, or nobody sees what the job finds")
        return self

    @property
    def bounded(self) -> bool:
        """True where every source ends."""
        return all(isinstance(source, RecordingsSource) or source.bounded for source in self.sources)

    @property
    def recording_paths(self) -> list[str]:
        """The folders of all recordings, in order."""
        return [
            path for source in self.sources if isinstance(source, RecordingsSource) for path in source.paths
        ]

    @property
    def lateness_ms(self) -> int:
        """How far out of order samples may be, ms."""
        if self.out_of_orderness is not None:
            return self.out_of_orderness
        return 10_000 if any(isinstance(source, KafkaSource) for source in self.sources) else 0

    @property
    def timeout_ms(self) -> int:
        """Longest wait for one answer of the model, ms."""
        return self.score.timeout_ms or (60_000 if self.bounded else 1_000)

    @property
    def call_ms(self) -> int | None:
        """Longest time of the model for a snapshot of a graph that is not large, ms; None for no bound."""
        return self.score.call_timeout_ms or (None if self.bounded else CALL_TIMEOUT_MS)

    @property
    def breaker_settings(self) -> BreakerSettings | None:
        """Of the breaker before the model; None for none."""
        told = self.score.breaker
        enabled = not self.bounded if told.enabled is None else told.enabled
        if not enabled:
            return None
        return BreakerSettings(told.slow_ms, told.confidence, told.share, told.window, told.pause)

    @property
    def trial_settings(self) -> TrialSettings | None:
        """Of bundles that are published; None where none is taken back."""
        told = self.score.rollback
        if not told.enabled:
            return None
        slow_ms = self.score.breaker.slow_ms
        return TrialSettings(slow_ms, told.window, told.errors, told.disagreement, told.answers)

    @property
    def checkpoint_ms(self) -> int | None:
        """Time between checkpoints, ms; None for none."""
        return self.checkpoint.interval or (None if self.bounded else 30_000)

    @property
    def writes_control(self) -> bool:
        """Whether the job can write to its control topic: where it lies on the broker of the Kafka sink."""
        sink, told = self.sinks.kafka, self.topic_to_jvm(self.control)
        return sink is not None and told is not None and told["bootstrap_servers"] == sink.bootstrap_servers

    def topic_to_jvm(self, own: Control) -> dict[str, Any] | None:
        """Where the JVM reads such a topic (`control`, `feedback`); None where it does not."""
        sink = self.sinks.kafka
        servers = own.bootstrap_servers or (sink and sink.bootstrap_servers)
        if not own.enabled or self.bounded or servers is None:
            return None
        shared = sink.properties if sink is not None and own.bootstrap_servers is None else {}
        properties = {**shared, **own.properties}
        return {"bootstrap_servers": servers, "topic": own.topic, "properties": properties}

    def sinks_to_jvm(self) -> dict[str, Any]:
        """What `Entry.sinks` is told."""
        told = self.sinks.model_dump(exclude_none=True)
        if self.sinks.kafka is not None:
            told["kafka"].setdefault("transactional_id_prefix", self.name)
        return told
