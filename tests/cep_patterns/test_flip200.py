"""The JSON form of Flink's dynamic CEP becomes the same pattern; what is code is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest

from cep_patterns.document import read_document
from cep_patterns.flip200 import document_of_graph
from records.errors import PatternError


def quantifier(*properties: str, strategy: str = "SKIP_TILL_NEXT", **more: Any) -> dict[str, Any]:
    return {"consumingStrategy": strategy, "properties": list(properties), "times": None, **more}


def node(name: str, expression: str, how: dict[str, Any]) -> dict[str, Any]:
    condition = {"type": "AVIATOR", "expression": expression}
    return {"name": name, "type": "ATOMIC", "quantifier": how, "condition": condition}


GRAPH: dict[str, Any] = {
    "name": "peaks",
    "type": "COMPOSITE",
    "version": 1,
    "quantifier": quantifier("SINGLE"),
    "nodes": [
        node("end", "value < 1 && !(metric == 'a&&b')", quantifier("SINGLE")),
        node("start", "value > 5 || z == nil", quantifier("SINGLE")),
        node(
            "peak",
            "value > 9",
            quantifier(
                "LOOPING",
                "GREEDY",
                strategy="STRICT",
                times={"from": 2, "to": 2, "windowTime": None},
                untilCondition={"type": "EXPRESSION", "expression": "value < 0"},
            ),
        ),
    ],
    "edges": [
        {"source": "start", "target": "peak", "type": "STRICT"},
        {"source": "peak", "target": "end", "type": "SKIP_TILL_NEXT"},
    ],
    "window": {"type": "FIRST_AND_LAST", "time": {"unit": "MINUTES", "size": 5}},
    "afterMatchStrategy": {"type": "SKIP_PAST_LAST_EVENT", "patternName": None},
}


def test_a_chain_of_nodes() -> None:
    document = document_of_graph(GRAPH)
    assert document == {
        "id": "peaks",
        "version": 1,
        "key": "series",
        "steps": [
            {"name": "start", "where": "value > 5  or  z == None"},
            {
                "name": "peak",
                "where": "value > 9",
                "contiguity": "next",
                "times": {"from": 2},
                "consecutive": True,
                "greedy": True,
                "until": "value < 0",
            },
            {"name": "end", "where": "value < 1  and   not (metric == 'a&&b')"},
        ],
        "after_match": "skip_past_last",
        "within": "5m",
    }
    pattern, found = read_document(document)
    assert pattern is not None, found


def test_a_graph_inside_is_a_group() -> None:
    outer = {
        "name": "outer",
        "nodes": [GRAPH | {"quantifier": quantifier("TIMES", times={"from": 2, "to": 3})}],
        "edges": [],
        "window": None,
        "afterMatchStrategy": None,
    }
    (group,) = document_of_graph(outer)["steps"]
    assert [step["name"] for step in group["group"]] == ["start", "peak", "end"]
    assert group["times"] == {"from": 2, "to": 3}


def changed(path: tuple[Any, ...], value: object) -> dict[str, Any]:
    graph = deepcopy(GRAPH)
    place: Any = graph
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return graph


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (
            ("nodes", 0, "condition"),
            {"type": "CLASS", "className": "a.B"},
            "end: its condition is code (a.B",
        ),
        (
            ("nodes", 0, "condition"),
            {"type": "GROOVY", "expression": "1"},
            "its condition is code (GROOVY",
        ),
        (("edges", 0, "type"), "LATER", "edge of start: 'LATER' is not one of"),
        (("edges", 1, "target"), "start", "not one chain"),
        (("edges", 1, "target"), "nowhere", "not one chain"),
        (("window", "time", "unit"), "YEARS", "window: 'YEARS'"),
        (("afterMatchStrategy", "type"), "SKIP", "afterMatchStrategy: 'SKIP'"),
        (("afterMatchStrategy",), "NO_SKIP", "afterMatchStrategy: an object is wanted; this is text"),
        (("nodes",), {"a": 1}, "nodes of peaks: a list is wanted; this is a mapping"),
        (("nodes", 0), "end", "nodes of peaks: an object is wanted; this is text"),
        (("nodes", 0, "condition"), "value > 5", "condition of end: an object is wanted; this is text"),
        (("nodes", 2, "quantifier", "times"), 3, "times of peak: an object is wanted; this is a number"),
        (("nodes", 2, "quantifier", "properties"), "SINGLE", "quantifier of peak: properties: a list"),
        (("window",), "5m", "window: an object is wanted; this is text"),
    ],
)
def test_what_is_refused(path: tuple[Any, ...], value: object, told: str) -> None:
    with pytest.raises(PatternError) as caught:
        document_of_graph(changed(path, value))
    assert told in caught.value.message


def places(raw: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything inside."""
    inside = raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ()
    for key, each in inside:
        yield (*path, key)
        yield from places(each, (*path, key))


@pytest.mark.parametrize(
    "junk", [None, True, 7, -0.5, "junk", [], ["junk"], [[]], {}, {"junk": []}], ids=repr
)
def test_whatever_stands_in_a_place_is_taken_or_refused_in_words(junk: object) -> None:
    paths = list(places(GRAPH))
    taken = 0
    for path in paths:
        with suppress(PatternError):
            pattern, problems = read_document(document_of_graph(changed(path, junk)))
            assert pattern is not None or problems, path
            taken += pattern is not None
    assert len(paths) > 40
    assert taken > 0
