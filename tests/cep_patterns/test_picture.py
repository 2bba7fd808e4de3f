"""The picture of an automaton: nothing covers anything, steps go to the right, all of it is there."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any
from xml.etree import ElementTree

import pytest

from cep_patterns.automaton import conditions
from cep_patterns.document import read_document
from cep_patterns.gateway import automata
from cep_patterns.model import PatternModel
from cep_patterns.picture import Edge, State, columns, layout, svg
from cep_patterns.yaml_loader import load_library

SVG = "{http://www.w3.org/2000/svg}"


def hard() -> PatternModel:
    """Loops, a group that comes again, what may be left out, what must not come, marks of XML."""
    steps = [
        {"name": "a", "where": "value > 9 and value < 20", "one_or_more": True, "until": "value < 0"},
        {"group": [{"name": "b", "where": 'node == "<&>"'}, {"name": "c"}], "times": 2, "optional": True},
        {"name": "d", "where": "value == 1", "times": 2, "optional": True, "greedy": True},
        {"name": "m", "where": "value == 2"},
        {"name": "no", "where": "value == 7", "contiguity": "not_followed_by"},
        {"name": "e", "times": {"from": 1, "to": 3}, "where": "value == 5"},
    ]
    model, problems = read_document(
        {"id": "hard", "version": 2, "key": "node", "steps": steps, "within": "5m"}
    )
    assert model is not None, problems
    return model


@pytest.fixture(scope="module")
def drawn() -> list[tuple[PatternModel, dict[str, Any]]]:
    patterns = [hard(), *load_library()]
    return list(zip(patterns, automata(patterns), strict=True))


def test_nothing_covers_anything(drawn: list[tuple[PatternModel, dict[str, Any]]]) -> None:
    for pattern, automaton in drawn:
        picture = layout(automaton)
        places: list[State | Edge] = [*picture.states, *picture.edges]
        assert len(places) == len(automaton["states"]) + len(automaton["edges"])
        for one, other in combinations(places, 2):
            assert not one.at.meets(other.at), (pattern.id, one, other)
        for each in places:
            assert each.at.x - each.at.width / 2 >= 0, pattern.id
            assert each.at.y - each.at.height / 2 >= 0, pattern.id
            assert each.at.x + each.at.width / 2 <= picture.width, pattern.id
            assert each.at.y + each.at.height / 2 <= picture.height, pattern.id


def test_a_state_stands_to_the_right_of_one_that_leads_to_it(
    drawn: list[tuple[PatternModel, dict[str, Any]]],
) -> None:
    for pattern, automaton in drawn:
        column = columns(automaton)
        at = {each.name: each.at for each in layout(automaton).states}
        for one, other in permutations(at, 2):
            if column[one] < column[other]:
                assert at[one].x + at[one].width / 2 < at[other].x - at[other].width / 2, pattern.id
        led = {each["to"] for each in automaton["edges"] if column[each["from"]] == column[each["to"]] - 1}
        assert led == {name for name in at if column[name] > 0}, pattern.id


def test_an_edge_begins_and_ends_at_its_states(drawn: list[tuple[PatternModel, dict[str, Any]]]) -> None:
    for pattern, automaton in drawn:
        picture = layout(automaton)
        at = {each.name: each.at for each in picture.states}
        for edge in picture.edges:
            numbers = [float(each) for each in edge.line.split() if not each.isalpha()]
            ends = (at[edge.source], numbers[0], numbers[1]), (at[edge.target], numbers[-2], numbers[-1])
            for box, x, y in ends:
                assert abs(x - box.x) <= box.width / 2 + 0.01, (pattern.id, edge)
                assert abs(y - box.y) <= box.height / 2 + 0.01, (pattern.id, edge)


def test_the_document_names_every_state_edge_and_condition(
    drawn: list[tuple[PatternModel, dict[str, Any]]],
) -> None:
    for pattern, automaton in drawn:
        root = ElementTree.fromstring(svg(automaton, pattern))
        texts: dict[str, list[str]] = {}
        for each in root.iter(f"{SVG}text"):
            texts.setdefault(each.attrib["class"], []).append(each.text or "")
        assert sorted(texts["name"]) == sorted(each["name"] for each in automaton["states"])
        assert len(texts["words"]) == len(automaton["edges"])
        assert texts["left title"] == [f"{pattern.id}@{pattern.version}"]
        assert texts["left"][: len(conditions(pattern))] == conditions(pattern)
        kinds = [
            each.attrib["class"].split()[1] for each in root.iter(f"{SVG}path") if "class" in each.attrib
        ]
        assert sorted(kinds) == sorted(each["action"] for each in automaton["edges"])


def test_marks_of_xml_are_read_back(drawn: list[tuple[PatternModel, dict[str, Any]]]) -> None:
    pattern, automaton = drawn[0]
    texts = [each.text for each in ElementTree.fromstring(svg(automaton, pattern)).iter(f"{SVG}text")]
    assert 'b: node == "<&>"' in texts
