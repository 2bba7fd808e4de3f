"""`faultline events explain`: derives an incident anew from the archive of frames and compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from faultline import console, exits
from faultline.kafka_security import KafkaConfig, Servers, brokers

if TYPE_CHECKING:
    from jobs.assess import Case
    from jobs.rederive import Difference
    from onnx_models.bundle import Bundle
    from onnx_models.scores import Scores
    from records.frames import FrameRow
    from records.incidents import IncidentEvent

FRAMES_TOPIC: Final = "faultline.frames.v1"
_DAY_MS: Final = 86_400_000
"""The topic is read from so long before the incident was found; a window is shorter by far."""

_MEND: Final = (
    "name the archive of the job that told this event: DIR, or --bootstrap-servers and --frames-topic"
)
_NO_ARCHIVE: Final = f"{_MEND}; a job with `publish_frames: false` keeps none"


def register(app: typer.Typer) -> None:
    """Adds the command to `faultline events`."""
    app.command()(explain)


def explain(
    incident: Annotated[str, typer.Argument(help="An incident's id, or an event's (ID:REVISION).")],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", exists=True, file_okay=False, help="A run's folder, instead of Kafka."),
    ] = None,
    bootstrap_servers: Annotated[str | None, typer.Option(help="Kafka broker(s), HOST:PORT[,...].")] = None,
    topic: Annotated[str, typer.Option(help="The topic of incident events.")] = "faultline.incidents.v1",
    frames_topic: Annotated[str, typer.Option(help="The topic of frame rows.")] = FRAMES_TOPIC,
    model: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="The bundle that ranked, if not released."),
    ] = None,
    kafka_config: KafkaConfig = None,
    json: console.Json = False,
) -> None:
    """Derive an incident's answer anew from what the model saw, and show whether it is the same."""
    from jobs.rederive import derive, differences, find_case
    from records.errors import UsageError

    if (folder is None) == (bootstrap_servers is None):
        mend = "faultline events explain ID DIR"
        raise UsageError("name a run's folder or --bootstrap-servers, not both", mend)
    servers = None if bootstrap_servers is None else brokers(bootstrap_servers, kafka_config)
    event = _event(incident, _told(folder, servers, topic))
    if event.input_hash is None:
        raise UsageError(f"{event.id} was told without any frame: there is nothing to derive", "")
    bundle = _bundle(event, model)
    rows = _rows(event, folder, servers, frames_topic, bundle.manifest.window_ticks)
    case = find_case(event, rows, bundle.manifest.window_ticks)
    if case is None:
        _say_missing(event, rows, json)
        raise typer.Exit(exits.FINDINGS)
    now = derive(event, case, _scores(case, bundle) if event.method == "model" else None)
    found = differences(event, now)
    _say(event, case, now, found, json)
    if found:
        raise typer.Exit(exits.FINDINGS)


def _told(folder: Path | None, servers: Servers | None, topic: str) -> Iterable[IncidentEvent]:
    if folder is not None:
        from faultline.run_folder import open_run

        return open_run(folder).events()
    from faultline.kafka import told_incidents

    return told_incidents(servers or "", topic)


def _event(named: str, events: Iterable[IncidentEvent]) -> IncidentEvent:
    """The event of that id, or the incident's newest that was told from frames; UsageError without one."""
    from faultline.feedback import newest_event
    from records.errors import UsageError

    incident, _, revision = named.partition(":")
    known = list(events)
    if revision:
        found = [each for each in known if each.id == named]
        if not found:
            raise UsageError(f"no event {named!r}", f"its newest is {newest_event(incident, known).id}")
        return found[-1]
    told = [each for each in known if each.incident_id == incident and each.input_hash is not None]
    return newest_event(incident, told or known)


def _bundle(event: IncidentEvent, named: Path | None) -> Bundle:
    """The bundle that ranked; UsageError where neither the named one nor a released one is it."""
    from onnx_models.bundle import default_bundle, load_bundle, released
    from records.errors import UsageError

    if event.model is None:
        return load_bundle(named or default_bundle())
    for folder in [named] if named is not None else released():
        bundle = load_bundle(folder)
        if bundle.manifest.sha256 == event.model.sha256:
            return bundle
    name = f"{event.model.name}-{event.model.version} ({event.model.sha256[:12]})"
    said = "is not among the released models" if named is None else f"is not the model in {named}"
    raise UsageError(f"{event.id} was ranked by {name}, which {said}", "--model BUNDLE")


def _rows(
    event: IncidentEvent, folder: Path | None, servers: Servers | None, topic: str, window_ticks: int
) -> list[FrameRow]:
    """The archived rows of the event's graph up to its time, in order of time, each once."""
    found: dict[int, FrameRow] = {}
    if folder is not None:
        from faultline.run_folder import open_run

        read: Iterator[FrameRow] = open_run(folder).frames()
    else:
        read = _of_topic(event, servers or "", topic)
    for row in read:
        near = event.detected_at - 2 * window_ticks * row.tick_ms <= row.time <= event.time
        if row.graph == event.graph and near:
            found[row.time] = row
    return [found[time] for time in sorted(found)]


def _of_topic(event: IncidentEvent, servers: Servers, topic: str) -> Iterator[FrameRow]:
    from faultline.kafka import read_topic
    from records.frames import read_frame_row

    for record in read_topic(servers, topic, event.detected_at - _DAY_MS):
        if record.value is not None and record.headers.get("graph") == event.graph:
            yield read_frame_row(record.value)


def _scores(case: Case, bundle: Bundle) -> Scores:
    from onnx_models.scorer import Scorer

    assert case.snapshot is not None
    return Scorer(bundle).score(case.snapshot)


def _say_missing(event: IncidentEvent, rows: list[FrameRow], json: bool) -> None:
    from faultline.words import clock, plural

    if json:
        console.say_json({"id": event.id, "same": False, "input_found": False, "rows": len(rows)})
        return
    span = f", {clock(rows[0].time)} to {clock(rows[-1].time)}" if rows else ""
    console.say(f"{event.id}: no window of the archive is {event.input_hash}")
    console.say(f"  the archive has {plural(len(rows), 'row')} of {event.graph} up to then{span}")
    if event.truncated:
        console.say(
            f"  the event was shortened ({', '.join(event.truncated)}), so some alarms may be missing"
        )
    console.say(f"  mend: {_MEND if rows else _NO_ARCHIVE}")


def _say(event: IncidentEvent, case: Case, now: IncidentEvent, found: list[Difference], json: bool) -> None:
    from dataclasses import asdict

    from faultline.words import clock, plural, share

    first, last = case.rows[0], case.rows[-1]
    if json:
        told = {"id": event.id, "same": not found, "input_found": True, "input_hash": now.input_hash}
        span = {"rows": len(case.rows), "from": first.time, "to": last.time}
        causes = [each.model_dump(include={"rank", "node", "signal", "score"}) for each in now.root_causes]
        console.say_json(
            {**told, **span, "root_causes": causes, "differences": [asdict(each) for each in found]}
        )
        return
    by = "the fallback" if event.model is None else f"{event.model.name}-{event.model.version}"
    console.say(f"{event.id}: {'the same answer' if not found else 'another answer'} by {by}")
    ticks = f"{plural(len(case.rows), 'tick')} of {plural(len(last.nodes), 'node')}"
    console.say(f"  from {ticks}, {clock(first.time)} to {clock(last.time)}, {now.input_hash}")
    for cause in now.root_causes:
        console.say(f"  {cause.rank}. {cause.node} {cause.signal or '-'} {share(cause.score)}")
        for reason in cause.evidence[:2]:
            console.say(f"     {reason.text}")
    for each in found:
        console.say(f"  {each.field}: told {each.told}, now {each.now}")
