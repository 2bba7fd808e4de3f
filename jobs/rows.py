"""The row types between the JVM and the Python operators. Imports pyflink."""

from __future__ import annotations

from typing import Any, Final

import orjson
from pyflink.common import Row, Types
from pyflink.common.typeinfo import RowTypeInfo, TypeInformation

from records.control import AUDIT_TOPIC
from records.control import DEAD_LETTERS_TOPIC as DEAD_LETTERS_TOPIC
from records.model_control import MODEL_KEY

FRAME, MATCH = "frame", "match"
"""Kinds of rows of the JVM's `observations`."""
INCIDENTS_TOPIC: Final = "faultline.incidents.v1"
MATCHES_TOPIC: Final = "faultline.matches.v1"
FRAMES_TOPIC: Final = "faultline.frames.v1"


def observation_type() -> TypeInformation:
    """Row(graph, kind, time in ms, payload): observations, requests, drafts and ends."""
    kinds = [Types.STRING(), Types.STRING(), Types.LONG(), Types.PRIMITIVE_ARRAY(Types.BYTE())]
    return RowTypeInfo(kinds, ["graph", "kind", "time", "payload"])


def record_type() -> TypeInformation:
    """Row(topic, key, value, headers): what `Entry.sinks` takes."""
    content = Types.PRIMITIVE_ARRAY(Types.BYTE())
    kinds = [Types.STRING(), content, content, Types.MAP(Types.STRING(), Types.STRING())]
    return RowTypeInfo(kinds, ["topic", "key", "value", "headers"])


def record(topic: str, key: str, value: bytes, headers: dict[str, str]) -> Row:
    """A record for the sinks."""
    return Row(topic, key.encode(), value, headers)


def model_record(topic: str, value: bytes) -> Row:
    """The record of models for the control topic."""
    return record(topic, MODEL_KEY, value, {"content-type": "application/json"})


def audit(graph: str, fields: dict[str, Any]) -> Row:
    """A line of the audit about a graph."""
    return audit_of_job(graph, {"graph": graph, **fields})


def audit_of_job(key: str, fields: dict[str, Any]) -> Row:
    """A line of the audit with these fields alone."""
    value = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
    return record(AUDIT_TOPIC, key, value, {"content-type": "application/json"})
