"""A pattern tried on a list of rows, on the production engine: values of all kinds, and what is no row."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from cep_patterns import Pattern
from cep_patterns.rows import find
from records.errors import PatternError

HIGH = Pattern.begin("high").where("value > 5")


def matched(pattern: Pattern, rows: list[dict[str, Any]], **how: Any) -> list[int]:
    """The times of the rows that a pattern of one step matched."""
    return [row["time"] for each in find(pattern, rows, **how) for row in each.steps["high"]]


def rows(*values: object, **more: object) -> list[dict[str, Any]]:
    return [{"time": time, "value": value, **more} for time, value in enumerate(values)]


def test_numbers_that_json_does_not_have_are_numbers() -> None:
    values = rows(1, math.inf, -math.inf, math.nan, 10**30, 10**400, -(10**400), Decimal("7.5"), None)
    assert matched(HIGH, values) == [1, 4, 5, 7]
    assert matched(Pattern.begin("high").where("value < 0"), values) == [2, 6]


def test_fields_that_no_condition_looks_at_may_be_anything() -> None:
    given = rows(6, blob=b"\x00\xff", when=datetime.now(UTC), inside={"a": [1]}, who=object())
    (found,) = find(HIGH, given)
    assert found.steps["high"] == [given[0]]


def test_a_condition_on_bytes_is_refused_with_what_it_may_look_at() -> None:
    with pytest.raises(PatternError) as caught:
        find(Pattern.begin("high").where('blob == "x"'), rows(6, blob=b"x"))
    assert "conditions see" in caught.value.mend
    assert "not blob (bytes)" in caught.value.mend


def test_a_missing_value_makes_a_condition_false() -> None:
    assert matched(HIGH, [{"time": 0, "value": None}, {"time": 1}, {"time": 2, "value": 6}]) == [2]
    assert matched(Pattern.begin("high").where("value is None"), rows(None, 6)) == [0]


@pytest.mark.parametrize(
    ("given", "how", "told"),
    [
        (rows(6, "x"), {}, "row 1: field value is text, and number in a row before"),
        (rows(6, b"x"), {}, "row 1: field value is bytes, and number in a row before"),
        ([(0, 6)], {}, "row 0: a mapping of fields is wanted; this is of type tuple"),
        ([None], {}, "row 0: a mapping of fields is wanted; this is nothing"),
        ([{"time": 0, 7: 1}], {}, "row 0: a field is named 7; text is wanted"),
        ([{"time": 1.5, "value": 6}], {}, "row 0: time: the event time in whole ms is wanted; this is 1.5"),
        ([{"time": 10**30, "value": 6}], {}, "row 0: time: the event time in whole ms is wanted"),
        (iter(rows(6)), {}, "rows: a list of mappings is wanted"),
        ("rows", {}, "rows: a list of mappings is wanted; this is of type str"),
        ([], {}, "rows: there are none, so nothing is known of their fields"),
        (rows(6), {"key": "value"}, "key: a list of fields is wanted"),
        (rows(6), {"key": ["who"]}, "row 0: there is no field 'who' to key by"),
        (rows(6), {"out_of_orderness_ms": -1}, "out_of_orderness_ms: a whole number from 0 on is wanted"),
        (rows(6), {"partials_per_key": 0}, "partials_per_key: a whole number from 1 on is wanted"),
    ],
)
def test_what_is_no_row_is_named(given: Any, how: dict[str, Any], told: str) -> None:
    with pytest.raises(PatternError) as caught:
        find(HIGH, given, **how)
    assert told in caught.value.message


def test_what_is_no_pattern_is_named() -> None:
    nothing: Any = None
    with pytest.raises(PatternError, match="a Pattern is wanted; this is nothing"):
        find(nothing, rows(6))


def test_a_loop_that_would_not_end_is_given_up_and_says_why() -> None:
    endless = Pattern.begin("high").where("value > 5").one_or_more().allow_combinations().followed_by("low")
    with pytest.raises(PatternError, match=r"given up after \d+ rows: its automaton took \d+ s"):
        find(endless.where("value < 5"), rows(*[6] * 10_000))
