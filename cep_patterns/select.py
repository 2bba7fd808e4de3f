"""Derives from a pattern's conditions which samples can matter to it: an index hint for the JVM.

Sound by construction: a sample that is left out could not have been taken by any step, nor have broken a
contiguity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from cep_patterns import tree
from cep_patterns.model import PatternModel, Select, StepModel

_Deciding = Literal["signal", "metric"]
_DECIDING: Final[tuple[_Deciding, ...]] = ("signal", "metric")


def derive_select(key: Literal["series", "node"], steps: Sequence[StepModel]) -> Select:
    """What every run of the pattern needs of a sample's signal and metric.

    A series has one signal and one metric, so there one step that is always taken decides. On a node each
    step may look at another series: there the union counts, and only where no sample in between can break a
    run.
    """
    if key == "series":
        return Select(signals=_common(steps, "signal"), metrics=_common(steps, "metric"))
    if any(step.contiguity in ("next", "not_next") or step.consecutive or step.until for step in steps):
        return Select()
    return Select(signals=_union(steps, "signal"), metrics=_union(steps, "metric"))


def never_matches(pattern: PatternModel) -> str | None:
    """Why the pattern can never match.

    Its steps want signals or metrics that one series cannot have at once.
    """
    if pattern.key == "series":
        for field in _DECIDING:
            if _common(pattern.steps, field) == []:
                return f"the steps want different {field}s, and a series has one; use key: node"
    return None


def _common(steps: Sequence[StepModel], field: _Deciding) -> list[str] | None:
    needed = [_required(step.where, field) for step in steps if not step.optional and not step.negated]
    sets = [found for found in needed if found is not None]
    return sorted(frozenset.intersection(*sets)) if sets else None


def _union(steps: Sequence[StepModel], field: _Deciding) -> list[str] | None:
    sets = [_required(step.where, field) for step in steps]
    found = [each for each in sets if each is not None]
    return sorted(frozenset[str]().union(*found)) if len(found) == len(sets) else None


def _required(where: tree.Expr | None, field: _Deciding) -> frozenset[str] | None:
    """The values one of which `field` must have for the condition to hold; None where it does not say."""
    sets = [found for part in _conjuncts(where) if (found := _values(part, field)) is not None]
    return frozenset.intersection(*sets) if sets else None


def _conjuncts(where: tree.Expr | None) -> Iterator[tree.Expr]:
    if isinstance(where, tree.Logic) and where.op == "and":
        for part in where.args:
            yield from _conjuncts(part)
    elif where is not None:
        yield where


def _values(part: tree.Expr, field: _Deciding) -> frozenset[str] | None:
    wanted = tree.Field(field=field)
    if isinstance(part, tree.OneOf) and part.left == wanted:
        return frozenset(str(each) for each in part.right)
    if isinstance(part, tree.Compare) and part.op == "==":
        for left, right in ((part.left, part.right), (part.right, part.left)):
            if left == wanted and isinstance(right, tree.Const):
                return frozenset({str(right.const)})
    if isinstance(part, tree.Logic) and part.op == "or":
        sides = [_required(each, field) for each in part.args]
        known = [each for each in sides if each is not None]
        return frozenset[str]().union(*known) if len(known) == len(sides) else None
    return None
