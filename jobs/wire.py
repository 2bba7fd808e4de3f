"""What passes between the job's Python operators: requests to score, drafts of events, ends of incidents.

Owns these bytes; each has a version, since they lie in checkpoints too (records in flight). Imports
records, orjson and jobs.incident.

    place     magic "FLPL" | version u16 | number u64: before a request, a draft and an end; releases before
              had none
    request   magic "FLRQ" | version u16 | length u32 + JSON | count u32 | count x (length u32 + frame row)
    end       JSON
    draft     JSON of an IncidentEvent whose revision and status are still to be set
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
_PLACE: Final = struct.Struct("<4sHQ")
_PLACE_MAGIC: Final = b"FLPL"
_PLACE_VERSION: Final = 1


@dataclass(frozen=True)
class Request:
    """Score the cause of `incident` at `time` (ms) from `rows`.

    Frame rows as bytes, oldest first, maybe none. `models`: which bundles serve, None for the
    configuration's. `elsewhere`: times of the rows that are empty here, in order: who scores has them.
    """

    graph: str
    time: int
    incident: Incident
    rows: tuple[bytes, ...]
    models: ModelRecord | None = None
    elsewhere: tuple[int, ...] = ()

    def filled(self, stored: Callable[[int], bytes | None]) -> Request:
        """The request with the rows that were elsewhere, `stored` by time; what is not there is left out."""
        times = iter(self.elsewhere)
        rows = tuple(found for row in self.rows if (found := row or stored(next(times))))
        return replace(self, rows=rows, elsewhere=())


@dataclass(frozen=True)
class End:
    """An incident ended at `time`; `since`: from when on it was quiet. Both ms."""

    incident_id: str
    time: int
    ending: Ending
    since: int


def placed(place: int, payload: bytes) -> bytes:
    """The payload with its number among all requests and ends of its graph, from 0."""
    return _PLACE.pack(_PLACE_MAGIC, _PLACE_VERSION, place) + payload


def prefix_of(payload: bytes) -> bytes:
    """The bytes that say its place; empty where it has none."""
    return payload[: _PLACE.size] if payload[:4] == _PLACE_MAGIC else b""


def place_of(payload: bytes) -> int | None:
    """Its place, None where it has none; StateError where a later release wrote it."""
    if payload[:4] != _PLACE_MAGIC:
        return None
    _, version, place = _PLACE.unpack_from(payload)
    if version != _PLACE_VERSION:
        raise StateError(f"a place of version {version}", "restore with the release that wrote it")
    return int(place)


def write_request(request: Request) -> bytes:
    """The request as bytes."""
    head = {"graph": request.graph, "time": request.time, "incident": request.incident}
    if request.models is not None:
        head["models"] = request.models.model_dump()
    if request.elsewhere:
        head["elsewhere"] = request.elsewhere
    text = plain_bytes(head)
    parts = [_HEAD.pack(_MAGIC, _VERSION, len(text)), text, _SIZE.pack(len(request.rows))]
    for row in request.rows:
        parts += [_SIZE.pack(len(row)), row]
    return b"".join(parts)


def read_request(data: bytes) -> Request:
    """The request in `data`, after its place; StateError where the bytes are none of a known version."""
    start = len(prefix_of(data))
    try:
        magic, version, size = _HEAD.unpack_from(data, start)
        if magic != _MAGIC or version not in _READERS:
            raise StateError(f"a request of version {version}", "restore with the release that wrote it")
        start += _HEAD.size
        head = orjson.loads(data[start : start + size])
        rows = _read_rows(data, start + size)
    except (struct.error, orjson.JSONDecodeError) as error:
        raise StateError(f"a request that is cut short: {error}", "restore another savepoint") from error
    models = record_of(head.get("models"))
    elsewhere = tuple(head.get("elsewhere", ()))
    return Request(head["graph"], head["time"], incident_of(head["incident"]), rows, models, elsewhere)


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
