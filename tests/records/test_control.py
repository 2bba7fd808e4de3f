"""The control topic's records and the job's answers: golden files of version 1, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from cep_patterns.yaml_loader import load_library
from records.control import (
    LARGEST_BYTES,
    ControlRecord,
    PatternAck,
    PatternsLive,
    PatternSuspended,
    read_told,
)

GOLDEN = Path(__file__).with_name("golden")
CONTROL, ANSWERS = GOLDEN / "control_v1.ndjson", GOLDEN / "pattern_answers_v1.ndjson"


def lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines()


def test_records_of_the_first_release_are_read_and_written_as_they_were() -> None:
    written = [
        ControlRecord.model_validate_json(line).model_dump_json(exclude_none=True).encode()
        for line in lines(CONTROL)
    ]
    assert written == lines(CONTROL)


def test_answers_of_the_first_release_are_read() -> None:
    told = [read_told(line) for line in lines(ANSWERS)]
    assert [type(each) for each in told] == [PatternAck, PatternAck, PatternsLive, PatternSuspended]
    assert [orjson.loads(each.model_dump_json(by_alias=True)) for each in told if each] == [
        orjson.loads(line) for line in lines(ANSWERS)
    ]


def test_other_lines_of_the_audit_say_nothing_of_patterns() -> None:
    assert read_told(b'{"type":"late","graph":"shop","node":"cart","time":1,"samples":2}') is None


def test_every_pattern_of_the_library_fits_a_record() -> None:
    for pattern in load_library():
        record = ControlRecord(
            action="publish",
            id=pattern.id,
            version=pattern.version,
            pattern=pattern.wire(),
            time=1,
            request="r",
        )
        assert len(record.model_dump_json()) < LARGEST_BYTES


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"kind": "model"},
        {"action": "stop"},
        {"id": "no id"},
        {"version": 0},
        {"in_flight": "wait"},
        {"share": 0},
        {"share": 1.5},
        {"pattern": {}},
        {"more": 1},
    ],
)
def test_what_is_no_record_is_refused(change: dict[str, Any]) -> None:
    whole = {"action": "retire", "id": "p", "version": 1, "time": 1, "request": "r"}
    assert ControlRecord.model_validate(whole).in_flight == "drain"
    with pytest.raises(ValidationError):
        ControlRecord.model_validate({**whole, **change})
