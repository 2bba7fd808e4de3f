"""The bytes of an incident state: versioned JSON, readable in a savepoint, the same for the same state.

Owns the layout; a golden file holds every released version readable. Imports orjson and jobs.incident.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from jobs.alerts import Alert
from jobs.grouping import Incident
from jobs.incident import State
from records.errors import DataError

VERSION: Final = 1
_READERS: Final = (1,)


class StateError(DataError):
    """State bytes of a version this release cannot read."""


def write_state(state: State) -> bytes:
    """The state as bytes."""
    return plain_bytes({"v": VERSION, **vars(state)})


def plain_bytes(fields: dict[str, Any]) -> bytes:
    """JSON with sorted keys, dataclasses as their fields: several times faster than `dataclasses.asdict`."""
    return orjson.dumps(fields, vars, option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS)


def read_state(data: bytes) -> State:
    """The state in `data`; StateError where it was written by a release that is not known here."""
    fields = open_versioned(data, "incident state", _READERS)
    incidents = tuple(incident_of(each) for each in fields.pop("incidents"))
    return State(
        **{**fields, "waiting": _alerts(fields["waiting"]), "ring": tuple(fields["ring"])},
        incidents=incidents,
    )


def incident_of(fields: dict[str, Any]) -> Incident:
    """The incident in its plain fields, as `write_state` writes them."""
    return Incident(**{**fields, "alerts": _alerts(fields["alerts"])})


def open_versioned(data: bytes, what: str, versions: tuple[int, ...]) -> dict[str, Any]:
    """The fields of a versioned JSON object without its version.

    StateError where that is not in `versions`.
    """
    try:
        fields = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise StateError(
            f"{what}: {len(data)} bytes that are no JSON", "restore from another savepoint"
        ) from error
    found = fields.pop("v", None) if isinstance(fields, dict) else None
    if found not in versions:
        raise StateError(
            f"{what}: version {found!r}; this release reads {', '.join(map(str, versions))}",
            "restore with the release that wrote the savepoint",
        )
    return dict(fields)


def _alerts(many: list[dict[str, Any]]) -> tuple[Alert, ...]:
    return tuple(Alert(**{**each, "samples": tuple(each["samples"])}) for each in many)
