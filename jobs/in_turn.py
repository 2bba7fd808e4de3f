"""The order of a graph's drafts and ends, which may come out of turn since large graphs are scored apart.

Each request and end has a place among those of its graph (jobs.wire), and each request gets one draft or is
told as failed; so what comes early waits until all before it have come. Owns these bytes, which lie in
checkpoints. The stores are handed in: Flink's state, keyed by graph.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, Protocol

from jobs.incident_state import StateError
from jobs.wire import place_of, prefix_of

_VERSION: Final = 1
_STATE: Final = struct.Struct("<HQI")
"""Version, the place that is next, how many wait."""


class One(Protocol):
    """A value."""

    def value(self) -> bytes | None: ...
    def update(self, value: bytes) -> None: ...


class Many(Protocol):
    """Payloads by place; the kind of row is before the payload, with its length in one byte."""

    def get(self, key: int) -> bytes | None: ...
    def put(self, key: int, value: bytes) -> None: ...
    def remove(self, key: int) -> None: ...


class InTurn:
    """Of the graph whose state is at hand."""

    def __init__(self, stands: One, early: Many) -> None:
        self._stands = stands
        self._early = early

    def take(self, kind: str, payload: bytes) -> Iterator[tuple[str, bytes]]:
        """What is next by now, in order, without places: kinds and payloads.

        What has no place, or one that is over, is next at once. StateError where a later release wrote it.
        """
        place, body = place_of(payload), payload[len(prefix_of(payload)) :]
        following, waiting = self._read()
        if place is None or place < following:
            yield kind, body
            return
        if place > following:
            self._early.put(place, _bytes(kind, body))
            self._write(following, waiting + 1)
            return
        yield kind, body
        following += 1
        while waiting and (kept := self._early.get(following)) is not None:
            self._early.remove(following)
            yield _read(bytes(kept))
            following, waiting = following + 1, waiting - 1
        self._write(following, waiting)

    def _read(self) -> tuple[int, int]:
        stored = self._stands.value()
        if stored is None:
            return 0, 0
        version, following, waiting = _STATE.unpack(bytes(stored))
        if version != _VERSION:
            raise StateError(f"turns of version {version}", "restore with the release that wrote them")
        return following, waiting

    def _write(self, following: int, waiting: int) -> None:
        self._stands.update(_STATE.pack(_VERSION, following, waiting))


def _bytes(kind: str, body: bytes) -> bytes:
    name = kind.encode()
    return bytes([len(name)]) + name + body


def _read(data: bytes) -> tuple[str, bytes]:
    end = 1 + data[0]
    return data[1:end].decode(), data[end:]
