"""Derives from a pattern's conditions which samples can matter to it: an index hint for the JVM.

Sound by construction: a sample that is left out could not have been taken by any step, nor have broken a
contiguity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from cep_patterns import tree
from cep_patterns.model import (
    GroupModel,
    Key,
    PartModel,
    PatternModel,
    Select,
    StepModel,
    every_part,
    every_step,
)

_Deciding = Literal["signal", "metric"]
_DECIDING: Final[tuple[_Deciding, ...]] = ("signal", "metric")


def derive_select(key: Key, parts: Sequence[PartModel]) -> Select:
    """What every run of the pattern needs of a sample's signal and metric.

    A series has one signal and one metric, so there one step that is always taken decides. On a node each
    step may look at another series: there the union counts, and only where no sample in between can break a
    run. Patterns over other events than samples have no such hint.
    """
    if key not in ("series", "node"):
        return Select()
    if key == "series":
        return Select(signals=_common(parts, "signal"), metrics=_common(parts, "metric"))
    strict = ("next", "not_next")
    if any(part.contiguity in strict or part.consecutive or part.until for part in every_part(parts)):
        return Select()
    return Select(signals=_union(parts, "signal"), metrics=_union(parts, "metric"))


def never_matches(pattern: PatternModel) -> str | None:
    """Why the pattern can never match.

    Its steps want signals or metrics that one series cannot have at once.
    """
    if pattern.key == "series":
        for field in _DECIDING:
            if _common(pattern.steps, field) == []:
                return f"the steps want different {field}s, and a series has one; use key: node"
    return None


def _always(parts: Sequence[PartModel]) -> Iterator[StepModel]:
    """The steps that every match takes."""
    for part in parts:
        if part.optional or part.negated:
            continue
        if isinstance(part, GroupModel):
            yield from _always(part.group)
        else:
            yield part


def _common(parts: Sequence[PartModel], field: _Deciding) -> list[str] | None:
    needed = [_required(step.where, field) for step in _always(parts)]
    sets = [found for found in needed if found is not None]
    return sorted(frozenset.intersection(*sets)) if sets else None


def _union(parts: Sequence[PartModel], field: _Deciding) -> list[str] | None:
    sets = [_required(step.where, field) for step in every_step(parts)]
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
