"""JSON Schemas of every record, generated from the pydantic models.

`python -m records.schema` writes them anew.

A change of a committed schema is a change of what crosses a wire: it needs a new version where a reader
could break.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import BaseModel

from records.control import ControlRecord, PatternAck, PatternsLive
from records.feedback import Feedback
from records.incidents import IncidentEvent
from records.matches import Match
from records.model_control import ModelAck, ModelRecord, ModelsLive
from records.recordings import RecordingMeta
from records.rule_model import Rule
from records.samples import Edge, Fault, Sample

FOLDER: Final = Path(__file__).with_name("schemas")
MODELS: Final[dict[str, type[BaseModel]]] = {
    "sample.v1": Sample,
    "edge.v1": Edge,
    "fault.v1": Fault,
    "recording.v1": RecordingMeta,
    "match.v1": Match,
    "incident.v1": IncidentEvent,
    "feedback.v1": Feedback,
    "rule.v1": Rule,
    "control.v1": ControlRecord,
    "pattern_ack.v1": PatternAck,
    "patterns_live.v1": PatternsLive,
    "model_control.v1": ModelRecord,
    "model_ack.v1": ModelAck,
    "models_live.v1": ModelsLive,
}
"""Schema name (record and version) to its model."""


def schema(name: str) -> dict[str, Any]:
    """The schema of this name, as a mapping."""
    record, version = name.rsplit(".", 1)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:faultline:schema:{record}:{version}",
    }
    return {**head, **MODELS[name].model_json_schema(by_alias=True)}


def schema_text(name: str) -> bytes:
    """The schema as it is committed."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(schema(name), option=options)


def write_schemas(folder: Path = FOLDER) -> list[Path]:
    """Writes every schema into `folder`; returns the files."""
    folder.mkdir(exist_ok=True)
    files = []
    for name in MODELS:
        files.append(folder / f"{name}.json")
        files[-1].write_bytes(schema_text(name))
    return files


if __name__ == "__main__":
    write_schemas()
