"""When a retraining is due, and what `faultline model retrain --when` does where it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faultline import exits
from faultline.main import app
from faultline.retrain_rule import Rule, Seen, parse_rule, seen, waits
from onnx_models.bundle import default_bundle, load_bundle
from records.errors import UsageError
from records.feedback import Feedback
from tests.jobs.bundles import bundle

DAY = 86_400_000
NOW = 100 * DAY


def verdict(number: int, time: int) -> Feedback:
    return Feedback(
        graph="shop",
        incident_id=f"incident-{number}",
        revision=1,
        verdict="cause",
        node="redis",
        onset=time - 60_000,
        until=time - 1,
        time=time,
    )


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("labels=50", Rule(50, 0)),
        ("age=7d", Rule(0, 7 * DAY)),
        ("age = 36h , labels = 1", Rule(1, DAY * 3 // 2)),
    ],
)
def test_a_rule_says_labels_age_or_both(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "no condition"),
        ("labels=0", "labels=0"),
        ("labels=-3", "labels=-3"),
        ("labels=²", "labels=²"),
        ("labels=fifty", "fifty"),
        ("labels=5,labels=6", "twice"),
        ("age=7", "no duration"),
        ("weeks=2", "weeks=2"),
        ("labels=5,", "no condition"),
    ],
)
def test_a_rule_that_is_none_names_what_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        parse_rule(text)


def test_only_verdicts_after_the_last_retraining_count_and_an_incident_once() -> None:
    given = [verdict(number, number * DAY) for number in range(1, 11)]
    given.append(verdict(10, 11 * DAY))
    assert waits(Rule(labels=10), given, Seen(), NOW) is None
    assert waits(Rule(labels=11), given, Seen(), NOW) == "10 of 11 labels"
    assert waits(Rule(labels=10), given, Seen(until=6 * DAY), NOW) == "4 of 10 labels"
    assert waits(Rule(labels=4), given, Seen(until=6 * DAY), NOW) is None


def test_age_counts_from_the_last_retraining_and_needs_a_new_verdict() -> None:
    rule, given = Rule(age=7 * DAY), [verdict(1, NOW - DAY)]
    assert waits(rule, given, Seen(), NOW) is None
    assert waits(rule, given, Seen(until=1, at=NOW - 7 * DAY), NOW) is None
    told = waits(rule, given, Seen(until=1, at=NOW - 2 * DAY), NOW)
    assert told == "retrained 2d ago, not 7d"
    assert waits(rule, given, Seen(until=NOW, at=NOW - 8 * DAY), NOW) == "0 of 1 labels"
    both = waits(Rule(5, 7 * DAY), given, Seen(until=1, at=NOW - 2 * DAY), NOW)
    assert both == "1 of 5 labels, retrained 2d ago, not 7d"


def test_what_was_seen_is_read_off_the_manifests() -> None:
    shipped = load_bundle(default_bundle()).manifest
    assert seen([shipped]) == Seen()
    marked = [
        shipped.model_copy(update={"trained_on": {**shipped.trained_on, "archive": {"until": u, "at": a}}})
        for u, a in ((5, 50), (9, 40))
    ]
    assert seen([shipped, *marked]) == Seen(until=9, at=50)


def retrain(archive: Path, *more: str) -> Result:
    return CliRunner().invoke(app, ["model", "retrain", "--archive", str(archive), *more])


def test_where_the_rule_does_not_hold_nothing_is_done(tmp_path: Path) -> None:
    empty = retrain(tmp_path, "--when", "labels=50")
    assert (empty.exit_code, empty.stdout) == (exits.OK, "nothing to do: 0 of 50 labels\n")
    lines = [verdict(number, number * DAY).model_dump_json(exclude_none=True) for number in range(1, 13)]
    (tmp_path / "feedback.ndjson").write_text("\n".join(lines) + "\n")
    few = retrain(tmp_path, "--when", "labels=50,age=7d", "--out", str(tmp_path / "bundles"), "--json")
    assert few.exit_code == exits.OK
    assert json.loads(few.stdout) == {"due": False, "missing": "12 of 50 labels"}
    assert not (tmp_path / "bundles").exists()


def test_where_the_rule_holds_it_goes_on_to_the_frames(tmp_path: Path) -> None:
    (tmp_path / "feedback.ndjson").write_text(verdict(1, DAY).model_dump_json(exclude_none=True) + "\n")
    live = bundle(tmp_path / "live").path
    done = retrain(tmp_path / ".", "--when", "labels=1", "--live", str(live), "--out", str(tmp_path / "out"))
    assert done.exit_code == exits.FINDINGS
    assert "no frame rows" in done.stderr
