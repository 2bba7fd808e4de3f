"""The typed tree of a condition, as it is shipped to the JVM in JSON. Imports pydantic only.

A node is told by its keys: `op` with `args`, `arg` or `left` and `right`; `field`; `label`; `const`; `agg`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import StringConstraints

from records.validation import Record

FieldName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]
"""A field of the event that a pattern looks at; which there are says the vocabulary of the pattern's key."""

FunctionName = Literal[
    "abs",
    "min",
    "max",
    "log",
    "sqrt",
    "startswith",
    "endswith",
    "contains",
    "lower",
    "upper",
    "calls",
    "reaches",
]
Scalar: TypeAlias = float | str | bool | None


class Logic(Record):
    """`and`, `or` of two or more conditions."""

    op: Literal["and", "or"]
    args: list[Expr]


class Not(Record):
    """The contrary of a condition."""

    op: Literal["not"] = "not"
    arg: Expr


class Compare(Record):
    """A comparison; false where a side is missing or NaN."""

    op: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Expr
    right: Expr


class OneOf(Record):
    """Whether `left` is one of constants."""

    op: Literal["in"] = "in"
    left: Expr
    right: list[float | str]


class Arithmetic(Record):
    """Numbers from numbers; `neg` takes one, the others two."""

    op: Literal["+", "-", "*", "/", "%", "neg"]
    args: list[Expr]


class Call(Record):
    """A function.

    Of numbers: `min` and `max` take two or more, `abs`, `log` (natural) and `sqrt` one. Of texts:
    `startswith`, `endswith`, `contains` take a text and what is looked for, `lower` and `upper` one text. Of
    two nodes' names: `calls` and `reaches`, over the live topology.
    """

    op: Literal["call"] = "call"
    name: FunctionName
    args: list[Expr]


class Field(Record):
    """A field of the event that is looked at."""

    field: FieldName


class Label(Record):
    """A label of the sample; missing where the series has none of that name."""

    label: str


class Const(Record):
    """A constant."""

    const: Scalar


class Element(Record):
    """A field of the first or the last event that a step took so far."""

    agg: Literal["first", "last"]
    step: str
    field: FieldName


class Count(Record):
    """How many events a step took so far."""

    agg: Literal["count"] = "count"
    step: str


class Summary(Record):
    """A figure over a field of the events that a step took so far."""

    agg: Literal["avg", "min", "max", "sum", "stddev"]
    step: str
    field: FieldName = "value"


Expr: TypeAlias = (
    Logic | Not | Compare | OneOf | Arithmetic | Call | Field | Label | Const | Element | Count | Summary
)
"""Any node of the tree."""

for _model in (Logic, Not, Compare, OneOf, Arithmetic, Call):
    _model.model_rebuild()
