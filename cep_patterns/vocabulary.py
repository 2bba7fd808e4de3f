"""The names.

Functions and operators a condition may use, their types, and the error of a refused condition.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final, Literal, get_args

from cep_patterns import tree

Kind = Literal["number", "text", "truth", "nothing"]

MAX_LENGTH: Final = 4_000
MAX_DEPTH: Final = 60
TEXT_FIELDS: Final = frozenset({"signal", "metric", "node", "graph", "peer", "unit"})
MAY_BE_MISSING: Final = frozenset({"peer", "unit"})
FIELDS: Final[tuple[str, ...]] = get_args(tree.FieldName)
GRAPH_ONLY: Final = frozenset({"pattern", "calls", "reaches"})
SUMMARIES: Final = frozenset({"avg", "sum", "stddev", "min", "max"})
FUNCTIONS: Final[dict[str, tuple[int, int]]] = {
    "abs": (1, 1),
    "log": (1, 1),
    "sqrt": (1, 1),
    "min": (2, 99),
    "max": (2, 99),
}
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
