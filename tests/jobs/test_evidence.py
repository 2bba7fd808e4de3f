"""Evidence: what is said about a candidate, since when, and what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from jobs.evidence import clock, deviations, evidence_for, onset_of, silent_since, times_usual
from records.frames import EDGE_SERIES, FrameRow
from tests.jobs.rows import T0, TICK, alert, frame_row, tick_end

SLOW = {("cart", "latency"): 40.0}


def window(*wrong: dict[tuple[str, str], float] | None) -> list[FrameRow]:
    return [frame_row(tick, each) for tick, each in enumerate(wrong)]


def test_a_deviation_says_what_how_much_and_since_when() -> None:
    (first, *_) = evidence_for("cart", window(None, None, SLOW, SLOW), ())
    assert (first.kind, first.signal, first.z, first.time) == ("deviation", "latency", 40.0, T0 + 2 * TICK)
    assert first.text == "latency of cart is 6.4 times its usual since 00:00:30 UTC (z +40.0)"
    assert first.value == pytest.approx(0.25 * 41**0.5, rel=1e-3)
    assert (first.baseline, first.unit) == (0.25, "s")


def test_a_run_that_fills_the_window_began_before_it() -> None:
    (first, *_) = evidence_for("cart", window(SLOW, SLOW), ())
    assert "at least since 00:00:00 UTC" in first.text


def test_only_the_latest_run_counts() -> None:
    (run,) = deviations("cart", window(SLOW, None, SLOW, SLOW, None))
    assert run.since == T0 + 2 * TICK


def test_the_strongest_comes_first_and_others_are_left_alone() -> None:
    rows = window({("cart", "cpu"): 9.0, ("cart", "latency"): -30.0, ("frontend", "errors"): 90.0})
    assert [each.signal for each in deviations("cart", rows)] == ["latency", "cpu"]
    assert deviations("checkout", rows) == []
    assert evidence_for("checkout", rows, ()) == []


def test_a_silent_node_is_said_to_be_silent_since_its_last_frame() -> None:
    rows = [frame_row(5), frame_row(6, silent={"cart": 1}), frame_row(7, silent={"cart": 2})]
    (first, *_) = evidence_for("cart", rows, ())
    assert (first.kind, first.time) == ("silence", tick_end(5))
    assert first.text == f"cart fell silent: no value since {clock(tick_end(5))}"
    assert silent_since("frontend", rows[-1]) is None
    assert silent_since("nobody", rows[-1]) is None


def test_a_known_signal_without_values_is_told() -> None:
    gone = [frame_row(tick, absent=[("cart", "latency")]) for tick in range(2, 5)]
    (told,) = evidence_for("cart", [frame_row(0), frame_row(1), *gone], ())
    assert (told.kind, told.signal, told.time) == ("missing", "latency", tick_end(1))
    assert evidence_for("cart", [frame_row(0), frame_row(1), *gone[:2]], ()) == []


def test_what_callers_see_is_told_with_the_caller() -> None:
    row = frame_row(0)
    edge_frames = np.zeros_like(row.edge_frames)
    edge_frames[0, EDGE_SERIES.index("caller_latency")] = (20.0, 1.0, 1.0)
    seen = FrameRow(**{**row.__dict__, "edge_frames": edge_frames})
    (told,) = evidence_for("cart", [seen], ())
    assert (told.kind, told.peer, told.z) == ("calls", "frontend", 20.0)
    assert evidence_for("checkout", [seen], ()) == []


def test_a_match_on_the_node_is_told() -> None:
    (told,) = evidence_for("cart", window(None), [alert(0), alert(0, "frontend")])
    assert (told.kind, told.signal) == ("match", "latency")
    assert told.text == "pattern slow v1 matched on latency at 00:00:07 UTC"


@pytest.mark.parametrize(
    ("rel", "text"),
    [
        (0.0, "0% above its usual"),
        (0.1, "11% above its usual"),
        (-1.0, "63% below its usual"),
        (2.1, "8.2 times its usual"),
        (4.0, "more than 55 times its usual"),
    ],
)
def test_a_log_ratio_in_words(rel: float, text: str) -> None:
    assert times_usual(rel) == text


def test_the_onset_is_the_earliest_trace() -> None:
    rows = window(None, None, SLOW, SLOW, SLOW)
    assert onset_of("cart", rows, [alert(4)]) == T0 + 2 * TICK
    assert onset_of("frontend", rows, [alert(4)]) == alert(4).start
    silent = [frame_row(3), frame_row(4, silent={"checkout": 1})]
    assert onset_of("checkout", silent, [alert(4)]) == tick_end(3)
    assert onset_of("cart", [], [alert(4)]) == alert(4).start
