"""Receivers of incident events: address, headers, body, and what an answer still hides. Imports records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args
from urllib.parse import urlsplit

from records.errors import UsageError
from records.incidents import IncidentEvent
from records.validation import nearest

Kind = Literal["alertmanager", "pagerduty", "otlp"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PATHS: Final[Mapping[Kind, str]] = {
    "alertmanager": "/api/v2/alerts",
    "pagerduty": "/v2/enqueue",
    "otlp": "/v1/logs",
}
PAGERDUTY: Final = "https://events.pagerduty.com"


@dataclass(frozen=True)
class Receiver:
    """`body`: of a revision, given the revision before it, if one is known."""

    kind: Kind
    url: str
    body: Callable[[IncidentEvent, IncidentEvent | None], Any]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def place(self) -> str:
        """Kind and host: names the receiver in messages and its consumer group, without secrets."""
        host = urlsplit(self.url)
        return f"{self.kind}-{host.hostname}{f'-{host.port}' if host.port else ''}"

    def payload(self, event: IncidentEvent, before: IncidentEvent | None) -> bytes:
        """The body as strict JSON."""
        import orjson

        return orjson.dumps(self.body(event, before))

    def rejected(self, text: str) -> str | None:
        """Why an answer of status 200 means all the same that the event was not taken."""
        return _rejected_logs(text) if self.kind == "otlp" else None


def receiver(to: str, url: str | None, *, secret: str | None, link: str | None, expires_ms: int) -> Receiver:
    """The receiver of that kind; UsageError where an address or a key is missing or wrong.

    `secret`: PagerDuty's integration key, for the others a bearer token.
    """
    if to not in KINDS:
        raise UsageError(f"no receiver {to!r}{nearest(to, KINDS)}", f"--to {' | '.join(KINDS)}")
    kind: Kind = to
    headers = {"content-type": "application/json", "user-agent": "faultline"}
    if kind != "pagerduty" and secret is not None:
        headers["authorization"] = f"Bearer {secret}"
    return Receiver(kind, _address(kind, url), _body(kind, secret, link, expires_ms), headers)


def _body(
    kind: Kind, secret: str | None, link: str | None, expires_ms: int
) -> Callable[[IncidentEvent, IncidentEvent | None], Any]:
    if kind == "alertmanager":
        from records.receivers.alertmanager import alerts

        return lambda event, before: alerts(event, before, expires_ms=expires_ms, link=link)
    if kind == "otlp":
        from records.receivers.otel_log import logs

        return lambda event, _: logs(event)
    if secret is None:
        mend = "--secret-file FILE, or FAULTLINE_FORWARD_SECRET"
        raise UsageError("PagerDuty needs the key of an Events API v2 integration", mend)
    from records.receivers.pagerduty import enqueued

    return lambda event, _: enqueued(event, routing_key=secret, link=link)


def _address(kind: Kind, url: str | None) -> str:
    if url is None:
        if kind != "pagerduty":
            raise UsageError(f"where is {kind}?", f"--url http://{kind}:PORT")
        url = PAGERDUTY
    split = urlsplit(url)
    if split.scheme not in ("http", "https") or not split.hostname:
        raise UsageError(f"no address of a receiver: {url!r}", f"--url http://HOST:PORT[{PATHS[kind]}]")
    if split.username or split.password:
        raise UsageError("an address must hold no password", "--secret-file FILE")
    path = split.path.rstrip("/")
    return split._replace(path=path if path.endswith(PATHS[kind]) else path + PATHS[kind]).geturl()


def _rejected_logs(text: str) -> str | None:
    import orjson

    try:
        partial = orjson.loads(text or b"{}").get("partialSuccess") or {}
        if int(partial.get("rejectedLogRecords") or 0) > 0:
            return f"rejected: {partial.get('errorMessage') or 'no reason given'}"
    except (ValueError, AttributeError, TypeError):
        return None
    return None
