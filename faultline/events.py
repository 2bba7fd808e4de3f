"""`faultline events`: what the job found, as it comes and as a page, and what people say to it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faultline import console, events_explain, feedback, forward_command
from faultline.kafka_security import KafkaConfig, Servers, brokers

if TYPE_CHECKING:
    from records.incidents import IncidentEvent

app = typer.Typer(no_args_is_help=True, help="What the job found.")
feedback.register(app)
forward_command.register(app)
events_explain.register(app)


@app.command()
def tail(
    file: Annotated[
        Path | None,
        typer.Argument(exists=True, help="A run's folder or its incidents.ndjson, instead of Kafka."),
    ] = None,
    bootstrap_servers: Annotated[str | None, typer.Option(help="Kafka broker(s), HOST:PORT[,...].")] = None,
    kafka_config: KafkaConfig = None,
    topic: Annotated[str, typer.Option(help="The topic of incident events.")] = "faultline.incidents.v1",
    from_beginning: Annotated[bool, typer.Option(help="Start with the oldest event.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="End after so many events.")] = None,
    idle: Annotated[
        float | None, typer.Option(min=0, help="End after so many seconds without an event.")
    ] = None,
    json: console.Json = False,
) -> None:
    """Print incident events, a line each: from a file, or from Kafka until Ctrl-C."""
    from itertools import islice

    servers = None if bootstrap_servers is None else brokers(bootstrap_servers, kafka_config)
    for event in islice(_events(file, servers, topic, from_beginning, idle), limit):
        if json:
            console.say(event.model_dump_json())
        else:
            console.say(line(event))


def _events(
    file: Path | None, servers: Servers | None, topic: str, from_beginning: bool, idle: float | None
) -> Iterable[IncidentEvent]:
    from records.errors import UsageError

    if (file is None) == (servers is None):
        raise UsageError("name a file or --bootstrap-servers, not both", "faultline events tail FILE")
    if file is not None:
        from faultline.run_folder import events_file, read_events

        return read_events(events_file(file))
    from faultline.kafka import incident_events

    return incident_events(servers or "", topic, from_beginning=from_beginning, idle_s=idle)


def line(event: IncidentEvent) -> str:
    """An event in one line: time, status, graph, the first cause and why."""
    from faultline.words import clock, share

    causes = sorted(event.root_causes, key=lambda each: each.rank)
    found = "no cause ranked"
    if causes:
        first = causes[0]
        found = f"{first.node} {first.signal or '-'} {share(first.score)} by {event.method}"
        found += f": {first.evidence[0].text}" if first.evidence else ""
    text = f"{clock(event.time)}  {event.status:<9}  {event.qos}  {event.graph}  {event.id}  {found}"
    return "".join(each if each.isprintable() else " " for each in text)


@app.command()
def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="A run's folder.")
    ],
    recording: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="A recording whose series are drawn, if it has moved."
        ),
    ] = None,
    json: console.Json = False,
) -> None:
    """Write DIR/report.html anew from what the run left there."""
    from faultline.report.render import write_report
    from faultline.run_folder import open_run

    run = open_run(folder, tuple(recording or ()))
    for path in run.missing:
        console.note(f"{path} is no longer there: name its new place with --recording to see its series")
    file = write_report(run)
    if json:
        console.say_json({"report": str(file)})
    else:
        console.say(str(file))
