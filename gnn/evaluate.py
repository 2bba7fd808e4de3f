"""What a card tells of a bundle: AC@k and Avg@5 of every contender on the same cases.

AC@k is the share of cases with the true node among the first k; Avg@5 the mean of AC@1 to AC@5. Intervals
are 95% of bootstrap samples of the cases. Equal scores count as drawn at random, so a scorer gains nothing
from the order of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gnn.cases import Case
from gnn.evaluation.contenders import Contender, contenders
from gnn.evaluation.metrics import FIRST, Trust, hits, interval, trust
from gnn.simulator.faults import KINDS
from onnx_models.scorer import Scorer

_BOOTSTRAPS = 1000


def judge(cases: Sequence[Case], contender: Contender) -> dict[str, float]:
    """Return AC@1 with its interval, AC@3, AC@5 and Avg@5 of ``contender`` over the cases with a fault."""
    rows = [hits(contender(case).node, case.example.truth) for case in cases if case.example.truth >= 0]
    found = np.array(rows).reshape(-1, FIRST)
    mean = found.mean(0) if rows else np.full(FIRST, np.nan)
    first = interval(found[:, 0], samples=_BOOTSTRAPS)
    return {
        "AC@1": float(mean[0]),
        "low": first.low,
        "high": first.high,
        "AC@3": float(mean[2]),
        "AC@5": float(mean[4]),
        "Avg@5": float(mean.mean()),
        "cases": len(rows),
    }


def by_kind(
    cases: Sequence[Case], contenders: Mapping[str, Contender]
) -> dict[str, dict[str, dict[str, float]]]:
    """Return what :func:`judge` says of each contender, for the cases of each kind of fault apart."""
    kinds = sorted({case.example.kind for case in cases if case.example.kind >= 0})
    names = list(KINDS)
    return {
        names[kind]: {
            name: judge([case for case in cases if case.example.kind == kind], contender)
            for name, contender in contenders.items()
        }
        for kind in kinds
    }


def compare(cases: Sequence[Case], scorer: Scorer) -> dict[str, dict[str, float]]:
    """Return the scores of the model (edges as they are, shuffled, removed) and of what it has to beat."""
    return {name: judge(cases, contender) for name, contender in contenders(scorer, None).items()}


def reliability(cases: Sequence[Case], scorer: Scorer) -> Trust:
    """Return how far the confidence can be trusted on cases with a fault."""
    pairs = np.array(list(_confidences(cases, scorer))).reshape(-1, 2)
    return trust(pairs[:, 0].tolist(), pairs[:, 1].tolist())


def _confidences(cases: Sequence[Case], scorer: Scorer) -> Iterator[tuple[float, float]]:
    for case in cases:
        if case.example.truth >= 0:
            scores = scorer.score(case.example.snapshot)
            yield scores.confidence, float(scores.ranking()[0] == case.example.truth)


def signal_accuracy(cases: Sequence[Case], scorer: Scorer) -> float:
    """Return how often the likeliest signal of the true node is the true signal."""
    right = [
        scorer.score(case.example.snapshot).signal_of(case.example.truth) == case.example.signal
        for case in cases
        if case.example.truth >= 0 and case.example.signal >= 0
    ]
    return float(np.mean(right)) if right else float("nan")


def table(results: Mapping[str, Mapping[str, float]]) -> str:
    """Return the scores as a Markdown table."""
    lines = ["| | AC@1 (95%) | AC@3 | AC@5 | Avg@5 |", "|---|---|---|---|---|"]
    for name, row in results.items():
        first = f"{row['AC@1']:.3f} ({row['low']:.2f}-{row['high']:.2f})"
        lines.append(f"| {name} | {first} | {row['AC@3']:.3f} | {row['AC@5']:.3f} | {row['Avg@5']:.3f} |")
    return "\n".join(lines)


def kinds_table(results: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return AC@1 by kind of fault as a Markdown table, the contenders in columns."""
    names = list(next(iter(results.values()), {}))
    lines = [f"| AC@1 | faults | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for kind, row in results.items():
        cells = " | ".join(f"{row[name]['AC@1']:.2f}" for name in names)
        lines.append(f"| {kind} | {row[names[0]]['cases']} | {cells} |")
    return "\n".join(lines)
