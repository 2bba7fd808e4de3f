"""What comes from topics, made fit for a recording."""

from __future__ import annotations

from itertools import pairwise

import orjson

from records.gathering import SampleLines, ThinEdges, sample_line
from records.samples import Sample

MINUTE = 60_000


def point(time: int, value: float, **more: object) -> tuple[int, bytes]:
    fields = {"graph": "shop", "node": "cart", "metric": "m", "value": value, "time": time}
    return time, sample_line({"type": "sample", "record": 3, **fields, **more})


def test_a_line_holds_the_fields_of_a_sample_that_say_something() -> None:
    _, line = point(5, 1.5, unit="s", signal=None, labels={}, peer=None, side="client", z=3.0)

    said = {"graph": "shop", "node": "cart", "metric": "m", "value": 1.5, "time": 5}
    assert orjson.loads(line) == {**said, "unit": "s", "side": "client"}


def test_a_second_value_at_the_same_time_is_taken_once_and_counted() -> None:
    lines = SampleLines()
    told = lines.samples([point(1, 1), point(1, 2), point(1, 3, labels={"a": "b"}), point(2, 4)])

    assert [sample.value for sample in told] == [1, 3, 4]
    assert lines.duplicates == 1


def test_sides_of_a_call_and_orders_of_labels_are_told_apart_and_not() -> None:
    lines = SampleLines()
    points = [
        point(1, 1, peer="a", side="client"),
        point(1, 2, peer="a", side="server"),
        point(1, 3, labels={"x": "1", "y": "2"}),
        point(1, 4, labels={"y": "2", "x": "1"}),
    ]

    assert [sample.value for sample in lines.samples(points)] == [1, 2, 3]


def test_growth_is_added_up_to_a_counter() -> None:
    points = [point(time, value, kind="delta") for time, value in ((1, 5), (2, 0), (2, 9), (3, 2))]
    told = list(SampleLines().samples(points))

    assert [(sample.value, sample.kind) for sample in told] == [
        (5, "counter"),
        (5, "counter"),
        (7, "counter"),
    ]
    assert all(isinstance(sample, Sample) for sample in told)


def edge(time: int, **more: object) -> dict[str, object]:
    return {"type": "edge", "record": 0, "graph": "shop", "source": "a", "target": "b", "time": time, **more}


def test_edges_are_kept_as_often_as_they_need() -> None:
    edges = ThinEdges(60 * MINUTE)
    for minute in (*range(0, 180, 2), 179, 1):
        edges.add(edge(minute * MINUTE, kind=None, ttl=None))
    times = [each.time // MINUTE for each in edges.in_order()]

    assert (times[0], times[-1], len(times)) == (0, 179, 18)
    assert max(later - sooner for sooner, later in pairwise(times)) < 20
    assert all(each.ttl is None for each in edges.in_order())


def test_edges_of_their_own_time_to_live_and_kind_are_kept_apart() -> None:
    edges = ThinEdges(60 * MINUTE)
    for second in range(60):
        edges.add(edge(second * 1000, ttl=15_000))
        edges.add(edge(second * 1000, kind="queue"))
    kept = edges.in_order()

    assert sum(each.kind == "queue" for each in kept) == 2
    assert sum(each.ttl == 15_000 for each in kept) == 24
