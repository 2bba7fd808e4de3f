"""Units: the JVM's table of factors, and what must hold for any of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.units import factor

TABLE = Path(__file__).parents[2] / "jvm/src/test/resources/units.csv"
ROWS = list(csv.reader(line for line in TABLE.read_text(encoding="utf-8").splitlines() if line[0] != "#"))
KNOWN = ["ms", "min", "h", "%", "KiBy", "kbit", "{request}", "m{cpu}", "ncpu", "10*3", "[ppm]", "s2", "60"]
TEXTS = st.text(alphabet="smBykMGKi%10*^{}/.-+ hdn[p]", max_size=8)


@pytest.mark.parametrize(("unit", "number"), ROWS)
def test_units_have_the_factor_that_the_job_has(unit: str, number: str) -> None:
    expected = float(number) if number else None
    assert factor(unit) == (None if expected is None else pytest.approx(expected, rel=1e-12))


def test_no_unit_is_no_unknown_one() -> None:
    assert factor(None) == 1.0
    assert factor("") == 1.0


@given(st.sampled_from(KNOWN), st.sampled_from(KNOWN))
def test_a_quotient_has_the_quotient_of_the_factors(above: str, below: str) -> None:
    one, other = factor(above), factor(below)
    assert one is not None
    assert other is not None
    assert factor(f"{above}/{below}") == pytest.approx(one / other, rel=1e-12)
    assert factor(f"{above}.{below}") == pytest.approx(one * other, rel=1e-12)


@given(TEXTS)
def test_any_text_has_a_positive_factor_or_none(text: str) -> None:
    found = factor(text)
    assert found is None or 0 < found < float("inf")
