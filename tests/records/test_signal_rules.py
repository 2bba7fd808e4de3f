"""The shipped rules as the job applies them: a table of series, what each is taken for, and by which file."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from records.java import QUICK_START, run_main
from records.rules import first_match, load_rules, shipped_problems

TABLE = Path(__file__).with_name("signal_rules.txt")
ROW = re.compile(
    r"(?P<metric>[^{ ]+)(?:\{(?P<labels>.*)\})?(?: \((?P<kind>\w+) (?P<unit>\S+)\))? -> (?P<expected>.+)"
)


class Row(NamedTuple):
    """A line of the table; `file`: whose rules must decide, None where the table does not say."""

    text: str
    sample: dict[str, Any]
    expected: str
    file: str | None


def read_table() -> list[Row]:
    """The rows in order."""
    rows: list[Row] = []
    file = None
    for text in TABLE.read_text(encoding="utf-8").splitlines():
        if text.startswith("#") or not text:
            file = text[2:] if text.endswith(".yaml") else file
            continue
        found = ROW.fullmatch(text)
        assert found is not None, text
        labels = dict(pair.split("=", 1) for pair in found["labels"].split(",")) if found["labels"] else {}
        sample = {"graph": "g", "node": f"n{len(rows)}", "metric": found["metric"], "labels": labels}
        sample |= {"value": 1, "time": 1_767_225_600_000}
        if found["kind"]:
            sample |= {"kind": found["kind"], "unit": found["unit"]}
        rows.append(Row(text, sample, found["expected"], file))
    return rows


ROWS = read_table()


@pytest.fixture(scope="module")
def resolved() -> list[dict[str, Any]]:
    """What the job takes each row for."""
    sent = [{"value_base64": b64encode(json.dumps(row.sample).encode()).decode()} for row in ROWS]
    request = {"format": "native", "normalised": True, "records": sent, "rules": load_rules()}
    lines = run_main("io.faultline.cli.Decode", request, jvm_options=QUICK_START)
    series = {line["node"]: line for line in lines if line["type"] == "series"}
    return [series[row.sample["node"]] for row in ROWS]


def told(line: dict[str, Any]) -> str:
    """A series line as the table has it."""
    if line["dropped"]:
        return "drop"
    signal = line["signal"] if line["mapped"] else "unmapped"
    made = [
        each["signal"] if each["term"] == "plus" else f"{each['term']} of {each['signal']}"
        for each in line["makes"]
        if each["term"] != "none"
    ]
    return f"{signal} {line['unit'] or '-'} {line['kind']}" + (f" + {', '.join(made)}" if made else "")


def test_every_series_is_taken_for_what_the_table_says(resolved: list[dict[str, Any]]) -> None:
    wrong = [
        f"{row.text}   but is: {told(line)} by {line['rule']}"
        for row, line in zip(ROWS, resolved, strict=True)
        if told(line) != row.expected
    ]
    assert wrong == []


def test_every_rule_is_hit(resolved: list[dict[str, Any]]) -> None:
    """A rule that no row can hit is dead, or hidden by one before it."""
    hit = {place for line in resolved for place in (line["rule"] or "").split(", ")}
    assert {rule["place"] for rule in load_rules()} - hit == set()


def test_no_family_takes_the_names_of_another(resolved: list[dict[str, Any]]) -> None:
    wrong = [
        f"{row.text}   by {line['rule']}"
        for row, line in zip(ROWS, resolved, strict=True)
        if row.file is not None and not line["rule"].startswith(f"{row.file}:")
    ]
    assert wrong == []


def test_units_are_known(resolved: list[dict[str, Any]]) -> None:
    assert [line["metric"] for line in resolved if not line["unit_known"]] == []


def test_the_shipped_rules_have_the_form_of_a_user_s() -> None:
    assert shipped_problems() == []


def test_the_report_reads_rules_as_the_job_does(resolved: list[dict[str, Any]]) -> None:
    """Names that Telegraf lengthened are left out: the job alone knows them."""
    rules, wrong = load_rules(), []
    for row, line in zip(ROWS, resolved, strict=True):
        metric = row.sample["metric"]
        if metric.startswith("prometheus_") or metric.endswith(("_counter", "_gauge")):
            continue
        rule = first_match(rules, metric, row.sample["labels"])
        place = None if rule is None else rule["place"]
        decided = line["rule"].split(", ")[-1] if line["mapped"] else None
        if place != decided:
            wrong.append(f"{row.text}   by {place}, not {decided}")
    assert wrong == []
