"""Drafts and ends that come out of turn: told in the order of their places, each once, none held for ever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

import pytest

from jobs.in_turn import InTurn
from jobs.incident_state import StateError
from jobs.wire import END, placed


class Value:
    """A value in memory."""

    def __init__(self) -> None:
        self.held: bytes | None = None

    def value(self) -> bytes | None:
        return self.held

    def update(self, value: bytes) -> None:
        self.held = value


class Entries(dict[int, bytes]):
    """Entries in memory."""

    def put(self, key: int, value: bytes) -> None:
        self[key] = value

    def remove(self, key: int) -> None:
        del self[key]


def told(places: Iterable[int | None], stands: Value | None = None) -> list[list[str]]:
    """What is told with each of the payloads, which are named by their places."""
    stands, early = stands or Value(), Entries()
    given = []
    for place in places:
        body = str(place).encode()
        # A new one for each, as after a restore: nothing is kept but in the stores.
        taken = InTurn(stands, early).take(END, body if place is None else placed(place, body))
        given.append([f"{kind} {data.decode()}" for kind, data in taken])
    assert not early
    return given


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_the_order_is_that_of_the_places(order: Sequence[int]) -> None:
    given = told(order)
    assert [line for lines in given for line in lines] == [f"end {place}" for place in range(4)]
    assert len(given[order.index(0)]) >= 1


def test_what_is_next_waits_for_nothing_after_it() -> None:
    assert told([0, 2, 1]) == [["end 0"], [], ["end 1", "end 2"]]


def test_without_a_place_or_with_one_that_is_over_it_is_told_at_once() -> None:
    assert told([None, 0, 0]) == [["end None"], ["end 0"], ["end 0"]]


def test_a_kind_is_kept_with_what_waits() -> None:
    turns = InTurn(Value(), Entries())
    assert list(turns.take("failed", placed(1, b"one"))) == []
    assert list(turns.take("draft", placed(0, b"zero"))) == [("draft", b"zero"), ("failed", b"one")]


def test_state_of_a_later_release_is_refused() -> None:
    stands = Value()
    told([0], stands)
    assert stands.held is not None
    stands.held = b"\x09\x00" + stands.held[2:]
    with pytest.raises(StateError, match="version 9"):
        told([1], stands)
    with pytest.raises(StateError, match="version 9"):
        list(InTurn(Value(), Entries()).take(END, b"FLPL\x09\x00" + bytes(8)))
