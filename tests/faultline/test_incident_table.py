"""The table that ends a run: its columns, the verdicts, the summary."""

from __future__ import annotations

import pytest

from faultline.history import histories
from faultline.incident_table import COLUMNS, VERDICT, missed_lines, row, show, to_json
from faultline.judge import judge
from records.samples import Fault
from tests.faultline.run_folder_kit import at, event

SPANS = {"shop": (at(0), at(120))}
FAULT = Fault(graph="shop", node="cart", signal="cpu", start=at(60), end=at(70), kind="cpu_contention")
SECOND = event(1, incident_id="inc-2", onset=at(100), detected_at=at(101), time=at(101))


def test_a_row_says_cause_and_why() -> None:
    (incident,) = histories([event(1), event(2), event(3)])

    assert dict(zip(COLUMNS, row(incident, None), strict=True)) == {
        "graph": "shop",
        "cause": "cart",
        "signal": "cpu",
        "score": "0.87",
        "method": "model",
        "found": "2026-01-01 01:02:00",
        "delay": "2 min",
        "why": "cpu of cart rose to 97.4 %, 29 robust deviations above its baseline.",
    }


def test_the_table_is_plain_text_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    incidents = histories([event(1), SECOND])
    missed = FAULT.model_copy(update={"start": at(10), "end": at(12), "node": "redis"})
    show(incidents, judge(incidents, [FAULT, missed], SPANS))

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "graph",
        "cause",
        "signal",
        "score",
        "method",
        "found",
        "delay",
        VERDICT,
        "why",
    ]
    assert "right, 2 min after" in lines[1]
    assert "false alarm" in lines[2]
    assert lines[3] == "missed: shop/redis cpu_contention at 2026-01-01 00:10:00"
    assert lines[4] == "found 1 of 2 faults (1 within 5 min); 1 false alarm in 1.6 fault-free hours (0.61/h)"
    assert lines[5] == "AC@1 0.50  AC@3 0.50  (of those found: AC@1 1.00  AC@3 1.00)"


@pytest.mark.parametrize(
    ("node", "text"),
    [("cart", "right, 2 min after"), ("frontend", "rank 3, 2 min after"), ("ad", "not named, 2 min after")],
)
def test_the_verdict_says_where_the_true_node_ranked(node: str, text: str) -> None:
    incidents = histories([event(1)])
    judgement = judge(incidents, [FAULT.model_copy(update={"node": node})], SPANS)

    assert row(incidents[0], judgement)[-2] == text


def test_a_missed_fault_says_who_named_it() -> None:
    incidents = histories([event(1), event(2, time=at(90))])
    later = FAULT.model_copy(update={"start": at(88), "end": at(91)})
    lines = missed_lines(judge(incidents, [FAULT, later], SPANS))

    assert lines == [
        "missed: shop/cart cpu_contention at 2026-01-01 01:28:00 (named by inc-7c1f0e2b, open since before)"
    ]


def test_a_run_without_incidents(capsys: pytest.CaptureFixture[str]) -> None:
    show([], None)

    assert capsys.readouterr().out == "no incident\n"


def test_control_characters_in_names_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    cause = event(1).root_causes[0].model_copy(update={"node": "ca\x1b[31mrt\n[bold]x"})
    show(histories([event(1, root_causes=[cause])]), None)

    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[bold]x" in out
    assert len(out.splitlines()) == 2


def test_the_same_as_data() -> None:
    incidents = histories([event(1), event(3)])
    told = to_json(incidents, judge(incidents, [FAULT], SPANS))

    (first,) = told["incidents"]
    assert (first["cause"], first["delay_ms"], first["status"], first["revisions"]) == (
        "cart",
        120_000,
        "resolved",
        2,
    )
    assert [each["node"] for each in first["root_causes"]] == ["cart", "checkout", "frontend"]
    assert told["judgement"]["summary"]["ac1"] == 1
    assert to_json(incidents, None)["judgement"] is None
