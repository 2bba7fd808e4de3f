"""`faultline events feedback`, `labels` and `schema`: verdicts on incidents, and what records look like."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from faultline import console
from faultline.kafka_security import KafkaConfig, Servers, brokers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from records.feedback import Feedback
    from records.incidents import IncidentEvent

BESIDE: Final = "feedback.ndjson"
"""Where verdicts on a file of events are kept, beside it."""
_CAUSE: Final = "cause="
_SHOWN: Final = 5
"""Ids, the newest, of which one may have been meant."""
_SHOWS: Final = "`faultline events tail` shows the ids: of a run's folder, or of Kafka with --from-beginning"
Bootstrap = Annotated[str | None, typer.Option(help="Kafka broker(s), HOST:PORT[,...].")]


def register(app: typer.Typer) -> None:
    """Adds the commands to `faultline events`."""
    app.command()(feedback)
    app.command()(labels)
    app.command()(schema)


def feedback(
    incident: Annotated[str, typer.Argument(help="An incident's id, or an event's.")],
    verdict: Annotated[
        str, typer.Option(help="true: the first cause is right. false: there was no fault. cause=NODE.")
    ],
    signal: Annotated[str | None, typer.Option(help="The signal of the cause that shows it.")] = None,
    note: Annotated[str | None, typer.Option(help="A word for those who come later.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(exists=True, help="A run's folder or its incidents.ndjson, instead of Kafka."),
    ] = None,
    bootstrap_servers: Bootstrap = None,
    kafka_config: KafkaConfig = None,
    topic: Annotated[str, typer.Option(help="The topic of incident events.")] = "faultline.incidents.v1",
    json: console.Json = False,
) -> None:
    """Say whether an incident named the right cause; training and the reports read it."""
    servers = None if bootstrap_servers is None else brokers(bootstrap_servers, kafka_config)
    if file is not None:
        file = _events_file(file)
    event = newest_event(incident.partition(":")[0], _events(file, servers, topic))
    given = _verdict(event, verdict, signal, note)
    value = given.model_dump_json(exclude_none=True)
    place = _kept(given.incident_id, value, file, servers)
    if given.node is not None and given.node not in [each.node for each in event.root_causes]:
        console.note(f"{given.node} is none of the causes that were ranked")
    if json:
        console.say(value)
    else:
        console.say(f"{given.incident_id} in {given.graph}: {_said(given)}, kept in {place}")


def _kept(incident: str, value: str, file: Path | None, servers: Servers | None) -> str:
    """Where the verdict was kept: beside the file of events, or on the topic."""
    if file is not None:
        beside = file.with_name(BESIDE)
        with beside.open("a", encoding="utf-8") as out:
            out.write(value + "\n")
        return str(beside)
    from faultline.kafka_send import COMPACTED, make_topic, send
    from records.feedback import FEEDBACK_TOPIC

    make_topic(servers or "", FEEDBACK_TOPIC, COMPACTED)
    send(servers or "", FEEDBACK_TOPIC, incident, value.encode())
    return FEEDBACK_TOPIC


def _events_file(file: Path) -> Path:
    from faultline.run_folder import events_file

    return events_file(file)


def _verdict(event: IncidentEvent, verdict: str, signal: str | None, note: str | None) -> Feedback:
    from pydantic import ValidationError

    from records.errors import UsageError
    from records.feedback import Feedback
    from records.feedback import feedback as judged
    from records.signals import SIGNALS
    from records.validation import explain, nearest

    if signal is not None and signal not in SIGNALS:
        raise UsageError(f"no signal {signal!r}{nearest(signal, SIGNALS)}", f"one of {', '.join(SIGNALS)}")
    node = verdict.removeprefix(_CAUSE) if verdict.startswith(_CAUSE) else None
    if node is None and verdict not in ("true", "false"):
        raise UsageError(f"no verdict {verdict!r}", "--verdict true, false or cause=NODE")
    kind = "cause" if node is not None else "true" if verdict == "true" else "false"
    try:
        now = time.time_ns() // 1_000_000
        return judged(event, kind, now, node=node, signal=signal, note=note)  # type: ignore[arg-type]
    except ValidationError as error:
        said = "; ".join(explain(error, Feedback))
        raise UsageError(said, "--verdict cause=NODE [--signal SIGNAL]") from error
    except ValueError as error:
        raise UsageError(str(error), "name it: --verdict cause=NODE") from error


def _said(given: Feedback) -> str:
    if given.node is None:
        return "no fault"
    return f"cause {given.node}{'' if given.signal is None else f' {given.signal}'}"


def newest_event(incident: str, events: Iterable[IncidentEvent]) -> IncidentEvent:
    """The newest revision of an incident; UsageError where there is none."""
    from records.errors import UsageError

    newest: dict[str, IncidentEvent] = {}
    for event in events:
        known = newest.get(event.incident_id)
        if known is None or event.order >= known.order:
            newest[event.incident_id] = event
    if incident not in newest:
        raise UsageError(f"no incident {incident!r}{_meant(incident, list(newest))}", _SHOWS)
    return newest[incident]


def _meant(incident: str, known: list[str]) -> str:
    """Words for the id that may have been meant, else for the newest."""
    from difflib import get_close_matches

    if not known:
        return "; there are no events"
    close = get_close_matches(incident, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; the newest are {', '.join(known[-_SHOWN:])}"


def _events(file: Path | None, servers: Servers | None, topic: str) -> Iterable[IncidentEvent]:
    from records.errors import UsageError

    if (file is None) == (servers is None):
        raise UsageError("name --file or --bootstrap-servers, not both", "--file out/incidents.ndjson")
    if file is not None:
        from faultline.run_folder import read_events

        return read_events(file)
    from faultline.kafka import told_incidents

    return told_incidents(servers or "", topic)


def labels(
    file: Annotated[
        Path | None, typer.Argument(exists=True, dir_okay=False, help="A feedback.ndjson, instead of Kafka.")
    ] = None,
    bootstrap_servers: Bootstrap = None,
    kafka_config: KafkaConfig = None,
    json: console.Json = False,
) -> None:
    """Print what people confirmed as faults; with --json as a recording's faults.ndjson has them."""
    from records.errors import UsageError
    from records.feedback import FEEDBACK_TOPIC
    from records.feedback import labels as confirmed

    if (file is None) == (bootstrap_servers is None):
        raise UsageError("name a file or --bootstrap-servers, not both", f"faultline events labels {BESIDE}")
    if file is not None:
        values: Iterable[bytes] = file.read_bytes().splitlines()
    else:
        from faultline.kafka import last_values

        values = last_values(brokers(bootstrap_servers or "", kafka_config), FEEDBACK_TOPIC).values()
    for fault in confirmed(read_feedback(values, str(file or FEEDBACK_TOPIC))):
        line = f"{fault.graph} {fault.node} {fault.signal or '-'} from {fault.start} to {fault.end}"
        console.say(fault.model_dump_json(exclude_none=True) if json else line)


def read_feedback(values: Iterable[bytes], place: str) -> Iterator[Feedback]:
    """Verdicts from their lines or values; DataError names `place` and the number of a wrong one."""
    from pydantic import ValidationError

    from records.errors import DataError
    from records.feedback import Feedback
    from records.validation import explain

    for number, value in enumerate(values, start=1):
        try:
            yield Feedback.model_validate_json(value)
        except ValidationError as error:
            said = "; ".join(explain(error, Feedback))
            raise DataError(f"{place}:{number}: {said}", "correct or remove it") from error


def schema(
    name: Annotated[str | None, typer.Argument(help="A record and its version, such as incident.v1.")] = None,
    json: console.Json = False,
) -> None:
    """Print the JSON Schema of a record, or the names of all."""
    from records.errors import UsageError
    from records.schema import MODELS, schema_text
    from records.validation import nearest

    if name is None:
        names = sorted(MODELS)
        if json:
            console.say_json(names)
        else:
            console.say("\n".join(names))
        return
    if name not in MODELS:
        raise UsageError(f"no record {name!r}{nearest(name, list(MODELS))}", "faultline events schema")
    console.say(schema_text(name).decode().rstrip("\n"))
