"""Judges rankings: AC@k and Avg@5 of any scorer on the same cases, with the graph as it is, shuffled, or
taken away.

AC@k is the share of cases with the true node among the first k; Avg@5 the mean of AC@1 to AC@5. Intervals
are 95% of bootstrap samples of the cases. Equal scores count as drawn at random, so a scorer gains nothing
from the order of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gnn.baselines import Window, baro, chance, nsigma
from gnn.evaluation.metrics import FIRST, Trust, hits, interval, trust
from gnn.examples import Example
from gnn.graph_baselines import page_rank
from gnn.simulator.faults import KINDS
from onnx_models.fallback import rank_by_deviation
from onnx_models.features import NODE_FEATURES, STATIC_FEATURES
from onnx_models.habit import NEIGHBOURS, neighbours
from onnx_models.reach import closeness, hops
from onnx_models.scorer import Scorer
from onnx_models.snapshot import Snapshot

_BOOTSTRAPS = 1000


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled snapshot with the raw window it came from."""

    example: Example
    window: Window


Ranker = Callable[[Case], npt.NDArray[np.floating]]  # type: ignore[type-arg]
"""Scores [N] of a case, higher is likelier; the order decides."""


def judge(cases: Sequence[Case], ranker: Ranker) -> dict[str, float]:
    """Return AC@1 with its interval, AC@3, AC@5 and Avg@5 of ``ranker`` over the cases with a fault."""
    rows = [hits(ranker(case), case.example.truth) for case in cases if case.example.truth >= 0]
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


def by_kind(cases: Sequence[Case], rankers: Mapping[str, Ranker]) -> dict[str, dict[str, dict[str, float]]]:
    """Return what :func:`judge` says of each ranker, for the cases of each kind of fault apart."""
    kinds = sorted({case.example.kind for case in cases if case.example.kind >= 0})
    names = list(KINDS)
    return {
        names[kind]: {
            name: judge([case for case in cases if case.example.kind == kind], ranker)
            for name, ranker in rankers.items()
        }
        for kind in kinds
    }


def compare(cases: Sequence[Case], scorer: Scorer, seed: int = 0) -> dict[str, dict[str, float]]:
    """Return the scores of the model (edges as they are, shuffled, removed), the fallback and the
    baselines."""
    return {name: judge(cases, ranker) for name, ranker in rankers_of(scorer, seed).items()}


def rankers_of(scorer: Scorer, seed: int = 0) -> dict[str, Ranker]:
    """Return the model, as it is and with its graph spoilt, and what it has to beat, by name."""
    rng = np.random.default_rng(seed)

    def model(case: Case) -> npt.NDArray[np.float32]:
        return scorer.score_one(case.example.snapshot).node_probability

    return {
        "model": model,
        "model, edges shuffled": lambda case: model(_with(case, shuffled(rng, case.example.snapshot))),
        "model, no edges": lambda case: model(_with(case, without_edges(case.example.snapshot))),
        "fallback": lambda case: rank_by_deviation(case.example.snapshot).node_probability,
        "N-sigma": lambda case: nsigma(case.window, _count(case)),
        "BARO's scorer": lambda case: baro(case.window, _count(case)),
        "personalised PageRank": lambda case: page_rank(
            case.window, _count(case), case.example.snapshot.edge_index
        ),
        "chance": lambda case: chance(_count(case)),
    }


def _count(case: Case) -> int:
    return len(case.example.snapshot.nodes)


def _with(case: Case, snapshot: Snapshot) -> Case:
    return replace(case, example=replace(case.example, snapshot=snapshot))


def without_edges(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot as if nobody knew the topology."""
    return _rewired(snapshot, np.zeros((2, 0), np.int64), snapshot.edge_attr[:0])


def shuffled(rng: np.random.Generator, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with its edges laid between other nodes: the same graph on permuted nodes."""
    place = rng.permutation(len(snapshot.nodes))
    return _rewired(snapshot, place[snapshot.edge_index], snapshot.edge_attr)


def _rewired(
    snapshot: Snapshot, edge_index: npt.NDArray[np.int64], edge_attr: npt.NDArray[np.float32]
) -> Snapshot:
    """Return the snapshot with other edges, and with the node features that follow from them."""
    count = len(snapshot.nodes)
    static = snapshot.node_static.copy()
    source, target = edge_index
    start = np.flatnonzero(static[:, NODE_FEATURES.index("alarmed")] > 0)
    below, above = hops(count, source, target, start), hops(count, target, source, start)
    columns = {
        "out_degree": np.log1p(np.bincount(source, minlength=count)),
        "in_degree": np.log1p(np.bincount(target, minlength=count)),
        "below_alarm": below >= 0,
        "below_closeness": closeness(below),
        "above_alarm": above >= 0,
        "above_closeness": closeness(above),
    }
    for name, values in columns.items():
        static[:, NODE_FEATURES.index(name)] = values
    cells = snapshot.static.copy()
    near = neighbours(cells[..., STATIC_FEATURES.index("z_last")], source, target)
    for place, name in enumerate(NEIGHBOURS):
        cells[..., STATIC_FEATURES.index(name)] = near[..., place]
    return replace(snapshot, edge_index=edge_index, edge_attr=edge_attr, static=cells, node_static=static)


def reliability(cases: Sequence[Case], scorer: Scorer) -> Trust:
    """Return how far the confidence can be trusted on cases with a fault."""
    pairs = np.array(list(_confidences(cases, scorer))).reshape(-1, 2)
    return trust(pairs[:, 0].tolist(), pairs[:, 1].tolist())


def _confidences(cases: Sequence[Case], scorer: Scorer) -> Iterator[tuple[float, float]]:
    for case in cases:
        if case.example.truth >= 0:
            scores = scorer.score_one(case.example.snapshot)
            yield scores.confidence, float(scores.ranking()[0] == case.example.truth)


def signal_accuracy(cases: Sequence[Case], scorer: Scorer) -> float:
    """Return how often the likeliest signal of the true node is the true signal."""
    right = [
        scorer.score_one(case.example.snapshot).signal_of(case.example.truth) == case.example.signal
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
    """Return AC@1 by kind of fault as a Markdown table, the rankers in columns."""
    names = list(next(iter(results.values()), {}))
    lines = [f"| AC@1 | faults | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for kind, row in results.items():
        cells = " | ".join(f"{row[name]['AC@1']:.2f}" for name in names)
        lines.append(f"| {kind} | {row[names[0]]['cases']} | {cells} |")
    return "\n".join(lines)
