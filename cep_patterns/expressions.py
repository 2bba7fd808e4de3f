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
from cep_patterns.calls import Calls
from cep_patterns.vocabulary import (
    ARITHMETIC,
    COMPARE,
    KINDS,
    MAX_DEPTH,
    MAX_LENGTH,
    NAMED,
    SAMPLE,
    TOPOLOGY,
    ConditionError,
    Typed,
    Vocabulary,
    wrong,
)
from records.signals import SIGNALS
from records.validation import nearest


def parse_condition(text: str, steps: Sequence[str] = (), vocabulary: Vocabulary = SAMPLE) -> tree.Expr:
    """The tree of the condition in `text`; `steps` are the names of the steps whose samples it may look at.

    `vocabulary` has the fields of the events, with their types; those of a sample unless said.

    ConditionError where the text is no expression, uses a name that does not exist, mixes types, or is
    neither true nor false.
    """
    line = one_line(text)
    try:
        parsed = ast.parse(line, mode="eval")
    except SyntaxError as error:
        raise ConditionError(f"not an expression: {error.msg}", max(error.offset or 1, 1)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"not an expression: {error}", 1) from error
    return Parser(tuple(steps), vocabulary).truth(parsed.body, 0).expr


def one_line(text: str) -> str:
    """The text of an expression on one line; ConditionError where it is empty, too long or has a comment."""
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


class Parser(Calls):
    """Turns checked nodes of `ast` into typed nodes; made once per condition."""

    def truth(self, node: ast.expr, depth: int) -> Typed:
        typed = self._any(node, depth)
        if typed.kind != "truth":
            raise wrong(node, f"a condition must be true or false; this is {NAMED[typed.kind]}")
        return typed

    def _any(self, node: ast.expr, depth: int) -> Typed:
        if depth > MAX_DEPTH:
            raise wrong(node, f"nested deeper than {MAX_DEPTH} levels")
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
            raise wrong(node, f"{type(node).__name__} is not allowed in a condition")
        return handler(node, depth + 1)

    def _logic(self, node: ast.BoolOp, depth: int) -> Typed:
        op: Literal["and", "or"] = "and" if isinstance(node.op, ast.And) else "or"
        return Typed(tree.Logic(op=op, args=[self.truth(each, depth).expr for each in node.values]), "truth")

    def _unary(self, node: ast.UnaryOp, depth: int) -> Typed:
        if isinstance(node.op, ast.Not):
            return Typed(tree.Not(arg=self.truth(node.operand, depth).expr), "truth")
        if not isinstance(node.op, ast.USub | ast.UAdd):
            raise wrong(node, "~ is not allowed in a condition")
        operand = self._of("number", node.operand, depth)
        if isinstance(node.op, ast.UAdd):
            return operand
        if isinstance(operand.expr, tree.Const) and isinstance(operand.expr.const, float):
            return Typed(tree.Const(const=-operand.expr.const), "number")
        return Typed(tree.Arithmetic(op="neg", args=[operand.expr]), "number")

    def _arithmetic(self, node: ast.BinOp, depth: int) -> Typed:
        op = ARITHMETIC.get(type(node.op))
        if op is None:
            raise wrong(node, f"{type(node.op).__name__} is not allowed; there are + - * / %")
        left, right = (self._of("number", side, depth).expr for side in (node.left, node.right))
        if op in "/%" and isinstance(right, tree.Const) and right.const == 0:
            raise wrong(node.right, "a division by zero")
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
            raise wrong(right, "`is` is for None only; compare with == or !=")
        if nothing and (sign not in ("==", "!=") or not (a.missing or b.missing)):
            raise wrong(left, "only what may be missing is compared with None, by == or !=")
        if not nothing and a.kind != b.kind:
            raise wrong(left, f"{NAMED[a.kind]} is compared with {NAMED[b.kind]}")
        if a.kind != "number" and sign not in ("==", "!="):
            raise wrong(left, f"{NAMED[a.kind]} has no order; there are == and != and in")
        if a.kind == "truth":
            raise wrong(left, "true or false is not compared; join conditions by and, or, not")
        self._check_names(a, b, left, right)
        return tree.Compare(op=sign, left=a.expr, right=b.expr)

    def _contained(self, left: ast.expr, right: ast.expr, negated: bool, depth: int) -> tree.Expr:
        if not isinstance(right, ast.Tuple | ast.List | ast.Set):
            return self._inside(left, right, negated, depth)
        if not right.elts:
            raise wrong(right, '`in` wants a list of constants, as in signal in ("cpu", "memory")')
        a = self._any(left, depth)
        constants: list[float | str] = []
        for element in right.elts:
            b = self._any(element, depth)
            if not isinstance(b.expr, tree.Const) or b.kind != a.kind or b.kind not in ("number", "text"):
                raise wrong(element, f"a constant that is {NAMED[a.kind]} is wanted here")
            self._check_names(a, b, left, element)
            constants.append(b.expr.const)  # type: ignore[arg-type]
        found = tree.OneOf(left=a.expr, right=constants)
        return tree.Not(arg=found) if negated else found

    def _inside(self, left: ast.expr, right: ast.expr, negated: bool, depth: int) -> tree.Expr:
        """`"x" in metric`: whether a text holds another."""
        whole = self._any(right, depth)
        if whole.kind != "text" or isinstance(whole.expr, tree.Const):
            raise wrong(right, '`in` wants a list of constants, as in signal in ("cpu", "memory"), or a text')
        found = tree.Call(name="contains", args=[whole.expr, self._of("text", left, depth).expr])
        return tree.Not(arg=found) if negated else found

    def _check_names(self, a: Typed, b: Typed, left: ast.expr, right: ast.expr) -> None:
        """A misspelt signal would be false for ever."""
        if self._vocabulary.event == "a row":
            return
        for side, other, node in ((a, b, right), (b, a, left)):
            field = side.expr.field if isinstance(side.expr, tree.Field | tree.Element) else ""
            if field in _NAMES and isinstance(other.expr, tree.Const) and other.expr.const is not None:
                name = str(other.expr.const)
                if name not in _NAMES[field]:
                    raise wrong(node, f"unknown {field} {name!r}{nearest(name, _NAMES[field])}")

    def _name(self, node: ast.Name, depth: int) -> Typed:
        vocabulary = self._vocabulary
        kind = vocabulary.fields.get(node.id)
        if kind is not None:
            return Typed(tree.Field(field=node.id), kind, node.id in vocabulary.missing)
        if node.id in TOPOLOGY or node.id == "pattern":
            raise wrong(node, f"{node.id!r} belongs to patterns with key: graph")
        if node.id == "labels" and vocabulary.labels:
            raise wrong(node, 'say which label, as in labels["pod"]')
        if node.id in self._steps:
            raise wrong(node, f"unknown name {node.id!r}; a step is looked at by first, last, count")
        known = (*vocabulary.fields, "labels") if vocabulary.labels else vocabulary.fields
        raise wrong(node, f"unknown name {node.id!r}{nearest(node.id, known)}")

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
        raise wrong(node, f"the constant {str(value)[:20]} is not allowed in a condition")

    def _subscript(self, node: ast.Subscript, depth: int) -> Typed:
        name, key = node.value, node.slice
        if not isinstance(name, ast.Name) or name.id != "labels" or not self._vocabulary.labels:
            raise wrong(node, 'only labels of samples have [...], as in labels["pod"]')
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise wrong(key, "the name of a label is text in quotes")
        return Typed(tree.Label(label=key.value), "text", missing=True)


_NAMES: dict[str, Sequence[str]] = {"signal": SIGNALS, "kind": KINDS}
"""Fields that have one of a few values."""
