"""What an evaluation found, as plain data: per set the accuracies, slices, calibration, failures, and how a
bundle stands against another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gnn.evaluation.asking import Cause, Judged, first_causes, missing
from gnn.evaluation.contenders import MODEL, SPOILT
from gnn.evaluation.metrics import (
    F64,
    Accuracy,
    Difference,
    Interval,
    Trust,
    accuracy,
    difference,
    interval,
    trust,
)
from gnn.evaluation.questions import DELAYS_S, TICKS
from gnn.simulator.families import FAMILIES

LEVEL = 0.95
_SIZES = ((1, "up to 10 nodes"), (11, "11 to 30"), (31, "31 to 80"), (81, "more than 80"))
_MISSING = (
    (0.0, "less than 20% missing"),
    (0.2, "20 to 50%"),
    (0.5, "50 to 80%"),
    (0.8, "80% and more"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One contender in one set: its nodes, and its (node, signal) pairs where it ranks them and the signal of
    some fault is known."""

    name: str
    node: Accuracy
    pair: Accuracy | None


@dataclass(frozen=True, slots=True)
class Slice:
    """AC@1 per contender over the faults of one ``value`` of ``by``: kind, size, missing, shows, ticks,
    traced, delay."""

    by: str
    value: str
    cases: int
    ac1: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault whose node the model does not rank first."""

    source: str
    node: str
    signal: str | None
    kind: str
    start: int
    shows: bool
    nodes: int
    rank: int
    confidence: float
    told: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Versus:
    """How a bundle stands against something on the same windows."""

    other: str
    difference: Difference


@dataclass(frozen=True, slots=True)
class Group:
    """One set. ``unseen``: faults left out, at nodes that no frame knows; ``hidden``: faults that never show.
    ``best``: against the best method that is not the model itself, by AC@1; ``graph``: against itself with
    the edges shuffled and removed; ``twin``: the model against itself on the same faults of another set,
    whose systems are these but for what was changed."""

    name: str
    faults: int
    unseen: int
    hidden: int
    rows: tuple[Row, ...]
    slices: tuple[Slice, ...]
    trust: Trust
    hidden_confidence: float
    signal: Interval
    failures: tuple[Failure, ...]
    best: Versus
    graph: tuple[Versus, ...]
    against: Versus | None
    twin: Versus | None = None


def group_of(name: str, judged: Sequence[Judged], unseen: int, other: str | None, level: float) -> Group:
    """Return what came of the questions of one set (at least one). ``other``: the bundle to compare with, by
    its contender's name, at ``level``."""
    names = list(judged[0].node)
    rows = tuple(Row(each, accuracy(nodes(judged, each)), _pairs(judged, each)) for each in names)
    rivals = [row for row in rows if row.name not in (MODEL, other, *SPOILT)]
    best = max(rivals, key=lambda row: (row.node.ac1.mean, row.node.avg5.mean)).name
    hidden = [one for one in judged if one.question.shows is None]
    signals = [float(one.signal_right) for one in judged if one.signal_right is not None]
    return Group(
        name=name,
        faults=len(judged),
        unseen=unseen,
        hidden=len(hidden),
        rows=rows,
        slices=tuple(slices(judged)),
        trust=trust([_sure(one) for one in judged], [one.right for one in judged]),
        hidden_confidence=interval(np.array([_sure(one) for one in hidden])).mean,
        signal=interval(np.array(signals)),
        failures=tuple(failure(one) for one in judged if one.right < 1),
        best=versus(judged, best),
        graph=tuple(versus(judged, each) for each in SPOILT),
        against=None if other is None else versus(judged, other, level),
    )


def nodes(judged: Sequence[Judged], name: str) -> F64:
    """Return [faults,5]: a contender's hits."""
    return np.array([one.node[name] for one in judged]).reshape(-1, 5)


def versus(judged: Sequence[Judged], other: str, level: float = LEVEL) -> Versus:
    """Return how the model stands against another contender."""
    return Versus(other, difference(nodes(judged, MODEL), nodes(judged, other), level))


def _pairs(judged: Sequence[Judged], name: str) -> Accuracy | None:
    found = [one.pair[name] for one in judged if name in one.pair]
    return accuracy(np.array(found)) if found else None


def _sure(judged: Judged) -> float:
    assert judged.answer.confidence is not None
    return judged.answer.confidence


def slices(judged: Sequence[Judged]) -> Iterable[Slice]:
    """Yield the set cut by kind of fault, size, missing values, whether the fault shows, and how long
    after; by ticks also the faults alone whose own node deviates by then."""
    cuts: dict[str, Callable[[Judged], str]] = {
        "kind": lambda one: one.question.fault.kind,
        "size": lambda one: _named(_SIZES, len(one.question.snapshot.nodes)),
        "missing": lambda one: _named(_MISSING, missing(one.question.snapshot)),
        "shows": lambda one: "never shows" if one.question.shows is None else "shows",
    }
    for by, key in cuts.items():
        parts: dict[str, list[Judged]] = {}
        for one in judged:
            parts.setdefault(key(one), []).append(one)
        order = [value for _, value in (*_SIZES, *_MISSING)]
        for value in sorted(parts, key=lambda text: (order.index(text) if text in order else -1, text)):
            yield _slice(by, value, [one.node for one in parts[value]])
    for tick in TICKS:
        after = [one.ticks[tick] for one in judged if tick in one.ticks]
        if after:
            yield _slice("ticks", ticks_named(tick), after)
    for tick in TICKS:
        traced = [one.ticks[tick] for one in judged if tick in one.traced]
        if traced:
            yield _slice("traced", ticks_named(tick), traced)
    for seconds in DELAYS_S:
        late = [one.late[seconds] for one in judged if seconds in one.late]
        if late:
            yield _slice("delay", f"{seconds} s", late)


def ticks_named(tick: int) -> str:
    """Return `0 ticks`, `1 tick`, ..."""
    return f"{tick} tick" if tick == 1 else f"{tick} ticks"


def _slice(by: str, value: str, found: Sequence[Mapping[str, F64]]) -> Slice:
    ac1 = {name: interval(np.array([one[name][0] for one in found])) for name in found[0]}
    return Slice(by, value, len(found), ac1)


def _named(steps: Sequence[tuple[float, str]], value: float) -> str:
    return [name for least, name in steps if value >= least][-1]


def failure(judged: Judged) -> Failure:
    """Return a fault that the model ranked wrong; ``rank`` is the worst that its ties allow."""
    question, scores = judged.question, judged.answer.node
    fault = question.fault
    return Failure(
        source=question.source,
        node=fault.node,
        signal=fault.signal,
        kind=fault.kind,
        start=fault.start,
        shows=question.shows is not None,
        nodes=len(scores),
        rank=int((scores >= scores[question.truth]).sum()),
        confidence=_sure(judged),
        told=first_causes(judged),
    )


@dataclass(frozen=True, slots=True)
class Study:
    """An evaluation of ``bundle`` (name and hash), ``against`` another or none: all sets, in order, and the
    difference over all faults together. ``trees``: what the trees were trained on, None where they were left
    out."""

    bundle: Mapping[str, str]
    against: Mapping[str, str] | None
    trees: Mapping[str, int] | None
    groups: tuple[Group, ...]
    together: Versus | None

    @property
    def worse(self) -> tuple[str, ...]:
        """Names of the sets where the bundle is worse than the other beyond noise; ``all`` for together."""
        found = [each.name for each in self.groups if each.against and each.against.difference.worse]
        return (*(["all"] if self.together and self.together.difference.worse else []), *found)


def groups_of(judged: Sequence[Judged], unseen: Mapping[str, int], other: str | None) -> tuple[Group, ...]:
    """Return the sets in the order of their first question. The intervals against ``other`` are widened for
    the number of sets, so that one of many does not fall out of line by chance."""
    parts: dict[str, list[Judged]] = {}
    for one in judged:
        parts.setdefault(one.question.group, []).append(one)
    level = 1 - (1 - LEVEL) / max(1, len(parts))
    groups = [group_of(name, part, unseen.get(name, 0), other, level) for name, part in parts.items()]
    return tuple(
        replace(group, twin=twin_of(parts[group.name], parts.get(FAMILIES[group.name].twin or "", ())))
        if group.name in FAMILIES
        else group
        for group in groups
    )


def twin_of(judged: Sequence[Judged], others: Sequence[Judged]) -> Versus | None:
    """Return how the model does on faults against the same faults of ``others``, the systems' numbers at the
    end of their names; None where there are none of the same."""
    known = {_place(one): one for one in others}
    pairs = [(one, known[_place(one)]) for one in judged if _place(one) in known]
    if not pairs:
        return None
    changed, same = (nodes(each, MODEL) for each in zip(*pairs, strict=True))
    return Versus(others[0].question.group, difference(changed, same))


def _place(judged: Judged) -> tuple[str, str, int]:
    """Return what the same fault of two twin systems has in common."""
    question = judged.question
    return question.source.rpartition("-")[2], question.fault.node, question.fault.start
