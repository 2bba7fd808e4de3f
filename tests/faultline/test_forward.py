"""`events forward` from a file to a real HTTP server: what is taken, tried again, refused, what ends it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.delivery import LONGEST_ASKED_S, LONGEST_WAIT_S, Answer, post, verdict, wait_s
from faultline.forward import Memory
from faultline.main import app
from tests.faultline.run_folder_kit import event
from tests.kit.processes import free_ports
from tests.kit.receiver import HttpReceiver, Reply

NOW = {"Retry-After": "0"}
SECRET = {"FAULTLINE_FORWARD_SECRET": "k" * 32}


@pytest.fixture
def events(tmp_path: Path) -> Path:
    file = tmp_path / "incidents.ndjson"
    file.write_text("".join(event(n).model_dump_json() + "\n" for n in (1, 2, 3)))
    return file


def run(file: Path, to: str, url: str, *more: str) -> Result:
    arguments = ["events", "forward", str(file), "--to", to, "--url", url, *more]
    return CliRunner().invoke(app, arguments, env=SECRET)


def outcomes(done: Result) -> list[tuple[str, str, int]]:
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(line["id"].rpartition(":")[2], line["outcome"], line["tries"]) for line in lines]


@pytest.mark.parametrize(
    ("to", "path"),
    [("alertmanager", "/api/v2/alerts"), ("pagerduty", "/v2/enqueue"), ("otlp", "/v1/logs")],
)
def test_every_revision_is_delivered_once(events: Path, to: str, path: str) -> None:
    with HttpReceiver(Reply(202)) as receiver:
        done = run(events, to, receiver.url, "--json")
    assert done.exit_code == exits.OK, done.output
    assert outcomes(done) == [("1", "delivered", 1), ("2", "delivered", 1), ("3", "delivered", 1)]
    assert [each.path for each in receiver.posts] == [path] * 3
    assert {each.headers["content-type"] for each in receiver.posts} == {"application/json"}
    keyed = to == "pagerduty"
    assert [each.headers.get("authorization") for each in receiver.posts] == (
        [None if keyed else "Bearer " + "k" * 32] * 3
    )
    assert ("k" * 32 in str(receiver.posts[0].body)) == keyed
    assert "k" * 32 not in done.output


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_receiver_that_is_busy_or_fails_is_tried_again(events: Path, status: int) -> None:
    with HttpReceiver(Reply(status, b"later", NOW), Reply(status, b"later", NOW), Reply()) as receiver:
        done = run(events, "alertmanager", receiver.url, "--limit", "1", "--json")
    assert outcomes(done) == [("1", "delivered", 3)]
    assert done.exit_code == exits.OK
    assert receiver.posts[0].body == receiver.posts[2].body
    assert f"{status}: later; again in 0 s" in done.stderr


def test_a_receiver_that_is_not_there_yet_is_waited_for(events: Path) -> None:
    (port,) = free_ports(1)
    answer = post(f"http://127.0.0.1:{port}", b"{}", {}, 5.0)
    assert (answer.status, verdict(answer)) == (None, "away")


def test_what_is_refused_is_passed_over_and_told(events: Path) -> None:
    with HttpReceiver(Reply(400, b"no such field"), Reply()) as receiver:
        done = run(events, "otlp", receiver.url)
    assert done.exit_code == exits.FINDINGS
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["refused", "delivered", "delivered"]
    assert "400: no such field" in done.stdout
    assert "delivered 2, refused 1" in done.stderr


def test_a_receiver_that_always_fails_is_given_up(events: Path) -> None:
    with HttpReceiver(Reply(500, b"panic", NOW)) as receiver:
        done = run(events, "alertmanager", receiver.url, "--patience", "1ms", "--limit", "1")
    assert done.exit_code == exits.FINDINGS
    assert len(receiver.posts) >= 2
    assert "500: panic" in done.stdout


def test_logs_that_a_collector_drops_are_no_delivery(events: Path) -> None:
    dropped = b'{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}'
    with HttpReceiver(Reply(200, dropped), Reply(200, b'{"partialSuccess":{}}')) as receiver:
        done = run(events, "otlp", receiver.url, "--limit", "2", "--json")
    assert [what for _, what, _ in outcomes(done)] == ["refused", "delivered"]
    assert "too old" in done.stdout


@pytest.mark.parametrize(
    "reply", [Reply(401, b"no"), Reply(404), Reply(302, b"", {"Location": "/elsewhere"})]
)
def test_a_wrong_address_or_key_ends_it(events: Path, reply: Reply) -> None:
    with HttpReceiver(reply) as receiver:
        done = run(events, "alertmanager", receiver.url)
    assert done.exit_code == exits.ENVIRONMENT
    assert len(receiver.posts) == 1
    assert f"answers {reply.status}" in done.stderr
    assert "correct --url" in done.stderr


def test_what_was_told_is_not_told_again(events: Path) -> None:
    events.write_text(events.read_text() * 2)
    with HttpReceiver() as receiver:
        done = run(events, "pagerduty", receiver.url, "--json")
    assert [what for _, what, _ in outcomes(done)] == ["delivered"] * 3 + ["repeated"] * 3
    assert [each.body["event_action"] for each in receiver.posts] == ["trigger", "trigger", "resolve"]


def test_a_dry_run_prints_and_sends_nothing(events: Path) -> None:
    with HttpReceiver() as receiver:
        done = run(events, "alertmanager", receiver.url, "--dry-run")
    assert receiver.posts == []
    bodies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [len(body) for body in bodies] == [1, 1, 1]
    assert bodies[2][0]["labels"] == bodies[0][0]["labels"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--to", "pager", "--url", "http://x"], "no receiver 'pager'; did you mean 'pagerduty'"),
        (["--to", "otlp"], "where is otlp"),
        (["--to", "otlp", "--url", "collector:4318"], "no address of a receiver"),
        (["--to", "otlp", "--url", "http://me:pass@host"], "an address must hold no password"),
        (["--to", "pagerduty"], "PagerDuty needs the key"),
        (["--to", "otlp", "--url", "http://x", "--bootstrap-servers", "x:1"], "not both"),
    ],
)
def test_what_is_meant_must_be_clear(events: Path, more: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["events", "forward", str(events), *more])
    assert done.exit_code == exits.USAGE
    assert said in " ".join(done.stderr.split())


def test_the_key_may_stand_in_a_file(events: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("from-a-file\n")
    with HttpReceiver(Reply(202)) as receiver:
        run(events, "pagerduty", receiver.url, "--secret-file", str(key), "--limit", "1")
    assert receiver.posts[0].body["routing_key"] == "from-a-file"


def test_waits_grow_up_to_a_bound_and_heed_the_receiver() -> None:
    away = Answer(503, "")
    assert [wait_s(tries, away) for tries in (1, 2, 3, 4)] == [1, 2, 4, 8]
    assert wait_s(500, away) == LONGEST_WAIT_S
    assert wait_s(1, Answer(429, "", 7.0)) == 7.0
    assert wait_s(1, Answer(429, "", 1e9)) == LONGEST_ASKED_S


def test_a_date_may_say_when_to_come_again(events: Path) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    with HttpReceiver(
        Reply(429, b"", {"Retry-After": later}), Reply(429, b"", {"Retry-After": "soon"})
    ) as there:
        asked = post(there.url, b"{}", {}, 30.0)
        unsaid = post(there.url, b"{}", {}, 30.0)
    assert asked.retry_after_s is not None
    assert 3_000 < asked.retry_after_s <= 3_600
    assert unsaid.retry_after_s is None


def test_memory_keeps_the_newest_revision_of_each_incident() -> None:
    memory = Memory()
    for revision in (1, 3, 2):
        memory.note(event(revision))
    known = memory[event(1).incident_id]
    assert known is not None
    assert (known.revision, known.status, known.triggers) == (3, "resolved", [])
    assert memory["another"] is None
