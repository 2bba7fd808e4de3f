"""`faultline recording cut`: a span of a recording, or of topics, as a recording of its own.

Owns how the span and the topics are said.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faultline import console
from faultline.kafka_security import Brokers, KafkaConfig, brokers, client_options
from faultline.words import plural
from records.formats import Format

if TYPE_CHECKING:
    from faultline.topic import Topics
    from jobs.config import JobConfig, KafkaSource
    from records.cutting import Cut, Span

_MAX_FUTURE_MS: Final = 300_000
_TIMES: Final = "ISO 8601, ms, -2h (before the end) or +10m (after the start)"
_Said = tuple[str | None, str | None]
"""--from and --to as they were typed."""


def cut(
    recording: Annotated[
        Path | None,
        typer.Argument(metavar="[RECORDING]", exists=True, file_okay=False, help="What is cut."),
    ] = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder for the recording.")] = Path("cut"),
    begin: Annotated[str | None, typer.Option("--from", help=f"The beginning: {_TIMES}.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="The end, the same way.")] = None,
    node: Annotated[
        list[str] | None, typer.Option(help="Only this node, its edges and faults; may be said again.")
    ] = None,
    graph: Annotated[str | None, typer.Option(help="Only this graph, where topics hold several.")] = None,
    name: Annotated[str | None, typer.Option(help="The recording's name, if not the folder's.")] = None,
    topic: Annotated[
        list[str] | None, typer.Option(help="A topic, instead of a recording; may be said again.")
    ] = None,
    bootstrap_servers: Annotated[str | None, typer.Option(help="Kafka broker(s), HOST:PORT[,...].")] = None,
    kafka_config: KafkaConfig = None,
    wire: Annotated[
        Format | None, typer.Option("--format", help="The format of the topic's records.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            envvar="FAULTLINE_CONFIG",
            help="A job's configuration: brokers, formats and identity of its topics.",
        ),
    ] = None,
    json: console.Json = False,
) -> None:
    """Cut a span out of a recording, or out of topics, into a recording of its own."""
    from records.errors import UsageError

    if (recording is None) == (not topic):
        raise UsageError(
            "name a recording or --topic, and not both", "faultline recording cut RECORDING --from -2h"
        )
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out}: the folder is not empty", "name a new or an empty folder with --out")
    nodes = frozenset(node or ())
    if recording is not None:
        _show(_of_recording(recording, out, (begin, end), nodes, graph, name), {}, json)
        return
    from faultline.cut_topics import cut_topics

    topics = _topics(topic or [], bootstrap_servers, kafka_config, wire, config, graph)
    span = _span((begin, end), None, round(time.time() * 1000), nodes)
    with console.progress() as progress:
        done = cut_topics(topics, out, span, name or out.name, progress)
    _show(done.cut, {"records": done.records, "duplicates": done.duplicates, "dead_letters": done.dead}, json)


def _span(said: _Said, start: int | None, end: int, nodes: frozenset[str]) -> Span:
    """The span that was said. `start`, `end`: of a recording; a topic has no start, and ends now."""
    from faultline.moments import moment
    from records.cutting import Span
    from records.errors import UsageError
    from records.samples import LAST_MS

    open_end = end if start is not None else LAST_MS
    first = (start or 0) if said[0] is None else moment(said[0], start=start, end=end)
    last = open_end if said[1] is None else moment(said[1], start=start, end=end)
    if said[1] is None:
        last = max(first, last)
    elif said[0] is None:
        first = min(first, last)
    if last < first:
        raise UsageError(
            f"{Span(first, last)}: the end comes before the beginning", "exchange --from and --to"
        )
    return Span(max(first, 0), min(last, LAST_MS), nodes)


def _of_recording(
    path: Path, out: Path, said: _Said, nodes: frozenset[str], graph: str | None, name: str | None
) -> Cut:
    from records.cutting import cut_recording
    from records.errors import UsageError
    from records.recordings import open_recording

    source = open_recording(path)
    if graph not in (None, source.meta.graph):
        raise UsageError(f"{path} holds graph {source.meta.graph!r}, not {graph!r}", "leave --graph out")
    console.note(f"cutting {path}")
    return cut_recording(source, out, _span(said, source.meta.start, source.meta.end, nodes), name)


def _topics(
    names: list[str],
    servers: str | None,
    kafka_config: Path | None,
    wire: Format | None,
    config: Path | None,
    graph: str | None,
) -> Topics:
    """Where and how to read: what the flags say, else what the job's configuration says of the topic."""
    from faultline.topic import Topics
    from records.errors import UsageError
    from records.samples import DEFAULT_TTL_MS

    loaded = _load(config)
    source = None if loaded is None else _source(loaded, names[0], wire)
    servers = servers or (None if source is None else source.bootstrap_servers)
    form = wire or (None if source is None else source.format)
    for said, option in ((servers, "--bootstrap-servers"), (form, "--format")):
        if said is None:
            raise UsageError(
                f"no {option}", "say it, or --config with the configuration of a job that reads the topic"
            )
    future, ttl = (_MAX_FUTURE_MS, DEFAULT_TTL_MS) if loaded is None else (loaded.max_future, loaded.edge_ttl)
    settings: dict[str, Any] = {} if source is None else source.reading()
    settings |= {
        "format": str(form),
        "graph": None if loaded is None else loaded.graph,
        "max_future_ms": future,
    }
    where = brokers(str(servers), kafka_config)
    if kafka_config is None and source is not None:
        where = Brokers(str(servers), client_options(source.properties, str(config)))
    return Topics(where, names, settings, graph, future, ttl)


def _load(config: Path | None) -> JobConfig | None:
    from jobs.config_loading import load_config

    return None if config is None else load_config(config)


def _source(config: JobConfig, topic: str, wire: Format | None) -> KafkaSource | None:
    """The source of the topic, else the first one of the format."""
    from jobs.config import KafkaSource

    sources = [each for each in config.sources if isinstance(each, KafkaSource)]
    fit = [each for each in sources if wire is None or each.format == wire.value]
    alike = [] if wire is None else fit
    return next(iter([*(each for each in fit if each.topic == topic), *alike]), None)


def _show(done: Cut, read: dict[str, Any], json: bool) -> None:
    meta = done.recording.meta
    if json:
        counts = {"samples": done.samples, "edges": done.edges, "faults": done.faults}
        console.say_json({"recording": str(done.recording.path), **meta.model_dump(), **counts, **read})
        return
    parts = (plural(done.samples, "sample"), plural(done.edges, "edge"), plural(done.faults, "fault"))
    console.say(f"{done.recording.path}: {meta.description} {', '.join(parts)}")
    if read.get("duplicates"):
        console.note(f"{read['duplicates']:,} values that came twice were taken once")
    for reason, count in (read.get("dead_letters") or {}).items():
        console.note(f"{count:,} could not be decoded: {reason}")
