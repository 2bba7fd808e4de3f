"""`faultline model publish | rollback | status`: the bundles that serve in the running job.

Imports Kafka inside the commands.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from faultline import console, exits
from faultline.model_bundles import BUNDLE_HELP, folder_at
from faultline.pattern_live import Audit, Bootstrap, Timeout, Topic
from faultline.words import clock

if TYPE_CHECKING:
    from faultline.live_models import Row
    from records.model_control import BundleRef, ModelAck, ModelRecord

DAY_MS: Final = 86_400_000
_CONTROL: Final = "faultline.control.v1"
_AUDIT: Final = "faultline.audit.v1"

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
    at: Annotated[
        str | None,
        typer.Option(help="Where the workers see the folder, a path or file:// URL; unset, as it is here."),
    ] = None,
    timeout: Timeout = 60.0,
    topic: Topic = _CONTROL,
    audit: Audit = _AUDIT,
    json: console.Json = False,
) -> None:
    """Have the workers load and prove a bundle, switch it on in the running job, and print the answers."""
    from faultline.live_models import published
    from records.errors import UsageError

    if not 0 < share <= 1:
        raise UsageError(f"--share {share:g}: not above 0 and at most 1", "name a part of all graphs: 0.1")
    reference = _reference(bundle, at)
    before = _Before(bootstrap, topic, audit)
    part = share if stage == "canary" else 1.0
    record = published(before.record, reference, stage, part, _now(), uuid.uuid4().hex)
    _tell(before, record, f"{reference.label} ({stage})", timeout, json)


def rollback(
    bootstrap: Bootstrap,
    timeout: Timeout = 60.0,
    topic: Topic = _CONTROL,
    audit: Audit = _AUDIT,
    json: console.Json = False,
) -> None:
    """Take back the bundle that is tried, or else the live one for the one before it."""
    from faultline.live_models import taken_back

    before = _Before(bootstrap, topic, audit)
    record = taken_back(before.record, _now(), uuid.uuid4().hex)
    _tell(before, record, "rollback", timeout, json)


def status(
    bootstrap: Bootstrap,
    days: Annotated[float, typer.Option(min=0, help="How far back the audit is read.")] = 7.0,
    topic: Topic = _CONTROL,
    audit: Audit = _AUDIT,
    json: console.Json = False,
) -> None:
    """Show which bundles serve: stage, share, since when, in how many subtasks."""
    from faultline.kafka import values_since
    from faultline.live_models import read_lines, rows

    before = _Before(bootstrap, topic, audit)
    if before.wrong is not None:
        console.note(f"{topic}: the record of models cannot be read: {before.wrong}")
    found = rows(before.record, read_lines(values_since(bootstrap, audit, int(_now() - days * DAY_MS))))
    if json:
        for row in found:
            told = asdict(row)
            console.say_json({**told, "from": told.pop("from_")})
        return
    if not found:
        console.say("no bundle is known to the topics")
        return
    columns = ("job", "model", "stage", "share", "state", "since", "from", "subtasks", "reason")
    console.table(columns, [_cells(row) for row in found])


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.job or "-",
        row.model,
        row.stage,
        f"{row.share:g}",
        row.state,
        "-" if row.since is None else clock(row.since),
        row.from_,
        f"{row.answered} of {row.subtasks}" if row.subtasks else "-",
        row.reason or "",
    )


class _Before:
    """What the control topic said of models before a record is sent."""

    def __init__(self, servers: str, topic: str, audit: str) -> None:
        from faultline.kafka import last_values
        from faultline.live_models import read_record
        from records.model_control import MODEL_KEY

        self.servers, self.topic, self.audit = servers, topic, audit
        self.value = last_values(servers, topic).get(MODEL_KEY)
        self.record, self.wrong = read_record(self.value)


def _reference(bundle: str, at: str | None) -> BundleRef:
    """What a bundle's manifest says of it; BundleError where there is none that can be read.

    Everything else is for the workers to judge, who refuse it with a reason on the audit. A released bundle
    goes by its name: the workers have it in a folder of their own.
    """
    from onnx_models.bundle import RELEASED, read_manifest
    from records.model_control import BundleRef

    folder = folder_at(bundle)
    manifest = read_manifest(folder)
    where = at or (bundle if folder == RELEASED / bundle else str(folder.resolve()))
    return BundleRef(name=manifest.name, version=manifest.version, sha256=manifest.sha256, path=where)


def _now() -> int:
    return int(time.time() * 1_000)


def _tell(before: _Before, record: ModelRecord, what: str, timeout: float, json: bool) -> None:
    """Sends the record, waits for the answers, prints them; exits by what they say."""
    from faultline.kafka_send import COMPACTED, Follower, make_topic, send
    from records.errors import MachineError
    from records.model_control import MODEL_KEY

    if make_topic(before.servers, before.topic, COMPACTED):
        console.note(f"made the compacted topic {before.topic}")
    follower = Follower(before.servers, before.audit)
    try:
        began = time.monotonic()
        send(before.servers, before.topic, MODEL_KEY, record.model_dump_json(exclude_none=True).encode())
        console.note(f"sent {what}, waiting for answers")
        acks, complete = _answers(follower, record.request, began + timeout)
        seconds = time.monotonic() - began
    finally:
        follower.close()
    refused = [ack for ack in acks if ack.state == "refused"]
    if refused:
        send(before.servers, before.topic, MODEL_KEY, before.value)
    _print(record, acks, seconds, json)
    if not acks:
        message = (
            f"no job answered within {timeout:g} s; one that reads {before.topic} later takes the record"
        )
        mend = "see that the job runs and that its `control` names this topic and broker; a graph must send"
        raise MachineError(message, mend)
    if refused:
        console.note("refused: the topic holds what it held before")
        raise typer.Exit(exits.FINDINGS)
    if not complete:
        message = f"only {len(acks)} of {_expected(acks)} subtasks answered within {timeout:g} s"
        raise MachineError(message, "see `faultline model status` later, and the job's log")


def _answers(follower: Any, request: str, until: float) -> tuple[list[ModelAck], bool]:
    """The answers to a request, and whether every subtask of each job that answered is among them."""
    from faultline.live_models import read_lines
    from records.model_control import ModelAck

    acks: dict[tuple[str, int], ModelAck] = {}
    for value in follower.values(until):
        for told in [] if value is None else read_lines([value]):
            if isinstance(told, ModelAck) and told.request == request:
                acks[told.who] = told
        if acks and len(acks) == _expected(list(acks.values())):
            break
    found = [acks[who] for who in sorted(acks)]
    return found, bool(found) and len(found) == _expected(found)


def _expected(acks: list[ModelAck]) -> int:
    """How many subtasks answer, going by those that did."""
    return sum({ack.job: ack.subtasks for ack in acks}.values())


def _print(record: ModelRecord, acks: list[ModelAck], seconds: float, json: bool) -> None:
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
