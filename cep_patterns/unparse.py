"""Writes a condition's tree as the text that the parser reads as the same tree."""

from __future__ import annotations

import json
from typing import Final

from cep_patterns import tree

_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(8)
_ARITHMETIC: Final = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}
_METHODS: Final = frozenset({"startswith", "endswith", "lower", "upper"})


def unparse(expr: tree.Expr) -> str:
    """The text of a condition; `parse_condition` gives the tree back."""
    return _text(expr, _OR)


def _text(expr: tree.Expr, least: int) -> str:
    text, binds = _written(expr)
    return text if binds >= least else f"({text})"


def _written(expr: tree.Expr) -> tuple[str, int]:
    """The text of a node, and how tightly it binds."""
    if isinstance(expr, tree.Logic):
        binds = _AND if expr.op == "and" else _OR
        return f" {expr.op} ".join(_text(each, binds + 1) for each in expr.args), binds
    if isinstance(expr, tree.Not):
        return f"not {_text(expr.arg, _COMPARE)}", _NOT
    if isinstance(expr, tree.Compare):
        return _compared(expr), _COMPARE
    if isinstance(expr, tree.OneOf):
        choices = ", ".join(_constant(each) for each in expr.right)
        one = "," if len(expr.right) == 1 else ""
        return f"{_text(expr.left, _SUM)} in ({choices}{one})", _COMPARE
    if isinstance(expr, tree.Arithmetic):
        return _computed(expr)
    if isinstance(expr, tree.Call):
        return _called(expr)
    return _leaf(expr), _ATOM


def _compared(expr: tree.Compare) -> str:
    nothing = isinstance(expr.right, tree.Const) and expr.right.const is None
    op = {"==": "is", "!=": "is not"}[expr.op] if nothing else expr.op
    return f"{_text(expr.left, _SUM)} {op} {_text(expr.right, _SUM)}"


def _computed(expr: tree.Arithmetic) -> tuple[str, int]:
    if expr.op == "neg":
        return f"-{_text(expr.args[0], _ATOM)}", _SIGN
    binds = _ARITHMETIC[expr.op]
    first, *rest = expr.args
    parts = [_text(first, binds), *(_text(each, binds + 1) for each in rest)]
    return f" {expr.op} ".join(parts), binds


def _called(expr: tree.Call) -> tuple[str, int]:
    first, *rest = expr.args
    if expr.name == "contains":
        return f"{_text(rest[0], _SUM)} in {_text(first, _SUM)}", _COMPARE
    if expr.name in _METHODS:
        return f"{_text(first, _ATOM)}.{expr.name}({', '.join(unparse(each) for each in rest)})", _ATOM
    return f"{expr.name}({', '.join(unparse(each) for each in expr.args)})", _ATOM


def _leaf(expr: tree.Expr) -> str:
    if isinstance(expr, tree.Field):
        return expr.field
    if isinstance(expr, tree.Label):
        return f"labels[{json.dumps(expr.label, ensure_ascii=False)}]"
    if isinstance(expr, tree.Element):
        return f"{expr.agg}({expr.step}).{expr.field}"
    if isinstance(expr, tree.Count):
        return f"count({expr.step})"
    if isinstance(expr, tree.Summary):
        return f"{expr.agg}({expr.step}.{expr.field})"
    if isinstance(expr, tree.Const):
        return _constant(expr.const)
    raise TypeError(f"no leaf of a condition: {expr!r}")


def _constant(value: tree.Scalar) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
