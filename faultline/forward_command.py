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


File = Annotated[
    Path | None, typer.Argument(exists=True, dir_okay=False, help="An incidents.ndjson, instead of Kafka.")
]
Url = Annotated[str | None, typer.Option(help="Where it is, http[s]://HOST[:PORT].")]
Bootstrap = Annotated[str | None, typer.Option(help="Kafka broker(s), HOST:PORT[,...].")]
Group = Annotated[
    str | None, typer.Option(help="Consumer group; unsaid, one for each kind and host of receiver.")
]
FromBeginning = Annotated[
    bool, typer.Option(help="A new group begins with the oldest event, not with the next.")
]
SecretFile = Annotated[
    Path | None,
    typer.Option(exists=True, dir_okay=False, help="Holds PagerDuty's integration key, or a bearer token."),
]
Link = Annotated[str | None, typer.Option(help="An address that the receiver shows beside it.")]
Expires = Annotated[str, typer.Option(help="Alertmanager ends an alert so long after its newest revision.")]
Patience = Annotated[
    str, typer.Option(help="How long an event is tried on a receiver that answers with a fault.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="End after so many events.")]
Idle = Annotated[float | None, typer.Option(min=0, help="End after so many seconds without an event.")]


def register(app: typer.Typer) -> None:
    """Adds the command to `faultline events`."""
    app.command()(forward)


def forward(
    to: Annotated[str, typer.Option(help="alertmanager, pagerduty or otlp.")],
    file: File = None,
    url: Url = None,
    bootstrap_servers: Bootstrap = None,
    kafka_config: KafkaConfig = None,
    topic: Annotated[str, typer.Option(help="The topic of incident events.")] = "faultline.incidents.v1",
    group: Group = None,
    from_beginning: FromBeginning = False,
    secret_file: SecretFile = None,
    link: Link = None,
    expires: Expires = "24h",
    patience: Patience = "10m",
    timeout: Annotated[str, typer.Option(help="Longest wait for an answer.")] = "10s",
    limit: Limit = None,
    idle: Idle = None,
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
    if file is not None or dry_run:
        events = _of_file(file) if file is not None else _seen(servers, topic, from_beginning, idle)
        _each(islice(events, limit), forwarder, told, dry_run)
    else:
        from faultline.forward_topic import Topic, forward_topic

        _interrupted_by_term()
        name = group or f"faultline-forward-{whom.place}"
        forward_topic(forwarder, Topic(servers, topic, name, from_beginning, limit, idle), told.outcome)
    _end(forwarder.counts)


def _each(events: Iterable[IncidentEvent], forwarder: Forwarder, told: _Told, dry_run: bool) -> None:
    """Sends each event on, or only shows what would be sent."""
    for event in events:
        if dry_run:
            told.payload(forwarder, event)
        else:
            told.outcome(event, forwarder.deliver(event))


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
