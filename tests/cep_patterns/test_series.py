"""The series notation, form by form."""

from __future__ import annotations

import pytest

from cep_patterns.series import NotationError, expand_values, parse_series


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("1 2.5 -3 1e3", [1, 2.5, -3, 1000]),
        ("0.1x2 0.9x1", [0.1, 0.1, 0.1, 0.9, 0.9]),
        ("1x0", [1]),
        ("1+2x3", [1, 3, 5, 7]),
        ("-2-1x2", [-2, -3, -4]),
        ("1+0.5x2", [1, 1.5, 2]),
        ("1 _ 2 _x2 stale 3", [1, None, 2, None, None, None, 3]),
        ("[1 2]x2 3", [1, 2, 1, 2, 3]),
        ("[1x1 _]x2", [1, 1, None, 1, 1, None]),
    ],
)
def test_values(text: str, expected: list[float | None]) -> None:
    assert expand_values(text) == expected


@pytest.mark.parametrize(
    "text", ["a", "1+2", "1x", "x3", "1 2,3", "[1 2]", "[1]x2x", "1x2+3", "__", "nan", "1x200000"]
)
def test_what_is_no_value(text: str) -> None:
    with pytest.raises(NotationError):
        expand_values(text)


def test_a_series_with_its_own_fields_and_labels() -> None:
    text = 'http.latency{node="cart", peer="web",side="client",signal="latency",unit="ms",pod="a,\\"b\\"}"}'
    own = {"node": "cart", "peer": "web", "side": "client", "signal": "latency", "unit": "ms"}
    assert parse_series(text) == ("http.latency", own, {"pod": 'a,"b"}'})
    assert parse_series("up") == ("up", {}, {})


@pytest.mark.parametrize(
    "text", ["", "1up", "up{node=cart}", 'up{node="a" pod="b"}', 'up{node="a",node="b"}', "up{"]
)
def test_what_is_no_series(text: str) -> None:
    with pytest.raises(NotationError):
        parse_series(text)


@pytest.mark.parametrize(
    "text",
    [
        "1x999999999999",
        "1x100000",
        "_x999999999999",
        "[1 2]x99999",
        "[1 2]x99999999999999999999",
        "1x99999 2x9",
    ],
)
def test_too_many_values_are_refused_before_they_are_made(text: str) -> None:
    with pytest.raises(NotationError, match="more than 100000 values"):
        expand_values(text)


def test_as_many_values_as_may_be() -> None:
    assert len(expand_values("1x99999")) == len(expand_values("[1 2]x50000")) == 100_000
