"""What a pattern means, apart from how it is written: a canonical form, its hash, and what differs.

Two patterns mean the same where every stream gives the same matches with the same names and severity. Id,
version, maturity, owner, description, misses and runbook are no part of it. Conditions are compared in a
normal form: the order of `and` and `or`, `95 < value`, `not (value <= 95)` and lists against chains of `or`
make no difference. The form is sound, not complete: equal forms mean the same, unequal ones may.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from cep_patterns import tree
from cep_patterns.dump import after_match_of, times_of
from cep_patterns.model import GroupModel, PartModel, PatternModel, Times, label
from cep_patterns.short_forms import duration_text
from cep_patterns.unparse import unparse

_FLAGS: Final = ("optional", "greedy", "consecutive", "combinations")
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_CONTRARY: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def meaning(pattern: PatternModel) -> dict[str, Any]:
    """The canonical form as plain data."""
    return {
        "key": pattern.key,
        "severity": pattern.severity,
        "within": None if pattern.within_ms is None else duration_text(pattern.within_ms),
        "after_match": after_match_of(pattern.after_match),
        "on_timeout": pattern.on_timeout,
        "fields": dict(sorted((pattern.fields or {}).items())),
        "steps": _parts(pattern.steps),
    }


def meaning_hash(pattern: PatternModel) -> str:
    """`sha256:` and 64 hex digits; equal for patterns that mean the same."""
    text = orjson.dumps(meaning(pattern), option=orjson.OPT_SORT_KEYS)
    return f"sha256:{hashlib.sha256(text).hexdigest()}"


def differences(before: PatternModel, after: PatternModel) -> list[str]:
    """What differs in meaning, a line each; empty where both mean the same."""
    old, new = meaning(before), meaning(after)
    lines = [
        f"{name}: {_said(old[name])} -> {_said(new[name])}"
        for name in old
        if name != "steps" and old[name] != new[name]
    ]
    return [*lines, *_different_parts(old["steps"], new["steps"])]


def _parts(parts: Sequence[PartModel]) -> list[dict[str, Any]]:
    return [_part(part, first=index == 0) for index, part in enumerate(parts)]


def _part(part: PartModel, *, first: bool) -> dict[str, Any]:
    times = Times(from_=1, to=None) if part.one_or_more else part.times
    form: dict[str, Any] = {
        "name": label(part),
        # Nothing comes before the first part: how it follows has no effect.
        "contiguity": "followed_by" if first else part.contiguity,
        "times": 1 if times is None else times_of(times),
        "until": None if part.until is None else unparse(normal(part.until)),
        **{flag: bool(getattr(part, flag, False)) for flag in _FLAGS},
    }
    if isinstance(part, GroupModel):
        return {**form, "group": _parts(part.group)}
    where = None if part.where is None else unparse(normal(part.where))
    within = None if part.within_ms is None else duration_text(part.within_ms)
    return {**form, "where": where, "within": within}


def normal(expr: tree.Expr) -> tree.Expr:
    """The condition in its normal form; what is missing makes both false."""
    return _normal(expr, wanted=True)


def _normal(expr: tree.Expr, *, wanted: bool) -> tree.Expr:
    if isinstance(expr, tree.Not):
        return _normal(expr.arg, wanted=not wanted)
    if isinstance(expr, tree.Logic):
        op = expr.op if wanted else ("or" if expr.op == "and" else "and")
        return _joined(op, [_normal(each, wanted=wanted) for each in expr.args])
    if isinstance(expr, tree.Compare):
        return _compared(expr if wanted else expr.model_copy(update={"op": _CONTRARY[expr.op]}))
    if isinstance(expr, tree.OneOf) and wanted and len(expr.right) == 1:
        return tree.Compare(op="==", left=expr.left, right=tree.Const(const=expr.right[0]))
    if isinstance(expr, tree.OneOf):
        choices: list[float | str] = sorted(set(expr.right), key=lambda each: (str(type(each)), each))
        expr = tree.OneOf(left=expr.left, right=choices)
    return expr if wanted else tree.Not(arg=expr)


def _joined(op: Any, args: Sequence[tree.Expr]) -> tree.Expr:
    flat = [part for each in args for part in _same(op, each)]
    if op == "or":
        flat = _listed(flat)
    ordered = [flat_ for _, flat_ in sorted({unparse(each): each for each in flat}.items())]
    return ordered[0] if len(ordered) == 1 else tree.Logic(op=op, args=ordered)


def _same(op: str, expr: tree.Expr) -> list[tree.Expr]:
    if isinstance(expr, tree.Logic) and expr.op == op:
        return [part for each in expr.args for part in _same(op, each)]
    return [expr]


def _listed(args: Sequence[tree.Expr]) -> list[tree.Expr]:
    """`a == 1 or a == 2` as `a in (1, 2)`."""
    choices: dict[str, list[float | str]] = {}
    lefts: dict[str, tree.Expr] = {}
    rest: list[tree.Expr] = []
    for each in args:
        left, values = _choices(each)
        if left is None:
            rest.append(each)
            continue
        choices.setdefault(unparse(left), []).extend(values)
        lefts[unparse(left)] = left
    return [
        *rest,
        *(
            _normal(tree.OneOf(left=lefts[text], right=values), wanted=True)
            for text, values in choices.items()
        ),
    ]


def _choices(expr: tree.Expr) -> tuple[tree.Expr | None, list[float | str]]:
    if isinstance(expr, tree.OneOf):
        return expr.left, list(expr.right)
    if isinstance(expr, tree.Compare) and expr.op == "==" and isinstance(expr.right, tree.Const):
        value = expr.right.const
        if isinstance(value, float | str) and not isinstance(value, bool):
            return expr.left, [value]
    return None, []


def _compared(expr: tree.Compare) -> tree.Expr:
    """The constant on the right; of two others the one that reads first on the left."""
    left, right = expr.left, expr.right
    constant = isinstance(left, tree.Const)
    both = not constant and not isinstance(right, tree.Const)
    if constant or (both and unparse(right) < unparse(left)):
        return tree.Compare.model_validate({"op": _FLIPPED[expr.op], "left": right, "right": left})
    return expr


def _different_parts(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> Iterator[str]:
    before, after = {each["name"]: each for each in old}, {each["name"]: each for each in new}
    for name in before:
        if name not in after:
            yield f"step {name}: removed"
    for name in after:
        if name not in before:
            yield f"step {name}: added{_about(after[name])}"
    both = [name for name in before if name in after]
    if both != [name for name in after if name in before]:
        yield f"order of steps: {', '.join(before)} -> {', '.join(after)}"
    for name in both:
        yield from _different_part(name, before[name], after[name])


def _about(part: dict[str, Any]) -> str:
    return f": {part['where']}" if part.get("where") else ""


def _different_part(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if ("group" in old) != ("group" in new):
        yield f"step {name}: now {'a group' if 'group' in new else 'a step'}"
        return
    for field in old:
        if field == "group":
            yield from _different_parts(old[field], new[field])
        elif old[field] != new[field]:
            yield f"step {name}: {field}: {_said(old[field])} -> {_said(new[field])}"


def _said(value: Any) -> str:
    if value is None or value == {}:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    return str(value)
