"""The command `faultline events forward`: its options, and its two sources, a topic and a file."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faultline import console, exits
from faultline.kafka_security import KafkaConfig, Servers, brokers
from faultline.spans import duration_ms

if TYPE_CHECKING:
    from faultline.forward import Forwarder, Outcome
    from faultline.receivers import Receiver
    from records.incidents import IncidentEvent

SECRET: Final = "FAULTLINE_FORWARD_SECRET"
_TROUBLE: Final = ("refused", "unreadable")


def register(app: typer.Typer) -> None:
    """Adds the command to `faultline events`."""
    app.command()(forward)


def forward(
    to: Annotated[str, typer.Option(help="alertmanager, pagerduty or otlp.")],
    file: Annotated[
        Path | None,
        typer.Argument(exists=True, dir_okay=False, help="An incidents.ndjson, instead of Kafka."),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where it is, http[s]://HOST[:PORT].")] = None,
    bootstrap_servers: Annotated[str | None, typer.Option(help="Kafka broker(s), HOST:PORT[,...].")] = None,
    kafka_config: KafkaConfig = None,
    topic: Annotated[str, typer.Option(help="The topic of incident events.")] = "faultline.incidents.v1",
    group: Annotated[
        str | None, typer.Option(help="Consumer group; unsaid, one for each kind and host of receiver.")
    ] = None,
    from_beginning: Annotated[
        bool, typer.Option(help="A new group begins with the oldest event, not with the next.")
    ] = False,
    secret_file: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Holds PagerDuty's integration key, or a bearer token."
        ),
    ] = None,
    link: Annotated[str | None, typer.Option(help="An address that the receiver shows beside it.")] = None,
    expires: Annotated[
        str, typer.Option(help="Alertmanager ends an alert so long after its newest revision.")
    ] = "24h",
    patience: Annotated[
        str, typer.Option(help="How long an event is tried on a receiver that answers with a fault.")
    ] = "10m",
    timeout: Annotated[str, typer.Option(help="Longest wait for an answer.")] = "10s",
    limit: Annotated[int | None, typer.Option(min=1, help="End after so many events.")] = None,
    idle: Annotated[
        float | None, typer.Option(min=0, help="End after so many seconds without an event.")
    ] = None,
    dry_run: Annotated[bool, typer.Option(help="Print what would be sent, and send nothing.")] = False,
    json: console.Json = False,
) -> None:
    """Send incident events on, each once at least: from Kafka until it is stopped, or from a file.

    What the receiver refuses is a dead letter; while it is away, nothing is lost and nothing passed over.
    """
    from faultline.forward import Forwarder, sleep
    from faultline.receivers import receiver
    from records.errors import UsageError

    if (file is None) == (bootstrap_servers is None):
        mend = "faultline events forward FILE --to ..."
        raise UsageError("name a file or --bootstrap-servers, not both", mend)
    servers = brokers(bootstrap_servers or "", kafka_config)
    whom = receiver(to, url, secret=_secret(secret_file), link=link, expires_ms=duration_ms(expires))
    forwarder = Forwarder(whom, duration_ms(patience) / 1e3, duration_ms(timeout) / 1e3, sleep)
    told = _Told(whom, json)
    if bootstrap_servers is None:
        assert file is not None
        events: Iterable[IncidentEvent] = _of_file(file)
    elif dry_run:
        events = _seen(servers, topic, from_beginning, idle)
    else:
        from faultline.forward_topic import Topic, forward_topic

        _interrupted_by_term()
        name = group or f"faultline-forward-{whom.place}"
        forward_topic(forwarder, Topic(servers, topic, name, from_beginning, limit, idle), told.outcome)
        events = ()
    for event in islice(events, limit):
        if dry_run:
            told.payload(forwarder, event)
        else:
            told.outcome(event, forwarder.deliver(event))
    _end(forwarder.counts)


def _end(counts: Counter[str]) -> None:
    """The counts, on stderr; exit code 1 where an event was not taken."""
    if counts:
        console.note(", ".join(f"{name} {counts[name]}" for name in sorted(counts)))
    if any(counts[name] for name in _TROUBLE):
        raise typer.Exit(exits.FINDINGS)


def _of_file(file: Path) -> Iterable[IncidentEvent]:
    from faultline.run_folder import read_events

    return read_events(file)


def _seen(servers: Servers, topic: str, from_beginning: bool, idle: float | None) -> Iterable[IncidentEvent]:
    from faultline.kafka import incident_events

    return incident_events(servers, topic, from_beginning=from_beginning, idle_s=idle)


class _Told:
    """Says what became of each event."""

    def __init__(self, receiver: Receiver, json: bool) -> None:
        self._receiver, self._json = receiver, json

    def outcome(self, event: IncidentEvent, outcome: Outcome) -> None:
        """A line about a delivery."""
        if self._json:
            fields = {"id": event.id, "to": self._receiver.place, "outcome": outcome.what}
            console.say_json({**fields, "tries": outcome.tries, "reason": outcome.reason})
            return
        why = "" if outcome.reason is None else f": {outcome.reason}"
        console.say(f"{outcome.what:<9}  {event.status:<9}  {event.id}  to {self._receiver.place}{why}")

    def payload(self, forwarder: Forwarder, event: IncidentEvent) -> None:
        """What would be sent."""
        console.say(self._receiver.payload(event, forwarder.memory[event.incident_id]).decode())
        forwarder.memory.note(event)


def _secret(file: Path | None) -> str | None:
    if file is not None:
        return file.read_text(encoding="utf-8").strip() or None
    return os.environ.get(SECRET, "").strip() or None


def _interrupted_by_term() -> None:
    """TERM, with which containers are stopped, ends the command as Ctrl-C does: it leaves the group."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
