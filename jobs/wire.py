"""What passes between the job's Python operators: requests to score, drafts of events, ends of incidents.

Owns these bytes; each has a version, since they lie in checkpoints too (records in flight). Imports
records, orjson and jobs.incident.

    request   magic "FLRQ" | version u16 | length u32 + JSON | count u32 | count x (length u32 + frame row)
    end       JSON
    draft     JSON of an IncidentEvent whose revision and status are still to be set
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from jobs.grouping import Incident
from jobs.incident import Ending
from jobs.incident_state import StateError, incident_of, open_versioned, plain_bytes
from jobs.model_state import record_of
from records.model_control import ModelRecord

SCORE, DRAFT, END = "score", "draft", "end"
"""Kinds of rows between incidents, score and publish."""
_MAGIC: Final = b"FLRQ"
_VERSION: Final = 2
_READERS: Final = (1, 2)
"""Version 1 had no word of models."""
_END_VERSION: Final = 1
_HEAD: Final = struct.Struct("<4sHI")
_SIZE: Final = struct.Struct("<I")


@dataclass(frozen=True)
class Request:
    """Score the cause of `incident` at `time` (ms) from `rows`.

    Frame rows as bytes, oldest first, maybe none. `models`: which bundles serve, None for the
    configuration's.
    """

    graph: str
    time: int
    incident: Incident
    rows: tuple[bytes, ...]
    models: ModelRecord | None = None


@dataclass(frozen=True)
class End:
    """An incident ended at `time`; `since`: from when on it was quiet. Both ms."""

    incident_id: str
    time: int
    ending: Ending
    since: int


def write_request(request: Request) -> bytes:
    """The request as bytes."""
    head = {"graph": request.graph, "time": request.time, "incident": request.incident}
    if request.models is not None:
        head["models"] = request.models.model_dump()
    text = plain_bytes(head)
    parts = [_HEAD.pack(_MAGIC, _VERSION, len(text)), text, _SIZE.pack(len(request.rows))]
    for row in request.rows:
        parts += [_SIZE.pack(len(row)), row]
    return b"".join(parts)


def read_request(data: bytes) -> Request:
    """The request in `data`; StateError where the bytes are none of a known version."""
    try:
        magic, version, size = _HEAD.unpack_from(data)
        if magic != _MAGIC or version not in _READERS:
            raise StateError(f"a request of version {version}", "restore with the release that wrote it")
        head = orjson.loads(data[_HEAD.size : _HEAD.size + size])
        rows = _read_rows(data, _HEAD.size + size)
    except (struct.error, orjson.JSONDecodeError) as error:
        raise StateError(f"a request that is cut short: {error}", "restore another savepoint") from error
    models = record_of(head.get("models"))
    return Request(head["graph"], head["time"], incident_of(head["incident"]), rows, models)


def _read_rows(data: bytes, offset: int) -> tuple[bytes, ...]:
    (count,) = _SIZE.unpack_from(data, offset)
    offset += _SIZE.size
    rows = []
    for _ in range(count):
        (size,) = _SIZE.unpack_from(data, offset)
        offset += _SIZE.size
        rows.append(data[offset : offset + size])
        offset += size
    if offset > len(data):
        raise StateError("a request that is cut short", "restore another savepoint")
    return tuple(rows)


def write_end(end: End) -> bytes:
    """The ending as bytes."""
    return plain_bytes({"v": _END_VERSION, **vars(end)})


def read_end(data: bytes) -> End:
    """The ending in `data`; StateError where it is of another version."""
    return End(**open_versioned(data, "end of an incident", (_END_VERSION,)))


def pick(ring: Sequence[int], stored: dict[int, bytes]) -> tuple[bytes, ...]:
    """The stored rows at the times of `ring`, in order; a time without a row is left out."""
    return tuple(stored[time] for time in ring if time in stored)
