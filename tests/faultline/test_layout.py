"""The layered layout: every node placed, none on another, callers to the left, the same every time."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from faultline.report.layout import layer_of, layered

NAMES = [f"n{index}" for index in range(12)]
WIDTHS = dict.fromkeys(NAMES, 80.0)
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=30)


@given(PAIRS)
def test_any_graph_is_laid_out_without_overlaps(pairs: list[tuple[str, str]]) -> None:
    layout = layered(WIDTHS, pairs)

    assert set(layout.centres) == set(NAMES)
    for (x0, y0), (x1, y1) in combinations(layout.centres.values(), 2):
        assert abs(x0 - x1) >= 80 or abs(y0 - y1) >= 38
    for x, y in layout.centres.values():
        assert 40 <= x <= layout.width - 39
        assert 0 <= y <= layout.height


@given(PAIRS)
def test_routes_go_from_the_source_to_the_target(pairs: list[tuple[str, str]]) -> None:
    layout = layered(WIDTHS, pairs)

    assert set(layout.routes) == {(a, b) for a, b in pairs if a != b}
    for (source, target), route in layout.routes.items():
        assert route[0] == layout.centres[source]
        assert route[-1] == layout.centres[target]


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_edges_changes_nothing(pairs: list[tuple[str, str]], random: object) -> None:
    assert layered(WIDTHS, pairs) == layered(dict(reversed(WIDTHS.items())), list(reversed(pairs)))


def test_callers_stand_left_of_what_they_call() -> None:
    pairs = [("web", "shop"), ("shop", "db"), ("web", "db")]
    layers = layer_of(["db", "shop", "web"], pairs)

    assert layers == {"web": 0, "shop": 1, "db": 2}


def test_a_late_entry_stands_beside_what_it_calls() -> None:
    pairs = [("web", "shop"), ("shop", "db"), ("cron", "db")]

    assert layer_of(["cron", "db", "shop", "web"], pairs)["cron"] == 1


def test_a_cycle_is_broken() -> None:
    layers = layer_of(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])

    assert sorted(layers.values()) == [0, 1, 2]


def test_an_edge_over_a_layer_bends_around_what_is_there() -> None:
    layout = layered(dict.fromkeys("abc", 80.0), [("a", "b"), ("b", "c"), ("a", "c")])
    (_, bend, _) = layout.routes["a", "c"]

    assert bend[0] == layout.centres["b"][0]
    assert abs(bend[1] - layout.centres["b"][1]) >= 30


def test_nothing_at_all() -> None:
    layout = layered({}, [])

    assert (layout.centres, layout.routes) == ({}, {})
