"""Requests and endings as bytes."""

from __future__ import annotations

import pytest

from jobs.grouping import Incident
from jobs.incident_state import StateError
from jobs.wire import (
    End,
    Request,
    pick,
    place_of,
    placed,
    prefix_of,
    read_end,
    read_request,
    write_end,
    write_request,
)
from records.frames import write_frame_row
from tests.jobs.rows import alert, frame_row, tick_end

INCIDENT = Incident(
    "inc-0123456789ab", tick_end(6), (alert(6), alert(7, "frontend")), tick_end(7), tick_end(7), None, 2
)


@pytest.mark.parametrize("count", [0, 1, 10])
def test_a_request_survives_its_bytes(count: int) -> None:
    rows = tuple(write_frame_row(frame_row(tick)) for tick in range(count))
    request = Request("shop", tick_end(9), INCIDENT, rows)
    assert read_request(write_request(request)) == request


def test_an_ending_survives_its_bytes() -> None:
    end = End("inc-0123456789ab", tick_end(9), "data_stopped", tick_end(2))
    assert read_end(write_end(end)) == end


@pytest.mark.parametrize("data", [b"", b"FLRQ", b"FLFR" + bytes(20), b"FLRQ\x09\x00" + bytes(20)])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(StateError):
        read_request(data)


@pytest.mark.parametrize("cut", [1, 40, 500])
def test_a_request_that_is_cut_short_is_refused(cut: int) -> None:
    data = write_request(Request("shop", 1, INCIDENT, (write_frame_row(frame_row(0)),)))
    with pytest.raises(StateError):
        read_request(data[:-cut])


def test_rows_are_picked_in_order_and_gaps_left_out() -> None:
    assert pick((1, 2, 3), {3: b"c", 1: b"a", 9: b"z"}) == (b"a", b"c")


def test_a_place_goes_before_a_request_and_is_told_apart_from_it() -> None:
    request = Request("shop", tick_end(9), INCIDENT, (write_frame_row(frame_row(0)),))
    data = placed(2**40, write_request(request))
    assert (place_of(data), read_request(data)) == (2**40, request)
    assert prefix_of(data) + write_request(request) == data
    assert (place_of(write_request(request)), prefix_of(write_request(request))) == (None, b"")


def test_rows_that_are_elsewhere_are_filled_in_in_order() -> None:
    short = Request("shop", 9, INCIDENT, (b"a", b"", b"c", b"", b""), elsewhere=(2, 4, 5))
    again = read_request(write_request(short))
    assert again == short
    stored = {2: b"b", 5: b"e"}
    assert again.filled(lambda at: stored.get(at)).rows == (b"a", b"b", b"c", b"e")
    assert again.filled(lambda at: None) == Request("shop", 9, INCIDENT, (b"a", b"c"))
