"""What a condition may say: fields of each kind of event, functions and operators, and their types."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from cep_patterns import tree

Kind = Literal["number", "text", "truth", "nothing"]
FieldKind = Literal["number", "text", "truth"]
Fields: TypeAlias = Mapping[str, FieldKind]

MAX_LENGTH: Final = 4_000
MAX_DEPTH: Final = 60


@dataclass(frozen=True)
class Vocabulary:
    """The fields of one kind of event.

    `missing`: those that an event need not have. `labels`: whether `labels["x"]` is there. `topology`:
    whether `calls` and `reaches` are.
    """

    event: str
    fields: Fields
    missing: frozenset[str]
    labels: bool = False
    topology: bool = False


SAMPLE: Final = Vocabulary(
    "a sample",
    {
        "value": "number",
        "signal": "text",
        "metric": "text",
        "node": "text",
        "graph": "text",
        "peer": "text",
        "unit": "text",
        "time": "number",
        "z": "number",
        "baseline": "number",
        "spread": "number",
        "delta": "number",
        "rel": "number",
    },
    frozenset({"peer", "unit", "z", "baseline", "spread", "delta", "rel"}),
    labels=True,
)
"""Patterns keyed by series or node look at samples."""

GRAPH: Final = Vocabulary(
    "a match, an edge or a silent node",
    {
        "kind": "text",
        "graph": "text",
        "node": "text",
        "peer": "text",
        "pattern": "text",
        "version": "number",
        "severity": "text",
        "signal": "text",
        "metric": "text",
        "value": "number",
        "z": "number",
        "time": "number",
        "start": "number",
        "end": "number",
    },
    frozenset({"peer", "pattern", "version", "severity", "signal", "metric", "value", "z", "start", "end"}),
    topology=True,
)
"""Patterns keyed by graph look at matches and timeouts of other patterns, at edges that appear, and at nodes
that have fallen silent."""

KINDS: Final = ("match", "timeout", "edge", "silent")
"""What `kind` can be in a graph pattern."""


def rows(fields: Fields) -> Vocabulary:
    """The vocabulary of a plain row whose fields are declared; each may be null.

    `time` is the row's event time in ms UTC where no field of that name is declared.
    """
    return Vocabulary("a row", {"time": "number", **fields}, frozenset(fields))


SUMMARIES: Final = frozenset({"avg", "sum", "stddev", "min", "max"})
FUNCTIONS: Final[dict[str, tuple[int, int]]] = {
    "abs": (1, 1),
    "log": (1, 1),
    "sqrt": (1, 1),
    "min": (2, 99),
    "max": (2, 99),
}
TESTS: Final = frozenset({"startswith", "endswith"})
"""Methods of a text that are true or false."""

FORMS: Final = frozenset({"lower", "upper"})
"""Methods of a text that give a text."""

TOPOLOGY: Final = frozenset({"calls", "reaches"})
CALLABLE: Final = frozenset({"first", "last", "count", *SUMMARIES, *FUNCTIONS})
COMPARE: Final[dict[type[ast.cmpop], Literal["==", "!=", "<", "<=", ">", ">="]]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "==",
    ast.IsNot: "!=",
}
ARITHMETIC: Final[dict[type[ast.operator], Literal["+", "-", "*", "/", "%"]]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
}
NAMED: Final[dict[Kind, str]] = {
    "number": "a number",
    "text": "text",
    "truth": "true or false",
    "nothing": "None",
}


class ConditionError(Exception):
    """A condition that is refused; `column` counts from 1 in the text."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"column {column}: {message}")
        self.message = message
        self.column = column


@dataclass(frozen=True)
class Typed:
    """A node with its type; `missing` where it can be absent and so be compared with None."""

    expr: tree.Expr
    kind: Kind
    missing: bool = False


def wrong(node: ast.expr, message: str) -> ConditionError:
    """The error of a condition, at the column of `node`."""
    return ConditionError(message, node.col_offset + 1)
