"""Asks every contender every question and keeps what came of it, fault by fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gnn.evaluation.contenders import MODEL, Answer, Contender
from gnn.evaluation.metrics import F64, hits
from gnn.evaluation.questions import Asked, Question
from onnx_models.snapshot import Snapshot
from records.signals import SIGNALS

TOP = 3
Telling = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """One fault: [5] hits per contender for the node, for the (node, signal) where the signal is known and
    the contender ranks signals, and for the node by ticks and by seconds after it showed; ``traced``: the
    ticks by which the faulty node itself deviates; the model's answer."""

    question: Question
    node: Mapping[str, F64]
    pair: Mapping[str, F64]
    ticks: Mapping[int, Mapping[str, F64]]
    late: Mapping[int, Mapping[str, F64]]
    traced: frozenset[int]
    answer: Answer

    @property
    def right(self) -> float:
        """Whether the model's first node is the cause; between 0 and 1 for ties."""
        return float(self.node[MODEL][0])

    @property
    def signal_right(self) -> bool | None:
        """Whether the model's likeliest signal of the true node is the true one; None where that is not
        known."""
        question = self.question
        if self.answer.pair is None or question.case.example.signal < 0:
            return None
        return int(self.answer.pair[question.truth].argmax()) == question.case.example.signal


def judge_all(
    asked: Sequence[Asked], contenders: Mapping[str, Contender], tell: Telling = lambda text: None
) -> list[Judged]:
    """Return what came of all questions, in order. Raises ScoringError when the model cannot answer."""
    found = []
    for number, one in enumerate(asked, start=1):
        tell(f"judging: fault {number} of {len(asked)}")
        found.append(judge_one(one, contenders))
    return found


def judge_one(asked: Asked, contenders: Mapping[str, Contender]) -> Judged:
    """Return what came of the questions about one fault."""
    main = asked.main
    answers = {name: ask(main.case) for name, ask in contenders.items()}
    signal = main.case.example.signal
    pairs = {
        name: hits(answer.pair, main.truth * len(SIGNALS) + signal)
        for name, answer in answers.items()
        if answer.pair is not None and signal >= 0
    }
    nodes = {name: hits(answer.node, main.truth) for name, answer in answers.items()}
    known: dict[int, Mapping[str, F64]] = {main.snapshot.time: nodes}
    for one in (*asked.ticks.values(), *asked.late.values()):
        if one.snapshot.time not in known:
            known[one.snapshot.time] = {
                name: hits(ask(one.case).node, one.truth) for name, ask in contenders.items()
            }
    ticks, late = (
        {key: known[one.snapshot.time] for key, one in given.items()} for given in (asked.ticks, asked.late)
    )
    traced = frozenset(tick for tick, one in asked.ticks.items() if one.traced)
    return Judged(main, nodes, pairs, ticks, late, traced, answers[MODEL])


@dataclass(frozen=True, slots=True)
class Cause:
    """A ranked cause: its node, the likeliest signal of it, and the node's score."""

    node: str
    signal: str
    score: float


def first_causes(judged: Judged, count: int = TOP) -> tuple[Cause, ...]:
    """Return the model's first causes."""
    answer, nodes = judged.answer, judged.question.snapshot.nodes
    assert answer.pair is not None
    order = np.argsort(-answer.node, kind="stable")[:count]
    return tuple(Cause(nodes[i], SIGNALS[int(answer.pair[i].argmax())], float(answer.node[i])) for i in order)


def missing(snapshot: Snapshot) -> float:
    """Return the share of (node, signal, tick) without a value, over the signals that the graph has at all
    and the nodes that can be ranked."""
    kept = snapshot.mask if snapshot.mask.any() else np.ones_like(snapshot.mask)
    has = snapshot.present.any((0, 2))
    return float(1.0 - snapshot.present[kept][:, has].mean()) if has.any() else 1.0
