"""Types the calls in a condition: functions, methods of texts, summaries over steps, and the topology."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import Literal

from cep_patterns import tree
from cep_patterns.vocabulary import (
    CALLABLE,
    FORMS,
    FUNCTIONS,
    NAMED,
    SUMMARIES,
    TESTS,
    TOPOLOGY,
    Kind,
    Typed,
    Vocabulary,
    wrong,
)
from records.validation import nearest


class Calls(ABC):
    """What the parser of conditions knows about calls and steps."""

    def __init__(self, steps: tuple[str, ...], vocabulary: Vocabulary) -> None:
        self._steps = steps
        self._vocabulary = vocabulary

    @abstractmethod
    def _any(self, node: ast.expr, depth: int) -> Typed:
        """The typed node of any expression."""

    def _of(self, kind: Kind, node: ast.expr, depth: int) -> Typed:
        typed = self._any(node, depth)
        if typed.kind != kind:
            raise wrong(node, f"{NAMED[kind]} is wanted here; this is {NAMED[typed.kind]}")
        return typed

    def _call(self, node: ast.Call, depth: int) -> Typed:
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func, depth)
        name = called(node)
        known = CALLABLE | TOPOLOGY if self._vocabulary.topology else CALLABLE
        if name is None or name not in known:
            if name in TOPOLOGY:
                raise wrong(node, f"{name}() belongs to patterns with key: graph")
            hint = nearest(name, known) if name else ""
            raise wrong(node, f"only the listed functions can be called{hint}")
        _plain(node, name)
        if name in ("first", "last"):
            raise wrong(node, f"say which field, as in {name}({self._step_argument(node)}).value")
        if name == "count":
            return Typed(tree.Count(step=self._step_argument(node)), "number")
        if name in TOPOLOGY:
            return self._topology(name, node, depth)
        if name in SUMMARIES and len(node.args) == 1 and isinstance(node.args[0], ast.Attribute):
            return self._summary(name, node.args[0])
        return self._function(name, node, depth)

    def _method(self, node: ast.Call, method: ast.Attribute, depth: int) -> Typed:
        name = method.attr
        if name not in TESTS | FORMS:
            raise wrong(node, f"a text has no method {name!r} here{nearest(name, TESTS | FORMS)}")
        _plain(node, name)
        text = self._of("text", method.value, depth)
        if name in FORMS:
            if node.args:
                raise wrong(node, f"{name}() takes no argument")
            return Typed(tree.Call(name=name, args=[text.expr]), "text", text.missing)  # type: ignore[arg-type]
        if len(node.args) != 1:
            raise wrong(node, f"{name}() takes one text, or several in brackets")
        wanted = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
        found: list[tree.Expr] = [
            tree.Call(name=name, args=[text.expr, self._of("text", each, depth).expr])  # type: ignore[arg-type]
            for each in wanted
        ]
        if not found:
            raise wrong(node.args[0], f"{name}() takes one text, or several in brackets")
        return Typed(found[0] if len(found) == 1 else tree.Logic(op="or", args=found), "truth")

    def _topology(self, name: str, node: ast.Call, depth: int) -> Typed:
        if len(node.args) != 2:
            raise wrong(node, f"{name}() takes caller and callee, as in {name}(node, first(a).node)")
        args = [self._of("text", each, depth).expr for each in node.args]
        return Typed(tree.Call(name=name, args=args), "truth")  # type: ignore[arg-type]

    def _summary(self, name: str, argument: ast.Attribute) -> Typed:
        step = self._step(argument.value)
        kind = self._vocabulary.fields.get(argument.attr)
        if kind is None:
            raise wrong(argument, self._unknown_field(argument.attr))
        if kind != "number":
            raise wrong(argument, f"{name}() is of a number; {argument.attr} is {NAMED[kind]}")
        summary = tree.Summary(agg=name, step=step, field=argument.attr)  # type: ignore[arg-type]
        return Typed(summary, "number", missing=name != "sum")

    def _unknown_field(self, name: str) -> str:
        known = nearest(name, self._vocabulary.fields)
        return f"{self._vocabulary.event} has no field {name!r}{known}"

    def _function(self, name: str, node: ast.Call, depth: int) -> Typed:
        if name not in FUNCTIONS:
            raise wrong(node, f"{name}() is of a step's value, as in {name}(step.value)")
        least, most = FUNCTIONS[name]
        if not least <= len(node.args) <= most:
            wanted = f"{least}" if least == most else f"{least} or more"
            raise wrong(node, f"{name}() takes {wanted} numbers, or a step's value as in {name}(step.value)")
        args = [self._of("number", each, depth).expr for each in node.args]
        return Typed(tree.Call(name=name, args=args), "number")  # type: ignore[arg-type]

    def _attribute(self, node: ast.Attribute, depth: int) -> Typed:
        call = node.value
        if not isinstance(call, ast.Call) or called(call) not in ("first", "last"):
            raise wrong(
                node, f"no attribute {node.attr!r} here; there are first(step).value and last(step).value"
            )
        agg: Literal["first", "last"] = "first" if called(call) == "first" else "last"
        step = self._step_argument(call)
        kind = self._vocabulary.fields.get(node.attr)
        if kind is None:
            raise wrong(node, self._unknown_field(node.attr))
        return Typed(tree.Element(agg=agg, step=step, field=node.attr), kind, missing=True)

    def _step_argument(self, node: ast.Call) -> str:
        if len(node.args) != 1 or node.keywords:
            raise wrong(node, f"{called(node)}() takes the name of one step")
        return self._step(node.args[0])

    def _step(self, node: ast.expr) -> str:
        name = (
            node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else None
        )
        if not isinstance(name, str):
            raise wrong(node, "the name of a step is wanted here")
        if name not in self._steps:
            hint = nearest(name, self._steps) if self._steps else "; there is no earlier step"
            raise wrong(node, f"step {name!r} is not one whose samples are there by now{hint}")
        return name


def called(node: ast.Call) -> str | None:
    """The name of the function that is called; None where it is no plain name."""
    return node.func.id if isinstance(node.func, ast.Name) else None


def _plain(node: ast.Call, name: str) -> None:
    if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
        raise wrong(node, f"{name}() takes plain arguments only")
