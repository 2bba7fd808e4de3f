"""The committed schemas are those of the models, and every record that is written has one."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from records.schema import FOLDER, MODELS, schema, schema_text, write_schemas


@pytest.mark.parametrize("name", MODELS)
def test_the_committed_schema_is_the_model_s(name: str) -> None:
    committed = (FOLDER / f"{name}.json").read_bytes()
    assert committed == schema_text(name), "run python -m records.schema and look at what changed"


def test_no_schema_is_left_over() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.json")) == sorted(MODELS)


def test_a_schema_says_its_name_and_forbids_unknown_keys() -> None:
    incident = schema("incident.v1")
    assert incident["$id"] == "urn:faultline:schema:incident:v1"
    assert incident["additionalProperties"] is False
    assert {"incident_id", "revision", "status", "method"} <= set(incident["required"])


def test_times_are_said_by_their_wire_names() -> None:
    assert "as" in schema("rule.v1")["properties"]


def test_writing_gives_the_committed_files(tmp_path: Path) -> None:
    files = write_schemas(tmp_path)
    assert [orjson.loads(file.read_bytes())["$id"] for file in files] == [
        schema(name)["$id"] for name in MODELS
    ]
