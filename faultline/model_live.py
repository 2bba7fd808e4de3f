"""`faultline model publish | rollback | status`: the bundles that serve in the running job.

Imports Kafka inside the commands.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from faultline import console
from faultline.kafka_security import KafkaConfig, Servers, brokers
from faultline.live_control import (
    AUDIT,
    CONTROL,
    DAY_MS,
    Audit,
    Bootstrap,
    Change,
    Days,
    Place,
    Timeout,
    Topic,
    check_share,
    now_ms,
    say_rows,
    standing,
    tell,
)
from faultline.model_bundles import BUNDLE_HELP, folder_at

if TYPE_CHECKING:
    from faultline.live_models import Row
    from records.model_control import BundleRef, ModelAck, ModelRecord

StageName = Annotated[
    Literal["full", "canary", "shadow"],
    typer.Option(help="shadow: scored and compared, not told; canary: told for a share of graphs; full."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to `faultline model`."""
    for command in (publish, rollback, status):
        app.command()(command)


def publish(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help=BUNDLE_HELP)],
    bootstrap: Bootstrap,
    stage: StageName = "full",
    share: Annotated[float, typer.Option(help="The part of all graphs of a canary, above 0 to 1.")] = 0.1,
    promote_after: Annotated[
        int | None,
        typer.Option(min=1, max=100_000, help="Scores after which it goes to the next stage by itself."),
    ] = None,
    agreement: Annotated[
        float, typer.Option(min=0, max=1, help="For it: the part with the live one's first cause.")
    ] = 0.9,
    errors: Annotated[float, typer.Option(min=0, max=1, help="For it: the most that may be errors.")] = 0.0,
    latency: Annotated[float, typer.Option(min=0.001, help="For it: ms that 95 % may take.")] = 62.0,
    at: Annotated[
        str | None,
        typer.Option(help="Where the workers see the folder, a path or URL; unset, as it is here."),
    ] = None,
    timeout: Timeout = 60.0,
    topic: Topic = CONTROL,
    audit: Audit = AUDIT,
    kafka_config: KafkaConfig = None,
    json: console.Json = False,
) -> None:
    """Have the workers load and prove a bundle, switch it on in the running job, and print the answers."""
    from faultline.live_models import published
    from records.model_control import Promotion

    check_share(share)
    rule = None
    if promote_after is not None:
        rule = Promotion(
            after=promote_after, agreement=agreement, errors=errors, latency_ms=latency, share=share
        )
    reference = _reference(bundle, at)
    before = _Before(brokers(bootstrap, kafka_config), topic, audit)
    part = share if stage == "canary" else 1.0
    record = published(before.record, reference, stage, part, now_ms(), uuid.uuid4().hex, rule)
    _tell(before, record, f"{reference.label} ({stage})", timeout, json)


def rollback(
    bootstrap: Bootstrap,
    timeout: Timeout = 60.0,
    topic: Topic = CONTROL,
    audit: Audit = AUDIT,
    kafka_config: KafkaConfig = None,
    json: console.Json = False,
) -> None:
    """Take back the bundle that is tried, or else the live one for the one before it."""
    from faultline.live_models import taken_back

    before = _Before(brokers(bootstrap, kafka_config), topic, audit)
    record = taken_back(before.record, now_ms(), uuid.uuid4().hex)
    _tell(before, record, "rollback", timeout, json)


def status(
    bootstrap: Bootstrap,
    days: Days = 7.0,
    topic: Topic = CONTROL,
    audit: Audit = AUDIT,
    kafka_config: KafkaConfig = None,
    json: console.Json = False,
) -> None:
    """Show which bundles serve: stage, share, since when, in how many subtasks."""
    from faultline.kafka import values_since
    from faultline.live_models import read_lines, rows

    before = _Before(brokers(bootstrap, kafka_config), topic, audit)
    if before.wrong is not None:
        console.note(f"{topic}: the record of models cannot be read: {before.wrong}")
    found = rows(
        before.record, read_lines(values_since(before.servers, audit, int(now_ms() - days * DAY_MS)))
    )
    say_rows(
        found, ("job", "model", "stage", "share", "state"), _cells, "no bundle is known to the topics", json
    )


def _cells(row: Row) -> tuple[str, ...]:
    return (row.job or "-", row.model, row.stage, f"{row.share:g}", row.state, *standing(row))


class _Before:
    """What the control topic said of models before a record is sent."""

    def __init__(self, servers: Servers, topic: str, audit: str) -> None:
        from faultline.kafka import last_values
        from faultline.live_models import read_record
        from records.model_control import MODEL_KEY

        self.servers, self.topic, self.audit = servers, topic, audit
        self.value = last_values(servers, topic).get(MODEL_KEY)
        self.record, self.wrong = read_record(self.value)


def _reference(bundle: str, at: str | None) -> BundleRef:
    """What a bundle's manifest says of it; BundleError where there is none that can be read.

    Everything else is for the workers to judge, who refuse it with a reason on the audit. A released bundle
    goes by its name: the workers have it in a folder of their own. One at a URL is downloaded here too.
    """
    from onnx_models.bundle import RELEASED, read_manifest
    from records.model_control import BundleRef

    folder = folder_at(bundle)
    manifest = read_manifest(folder)
    as_said = "://" in bundle or folder == RELEASED / bundle
    where = at or (bundle if as_said else str(folder.resolve()))
    return BundleRef(name=manifest.name, version=manifest.version, sha256=manifest.sha256, path=where)


def _tell(before: _Before, record: ModelRecord, what: str, timeout: float, json: bool) -> None:
    """Sends the record, waits for the answers, prints them; exits by what they say."""
    from faultline.live_models import read_lines
    from records.model_control import MODEL_KEY, ModelAck

    change = Change(
        key=MODEL_KEY,
        value=record.model_dump_json(exclude_none=True).encode(),
        before=before.value,
        request=record.request,
        what=what,
        look="faultline model status",
        needs="see that the job runs and that its `control` names this topic and broker; a graph must send",
    )
    place = Place(before.servers, before.topic, before.audit)
    tell(place, change, ModelAck, read_lines, timeout, lambda acks, took: _print(record, acks, took, json))


def _print(record: ModelRecord, acks: Sequence[ModelAck], seconds: float, json: bool) -> None:
    if json:
        answers = [ack.model_dump(mode="json") for ack in acks]
        told = {"action": record.action, "request": record.request, "seconds": round(seconds, 3)}
        console.say_json({**told, "record": record.model_dump(mode="json"), "answers": answers})
        return
    for ack in acks:
        place = f"{ack.job}: subtask {ack.subtask + 1} of {ack.subtasks}"
        tried = f", {ack.candidate} {ack.stage} of {ack.share:g}" if ack.candidate else ""
        loaded = f", loaded in {ack.load_ms:.0f} ms" if ack.load_ms else ""
        why = f": {ack.reason}" if ack.reason else ""
        live = ack.live or "the configuration's"
        console.say(f"{ack.state:<7}  {live} full{tried}  {place}{loaded}{why}")
