"""Verdicts on incidents: what they hold, the golden form, and the labels made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from records.feedback import Feedback, feedback, labels
from tests.faultline.run_folder_kit import event

GOLDEN = Path(__file__).with_name("golden") / "feedback_v1.ndjson"
FIELDS: dict[str, Any] = {
    "graph": "shop",
    "incident_id": "i1",
    "revision": 2,
    "verdict": "cause",
    "node": "redis",
    "onset": 1_000,
    "until": 9_000,
    "time": 20_000,
}


def test_verdicts_of_the_first_release_are_read_and_written_as_they_were() -> None:
    lines = GOLDEN.read_bytes().splitlines()
    read = [Feedback.model_validate_json(line) for line in lines]
    assert [each.verdict for each in read] == ["true", "false", "cause"]
    assert [each.model_dump_json(exclude_none=True).encode() for each in read] == lines


@pytest.mark.parametrize(
    "change",
    [{"v": 2}, {"node": None}, {"verdict": "false"}, {"verdict": "maybe"}, {"revision": 0}, {"who": "me"}],
)
def test_what_says_nothing_clear_is_refused(change: dict[str, Any]) -> None:
    Feedback.model_validate(FIELDS)
    with pytest.raises(ValidationError):
        Feedback.model_validate(FIELDS | change)


def test_a_true_verdict_confirms_the_first_cause() -> None:
    told = event(1)
    given = feedback(told, "true", 5)
    first = min(told.root_causes, key=lambda each: each.rank)
    assert (given.node, given.signal, given.incident_id) == (first.node, first.signal, told.incident_id)
    assert given.onset == told.onset <= given.until


def test_nothing_ranked_is_nothing_to_confirm() -> None:
    with pytest.raises(ValueError, match="names no cause"):
        feedback(event(1).model_copy(update={"root_causes": []}), "true", 5)


def test_the_last_word_on_an_incident_is_its_label() -> None:
    first = Feedback.model_validate(FIELDS)
    other = Feedback.model_validate(FIELDS | {"incident_id": "i2", "onset": 500, "signal": "cpu"})
    wrong = Feedback.model_validate(FIELDS | {"verdict": "false", "node": None})
    assert [(each.node, each.signal, each.start, each.end) for each in labels([first, other])] == [
        ("redis", "cpu", 500, 9_000),
        ("redis", None, 1_000, 9_000),
    ]
    assert [each.start for each in labels([first, other, wrong])] == [500]
