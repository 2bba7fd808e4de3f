"""The control topic's record of models and the job's answers: what is read, refused, and taken back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from records.model_control import BundleRef, Candidate, ModelAck, ModelRecord, ModelsLive, read_told
from records.shares import covers, place

GOLDEN = Path(__file__).with_name("golden")
CONTROL, ANSWERS = GOLDEN / "model_control_v1.ndjson", GOLDEN / "model_answers_v1.ndjson"
T = 1_767_225_600_000


def ref(version: int) -> BundleRef:
    return BundleRef(name="gnn", version=version, sha256=f"{version:064x}", path=f"/models/gnn-{version}")


def record(**more: Any) -> ModelRecord:
    return ModelRecord.model_validate({"action": "publish", "time": T, "request": "r1", **more})


def test_records_of_the_first_release_are_read_and_written_as_they_were() -> None:
    lines = CONTROL.read_bytes().splitlines()
    assert len(lines) == 3
    read = [ModelRecord.model_validate_json(line) for line in lines]
    assert [each.model_dump_json(exclude_none=True).encode() for each in read] == lines


def test_answers_of_the_first_release_are_read() -> None:
    told = [read_told(line) for line in ANSWERS.read_bytes().splitlines()]
    assert [type(each) for each in told] == [ModelAck, ModelAck, ModelsLive]
    assert read_told(b'{"type":"model_error","graph":"shop"}') is None


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"kind": "pattern"},
        {"action": "retire"},
        {"by": "job"},
        {"replaces": "r0"},
        {"live": {"name": "gnn", "version": 1, "sha256": "short", "path": "/m"}},
        {"candidate": {"bundle": ref(2).model_dump(), "stage": "half"}},
        {"candidate": {"bundle": ref(2).model_dump(), "stage": "canary", "share": 0}},
        {"unknown": 1},
    ],
    ids=str,
)
def test_what_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        record(**change)


def test_a_candidate_that_is_taken_back_leaves_the_live_one() -> None:
    tried = Candidate(bundle=ref(3), stage="canary", share=0.5)
    told = record(live=ref(2), previous=ref(1), candidate=tried).without(ref(3).sha256, "slow", T + 1)
    assert (told.live, told.previous, told.candidate) == (ref(2), ref(1), None)
    assert (told.by, told.replaces, told.reason, told.action) == ("job", "r1", "slow", "rollback")


def test_a_live_one_that_is_taken_back_gives_way_to_the_one_before() -> None:
    told = record(live=ref(2), previous=ref(1)).without(ref(2).sha256, "errors", T + 1)
    assert (told.live, told.previous) == (ref(1), None)
    assert record(live=ref(2)).without(ref(2).sha256, "errors", T + 1).live is None


def test_a_share_covers_the_same_graphs_as_in_the_jvm() -> None:
    assert place("p", "shop") == 0.6424403687833179
    graphs = [f"graph-{number}" for number in range(1_000)]
    small, large = ({each for each in graphs if covers("gnn", each, share)} for share in (0.1, 0.5))
    assert small < large
    assert 60 < len(small) < 140
    assert all(covers("gnn", each, 1.0) for each in graphs)


def test_only_a_canary_answers() -> None:
    assert Candidate(bundle=ref(1), stage="canary").answers("shop")
    assert not Candidate(bundle=ref(1), stage="shadow").answers("shop")
