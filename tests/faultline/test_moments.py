"""Points in time as people type them."""

from __future__ import annotations

import pytest

from faultline.moments import moment
from records.errors import UsageError

START, END = 1_700_000_000_000, 1_700_003_600_000


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2023-11-14T22:13:20Z", START),
        ("2023-11-14 22:13:20", START),
        ("2023-11-14T23:13:20+01:00", START),
        ("2023-11-14T22:13:20.250Z", START + 250),
        ("2023-11-14", START - 80_000_000),
        ("1700000000000", START),
        ("-10m", END - 600_000),
        ("-0s", END),
        (" +1.5h ", START + 5_400_000),
    ],
)
def test_times(text: str, told: int) -> None:
    assert moment(text, start=START, end=END) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1700000000", "1700000000 ms lies in 1970"),
        ("yesterday", "'yesterday' is no time"),
        ("-10", "'10' is no duration"),
        ("-two hours", "'two hours' is no duration"),
        ("", "'' is no time"),
        ("2023-13-01", "is no time"),
    ],
)
def test_what_is_no_time_is_told_with_examples(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        moment(text, start=START, end=END)
    assert caught.value.mend


def test_a_topic_has_no_start_to_count_from() -> None:
    with pytest.raises(UsageError, match="no known start"):
        moment("+5m", start=None, end=END)
