"""Parses a condition: one Python expression, against a whitelist, into the typed tree.

Nothing is ever evaluated here. A wrong condition is a ConditionError that gives the column. Imports `ast`
and this package's tree and vocabulary only.
"""

from __future__ import annotations

import ast
import io
import math
import tokenize
from collections.abc import Callable, Sequence
from typing import Literal

from cep_patterns import tree
from cep_patterns.vocabulary import (
    ARITHMETIC,
    CALLABLE,
    COMPARE,
    FIELDS,
    FUNCTIONS,
    GRAPH_ONLY,
    MAX_DEPTH,
    MAX_LENGTH,
    MAY_BE_MISSING,
    NAMED,
    SUMMARIES,
    TEXT_FIELDS,
    ConditionError,
    Typed,
)
from records.signals import SIGNALS
from records.validation import nearest


def parse_condition(text: str, steps: Sequence[str] = ()) -> tree.Expr:
    """The tree of the condition in `text`; `steps` are the names of the steps whose samples it may look at.

    ConditionError where the text is no expression, uses a name that does not exist, mixes types, or is
    neither true nor false.
    """
    line = _one_line(text)
    try:
        parsed = ast.parse(line, mode="eval")
    except SyntaxError as error:
        raise ConditionError(f"not an expression: {error.msg}", max(error.offset or 1, 1)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"not an expression: {error}", 1) from error
    return _Parser(tuple(steps)).truth(parsed.body, 0).expr


def _one_line(text: str) -> str:
    if len(text) > MAX_LENGTH:
        raise ConditionError(f"longer than {MAX_LENGTH} characters", MAX_LENGTH)
    line = " ".join(text.splitlines()).rstrip()
    if not line.strip():
        raise ConditionError("the condition is empty", 1)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                raise ConditionError("a condition has no comments", token.start[1] + 1)
    except (tokenize.TokenError, SyntaxError):
        pass  # said better by the parser
    return line.lstrip()


class _Parser:
    """Turns checked nodes of `ast` into typed nodes; made once per condition."""

    def __init__(self, steps: tuple[str, ...]) -> None:
        self._steps = steps

    def truth(self, node: ast.expr, depth: int) -> Typed:
        typed = self._any(node, depth)
        if typed.kind != "truth":
            raise _wrong(node, f"a condition must be true or false; this is {NAMED[typed.kind]}")
        return typed

    def _number(self, node: ast.expr, depth: int) -> Typed:
        typed = self._any(node, depth)
        if typed.kind != "number":
            raise _wrong(node, f"a number is wanted here; this is {NAMED[typed.kind]}")
        return typed

    def _any(self, node: ast.expr, depth: int) -> Typed:
        if depth > MAX_DEPTH:
            raise _wrong(node, f"nested deeper than {MAX_DEPTH} levels")
        handlers: dict[type[ast.expr], Callable[..., Typed]] = {
            ast.BoolOp: self._logic,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.BinOp: self._arithmetic,
            ast.Call: self._call,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.Constant: self._constant,
        }
        handler = handlers.get(type(node))
        if handler is None:
            raise _wrong(node, f"{type(node).__name__} is not allowed in a condition")
        return handler(node, depth + 1)

    def _logic(self, node: ast.BoolOp, depth: int) -> Typed:
        op: Literal["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
        return Typed(tree.Logic(op=op, args=[self.truth(each, depth).expr for each in node.values]), "truth")

    def _unary(self, node: ast.UnaryOp, depth: int) -> Typed:
        if isinstance(node.op, ast.Not):
            return Typed(tree.Not(arg=self.truth(node.operand, depth).expr), "truth")
        if not isinstance(node.op, ast.USub | ast.UAdd):
            raise _wrong(node, "~ is not allowed in a condition")
        operand = self._number(node.operand, depth)
        if isinstance(node.op, ast.UAdd):
            return operand
        if isinstance(operand.expr, tree.Const) and isinstance(operand.expr.const, float):
            return Typed(tree.Const(const=-operand.expr.const), "number")
        return Typed(tree.Arithmetic(op="neg", args=[operand.expr]), "number")

    def _arithmetic(self, node: ast.BinOp, depth: int) -> Typed:
        op = ARITHMETIC.get(type(node.op))
        if op is None:
            raise _wrong(node, f"{type(node.op).__name__} is not allowed; there are + - * / %")
        left, right = self._number(node.left, depth).expr, self._number(node.right, depth).expr
        if op in "/%" and isinstance(right, tree.Const) and right.const == 0:
            raise _wrong(node.right, "a division by zero")
        return Typed(tree.Arithmetic(op=op, args=[left, right]), "number")

    def _compare(self, node: ast.Compare, depth: int) -> Typed:
        parts, sides = [], [node.left, *node.comparators]
        for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn):
                parts.append(self._contained(left, right, isinstance(op, ast.NotIn), depth))
            else:
                parts.append(self._pair(left, op, right, depth))
        return Typed(parts[0] if len(parts) == 1 else tree.Logic(op="and", args=parts), "truth")

    def _pair(self, left: ast.expr, op: ast.cmpop, right: ast.expr, depth: int) -> tree.Expr:
        a, b = self._any(left, depth), self._any(right, depth)
        sign = COMPARE[type(op)]
        nothing = "nothing" in (a.kind, b.kind)
        if isinstance(op, ast.Is | ast.IsNot) and not nothing:
            raise _wrong(right, "`is` is for None only; compare with == or !=")
        if nothing and (sign not in ("==", "!=") or not (a.missing or b.missing)):
            raise _wrong(left, "only peer, unit and labels can be compared with None, by == or !=")
        if not nothing and a.kind != b.kind:
            raise _wrong(left, f"{NAMED[a.kind]} is compared with {NAMED[b.kind]}")
        if a.kind != "number" and sign not in ("==", "!="):
            raise _wrong(left, f"{NAMED[a.kind]} has no order; there are == and != and in")
        if a.kind == "truth":
            raise _wrong(left, "true or false is not compared; join conditions by and, or, not")
        _check_signal(a, b, left, right)
        return tree.Compare(op=sign, left=a.expr, right=b.expr)

    def _contained(self, left: ast.expr, right: ast.expr, negated: bool, depth: int) -> tree.Expr:
        a = self._any(left, depth)
        if not isinstance(right, ast.Tuple | ast.List | ast.Set) or not right.elts:
            raise _wrong(right, '`in` wants a list of constants, as in signal in ("cpu", "memory")')
        constants: list[float | str] = []
        for element in right.elts:
            b = self._any(element, depth)
            if not isinstance(b.expr, tree.Const) or b.kind != a.kind or b.kind not in ("number", "text"):
                raise _wrong(element, f"a constant that is {NAMED[a.kind]} is wanted here")
            _check_signal(a, b, left, element)
            constants.append(b.expr.const)  # type: ignore[arg-type]
        found = tree.OneOf(left=a.expr, right=constants)
        return tree.Not(arg=found) if negated else found

    def _name(self, node: ast.Name, depth: int) -> Typed:
        if node.id in FIELDS:
            return _field(tree.Field(field=node.id), node.id)  # type: ignore[arg-type]
        if node.id in GRAPH_ONLY:
            raise _wrong(node, f"{node.id!r} belongs to patterns with key: graph, which are not there yet")
        if node.id == "labels":
            raise _wrong(node, 'say which label, as in labels["pod"]')
        known = (*FIELDS, "labels")
        hint = (
            "; a step is looked at by first, last, count"
            if node.id in self._steps
            else nearest(node.id, known)
        )
        raise _wrong(node, f"unknown name {node.id!r}{hint}")

    def _constant(self, node: ast.Constant, depth: int) -> Typed:
        value = node.value
        if value is None:
            return Typed(tree.Const(const=None), "nothing")
        if isinstance(value, bool):
            return Typed(tree.Const(const=value), "truth")
        if isinstance(value, str):
            return Typed(tree.Const(const=value), "text")
        if isinstance(value, int | float) and abs(value) < 1e300 and math.isfinite(value):
            return Typed(tree.Const(const=float(value)), "number")
        raise _wrong(node, f"the constant {str(value)[:20]} is not allowed in a condition")

    def _subscript(self, node: ast.Subscript, depth: int) -> Typed:
        name, key = node.value, node.slice
        if not isinstance(name, ast.Name) or name.id != "labels":
            raise _wrong(node, 'only labels has [...], as in labels["pod"]')
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise _wrong(key, "the name of a label is text in quotes")
        return Typed(tree.Label(label=key.value), "text", missing=True)

    def _attribute(self, node: ast.Attribute, depth: int) -> Typed:
        call = node.value
        if not isinstance(call, ast.Call) or _called(call) not in ("first", "last"):
            raise _wrong(
                node, f"no attribute {node.attr!r} here; there are first(step).value and last(step).value"
            )
        agg: Literal["first", "last"] = "first" if _called(call) == "first" else "last"
        step = self._step_argument(call)
        if node.attr not in FIELDS:
            raise _wrong(node, f"unknown field {node.attr!r} of a step's sample{nearest(node.attr, FIELDS)}")
        return _field(tree.Element(agg=agg, step=step, field=node.attr), node.attr)  # type: ignore[arg-type]

    def _call(self, node: ast.Call, depth: int) -> Typed:
        name = _called(node)
        if name is None or name not in CALLABLE:
            if name in GRAPH_ONLY:
                raise _wrong(node, f"{name}() belongs to patterns with key: graph, which are not there yet")
            hint = nearest(name, CALLABLE) if name else ""
            raise _wrong(node, f"only the listed functions can be called{hint}")
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            raise _wrong(node, f"{name}() takes plain arguments only")
        if name in ("first", "last"):
            raise _wrong(node, f"say which field, as in {name}({self._step_argument(node)}).value")
        if name == "count":
            return Typed(tree.Count(step=self._step_argument(node)), "number")
        if name in SUMMARIES and len(node.args) == 1 and isinstance(node.args[0], ast.Attribute):
            return self._summary(name, node.args[0])
        return self._function(name, node, depth)

    def _summary(self, name: str, argument: ast.Attribute) -> Typed:
        step = self._step(argument.value)
        if argument.attr != "value":
            raise _wrong(argument, f"{name}() is of a step's value, as in {name}({step}.value)")
        return Typed(tree.Summary(agg=name, step=step), "number")  # type: ignore[arg-type]

    def _function(self, name: str, node: ast.Call, depth: int) -> Typed:
        if name not in FUNCTIONS:
            raise _wrong(node, f"{name}() is of a step's value, as in {name}(step.value)")
        least, most = FUNCTIONS[name]
        if not least <= len(node.args) <= most:
            wanted = f"{least}" if least == most else f"{least} or more"
            raise _wrong(node, f"{name}() takes {wanted} numbers, or a step's value as in {name}(step.value)")
        args = [self._number(each, depth).expr for each in node.args]
        return Typed(tree.Call(name=name, args=args), "number")  # type: ignore[arg-type]

    def _step_argument(self, node: ast.Call) -> str:
        if len(node.args) != 1 or node.keywords:
            raise _wrong(node, f"{_called(node)}() takes the name of one step")
        return self._step(node.args[0])

    def _step(self, node: ast.expr) -> str:
        name = (
            node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None
        )
        if not isinstance(name, str):
            raise _wrong(node, "the name of a step is wanted here")
        if name not in self._steps:
            hint = nearest(name, self._steps) if self._steps else "; there is no earlier step"
            raise _wrong(node, f"step {name!r} is not one whose samples are there by now{hint}")
        return name


def _field(expr: tree.Expr, name: str) -> Typed:
    return Typed(expr, "text" if name in TEXT_FIELDS else "number", name in MAY_BE_MISSING)


def _called(node: ast.Call) -> str | None:
    return node.func.id if isinstance(node.func, ast.Name) else None


def _check_signal(a: Typed, b: Typed, left: ast.expr, right: ast.expr) -> None:
    """A misspelt signal would be false for ever."""
    for side, other, node in ((a, b, right), (b, a, left)):
        is_signal = isinstance(side.expr, tree.Field | tree.Element) and side.expr.field == "signal"
        if is_signal and isinstance(other.expr, tree.Const) and other.expr.const not in SIGNALS:
            raise _wrong(
                node, f"unknown signal {other.expr.const!r}{nearest(str(other.expr.const), SIGNALS)}"
            )


def _wrong(node: ast.expr, message: str) -> ConditionError:
    return ConditionError(message, node.col_offset + 1)
