"""Conditions: the tree of what is allowed, and a column and a reason for everything else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from cep_patterns import tree
from cep_patterns.expressions import parse_condition
from cep_patterns.vocabulary import GRAPH, MAX_LENGTH, ConditionError, rows

VALUE = {"field": "value"}


def parse(text: str, *steps: str) -> Any:
    return parse_condition(text, steps).model_dump(mode="json")


def number(value: float) -> dict[str, float]:
    return {"const": value}


def over(value: float) -> dict[str, Any]:
    return {"op": ">", "left": VALUE, "right": number(value)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("value > 95", over(95.0)),
        ("  value > 95\n", over(95.0)),
        ("value > -1.5", over(-1.5)),
        ("value > 1 and\n  z > 2", {"op": "and", "args": [over(1.0), {**over(2.0), "left": {"field": "z"}}]}),
        ("value > 1 or not value > 2", {"op": "or", "args": [over(1.0), {"op": "not", "arg": over(2.0)}]}),
        (
            "100 < value < 1000",
            {
                "op": "and",
                "args": [
                    {"op": "<", "left": number(100.0), "right": VALUE},
                    {"op": "<", "left": VALUE, "right": number(1000.0)},
                ],
            },
        ),
        ('signal == "cpu"', {"op": "==", "left": {"field": "signal"}, "right": {"const": "cpu"}}),
        (
            'signal in ("cpu", "memory")',
            {"op": "in", "left": {"field": "signal"}, "right": ["cpu", "memory"]},
        ),
        ("value not in [1, 2]", {"op": "not", "arg": {"op": "in", "left": VALUE, "right": [1.0, 2.0]}}),
        ("peer is None", {"op": "==", "left": {"field": "peer"}, "right": {"const": None}}),
        ("None != unit", {"op": "!=", "left": {"const": None}, "right": {"field": "unit"}}),
        ('labels["pod"] == "a"', {"op": "==", "left": {"label": "pod"}, "right": {"const": "a"}}),
        ("abs(z) > 2", {**over(2.0), "left": {"op": "call", "name": "abs", "args": [{"field": "z"}]}}),
        (
            "max(value, 1, rel) > 2",
            {
                **over(2.0),
                "left": {"op": "call", "name": "max", "args": [VALUE, number(1.0), {"field": "rel"}]},
            },
        ),
        (
            "-value % 2 > 2",
            {**over(2.0), "left": {"op": "%", "args": [{"op": "neg", "args": [VALUE]}, number(2)]}},
        ),
        ("True", {"const": True}),
    ],
)
def test_what_is_allowed(text: str, expected: object) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("first(a).value", {"agg": "first", "step": "a", "field": "value"}),
        ("last(a).z", {"agg": "last", "step": "a", "field": "z"}),
        ('first("b-2").time', {"agg": "first", "step": "b-2", "field": "time"}),
        ("count(a)", {"agg": "count", "step": "a"}),
        ("avg(a.value)", {"agg": "avg", "step": "a", "field": "value"}),
        ("max(a.value)", {"agg": "max", "step": "a", "field": "value"}),
        ("stddev(a.value)", {"agg": "stddev", "step": "a", "field": "value"}),
        ("max(a.z)", {"agg": "max", "step": "a", "field": "z"}),
    ],
)
def test_earlier_steps(text: str, expected: object) -> None:
    assert parse(f"value > {text}", "a", "b-2")["right"] == expected


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("valeu > 5", 1, "unknown name 'valeu'; did you mean 'value'?"),
        ("value > 5 and zz > 1", 15, "unknown name 'zz'"),
        ('value > "5"', 1, "a number is compared with text"),
        ("signal > 5", 1, "text is compared with a number"),
        ('signal > "cpu"', 1, "text has no order"),
        ('value > 1 and signal == "cpus"', 25, "unknown signal 'cpus'; did you mean 'cpu'?"),
        ('signal in ("cpu", "memroy")', 19, "did you mean 'memory'?"),
        ('signal in ("cpu", 1)', 19, "a constant that is text"),
        ("value in ()", 10, "list of constants"),
        ("value", 1, "a condition must be true or false; this is a number"),
        ("value + (z > 1) > 2", 10, "a number is wanted here"),
        ("value > 1 and z", 15, "a condition must be true or false"),
        ('value == "a" "b" + node', 10, "a number is wanted here"),
        ("__import__('os').system('true') == 0", 1, "a text has no method 'system'"),
        ('node.format("x") == node', 1, "a text has no method 'format'"),
        ("node.startswith(value)", 17, "text is wanted here; this is a number"),
        ("node.startswith()", 1, "takes one text"),
        ('node.lower("x") == node', 1, "takes no argument"),
        ("value.startswith('x')", 1, "text is wanted here; this is a number"),
        ('value in "12"', 10, "list of constants"),
        ("1 in node", 1, "text is wanted here; this is a number"),
        ("node.__class__ == 1", 1, "no attribute '__class__'"),
        ("first(a).__class__ == 1", 1, "a sample has no field '__class__'"),
        ("(lambda: 1)() == 1", 1, "only the listed functions"),
        ("[x for x in (1,)] == 1", 1, "ListComp is not allowed"),
        ("value ** 2 > 1", 1, "Pow is not allowed"),
        ("value if z > 1 else z", 1, "IfExp is not allowed"),
        ("(value := 1) > 0", 2, "NamedExpr is not allowed"),
        ("f'{value}' == 'a'", 1, "JoinedStr is not allowed"),
        ("~value > 1", 1, "~ is not allowed"),
        ("value / 0 > 1", 9, "division by zero"),
        ("value > 1e999", 9, "the constant inf"),
        ("value == 1j", 10, "the constant 1j"),
        ("value is None", 1, "only what may be missing"),
        ("peer < None", 1, "only what may be missing"),
        ('peer is "a"', 9, "`is` is for None only"),
        ("(value > 1) == (z > 1)", 2, "true or false is not compared"),
        ("labels == 1", 1, 'as in labels["pod"]'),
        ("labels[1] == 1", 8, "text in quotes"),
        ("node[0] == 'a'", 1, "only labels of samples"),
        ("abs(1, 2) > 1", 1, "abs() takes 1 numbers"),
        ("max(value) > 1", 1, "max() takes 2 or more"),
        ("max(*labels) > 1", 1, "plain arguments"),
        ("avg(value, 1) > 1", 1, "avg() is of a step's value"),
        ("avg(a.node) > 1", 5, "avg() is of a number; node is text"),
        ("avg(a.zz) > 1", 5, "a sample has no field 'zz'"),
        ("first(a) > 1", 1, "first(a).value"),
        ("first(c).value > 1", 7, "step 'c' is not one whose samples are there by now"),
        ("count(a, a) > 1", 1, "the name of one step"),
        ("count(1) > 1", 7, "the name of a step"),
        ("a > 1", 1, "a step is looked at by first, last, count"),
        ("calls(a, a)", 1, "key: graph"),
        ('pattern == "x"', 1, "key: graph"),
        ("value >", 8, "not an expression"),
        ("value > 1; z", 10, "not an expression"),
        ("value > 1 # high", 11, "no comments"),
        ("value > 1 #\nand z > 1", 11, "no comments"),
        ("value > \x00 1", 1, "not an expression"),
        ("  ", 1, "empty"),
        ("value > 1" + " " * MAX_LENGTH, MAX_LENGTH, "longer than"),
        ("not " * 70 + "value > 1", 245, "nested deeper"),
        ("(" * 1000 + "1" + ")" * 1000, 1, "not an expression"),
    ],
)
def test_what_is_refused(text: str, column: int, told: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse_condition(text, ("a",))
    assert told in caught.value.message
    if "not an expression" not in told:
        assert caught.value.column == column


def test_a_step_without_earlier_steps() -> None:
    with pytest.raises(ConditionError, match="there is no earlier step"):
        parse_condition("count(a) > 1")


NODE = {"field": "node"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('node.startswith("a")', {"op": "call", "name": "startswith", "args": [NODE, {"const": "a"}]}),
        ('"a" in node', {"op": "call", "name": "contains", "args": [NODE, {"const": "a"}]}),
        (
            'node.lower() == "a"',
            {
                "op": "==",
                "left": {"op": "call", "name": "lower", "args": [NODE]},
                "right": {"const": "a"},
            },
        ),
        ("z is None", {"op": "==", "left": {"field": "z"}, "right": {"const": None}}),
    ],
)
def test_texts_and_what_is_missing(text: str, expected: object) -> None:
    assert parse(text) == expected


def test_one_of_several_beginnings() -> None:
    both = parse('node.endswith(("a", "b"))')
    assert both == {
        "op": "or",
        "args": [{"op": "call", "name": "endswith", "args": [NODE, {"const": end}]} for end in ("a", "b")],
    }


ORDERS = rows({"amount": "number", "city": "text", "paid": "truth"})


def test_rows_have_the_fields_that_are_declared() -> None:
    parsed = parse_condition(
        'amount > 3 and not paid and city != "x" and first(a).amount is None', ("a",), ORDERS
    )
    assert isinstance(parsed, tree.Logic)
    assert len(parsed.args) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("amuont > 3", "unknown name 'amuont'; did you mean 'amount'?"),
        ("amount", "true or false; this is a number"),
        ('amount == "x"', "a number is compared with text"),
        ("first(a).total > 1", "a row has no field 'total'"),
        ('labels["x"] == "y"', "only labels of samples"),
        ("value > 1", "unknown name 'value'"),
    ],
)
def test_rows_are_typed_too(text: str, told: str) -> None:
    with pytest.raises(ConditionError, match=re.escape(told)):
        parse_condition(text, ("a",), ORDERS)


def test_graph_patterns_ask_the_topology() -> None:
    text = 'kind == "match" and pattern == "slow" and calls(node, first(a).node) and reaches(peer, node)'
    assert isinstance(parse_condition(text, ("a",), GRAPH), tree.Logic)
    for wrong, told in (
        ("calls(node)", "takes caller and callee"),
        ("calls(node, version)", "text is wanted here"),
        ('kind == "mach"', "did you mean 'match'?"),
        ('labels["x"] == "y"', "only labels of samples"),
    ):
        with pytest.raises(ConditionError, match=re.escape(told)):
            parse_condition(wrong, ("a",), GRAPH)
