"""Rankings that use the call graph or the shape of the series, without learning: what others publish.

Each takes a window, the number of nodes and the calls, int [2,E] (caller, callee), and returns [N], higher is
likelier. All start from BARO's score of each series; above ``ANOMALOUS`` it counts as anomalous. They are
told the time of the fault, but not what alarmed, as their authors' were: the symptom is the anomalous node
from which most anomalous nodes are reached, and what alarmed is the signal of its most anomalous series.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gnn.baselines import F64, Window, baro, baro_series, per_node

ANOMALOUS = 5.0
"""The threshold of PetShop's published methods, in their robust deviations."""
LEAST_COMMON = 3
"""Two series with fewer common values have no correlation."""
DAMPING = 0.85
BACKWARD = 0.2
ROUNDS = 100

Calls = npt.NDArray[np.int64]


def traversal(window: Window, nodes: int, calls: Calls) -> F64:
    """Nodes anomalous in the alarmed signal that no such callee explains and that the symptom reaches through
    such nodes; then other such nodes, then the rest. Ties go to BARO's score.

    (Hardt et al., "The PetShop dataset", CLeaR 2024, baseline "traversal".)
    """
    symptom, series = _alarmed(window, nodes, calls)
    score = per_node(window, series, nodes)
    bad = score > ANOMALOUS
    among = _among(calls, bad)
    explained = np.zeros(nodes, bool)
    explained[among[0]] = True
    reached = _reach(nodes, among)[symptom] & bad
    tier = np.where(reached & ~explained, 2.0, np.where(bad, 1.0, 0.0))
    result: F64 = tier + score / (1.0 + score)
    return result


def ranked_correlation(window: Window, nodes: int, calls: Calls) -> F64:
    """Of the series anomalous in the alarmed signal, the largest absolute correlation with the symptom's most
    anomalous one over the model's window. Nodes without such a series come last, the symptom before them.

    (As above, baseline "ranked correlation".)
    """
    symptom, series = _alarmed(window, nodes, calls)
    result = np.where(per_node(window, series, nodes) > ANOMALOUS, 0.0, -1.0)
    own = np.flatnonzero(window.node == symptom)
    if not own.size:
        return result
    shown = window.recent[:, own[series[own].argmax()]]
    for index in np.flatnonzero((series > ANOMALOUS) & (window.node >= 0) & (window.node != symptom)):
        node = window.node[index]
        result[node] = max(result[node], _correlation(window.recent[:, index], shown))
    return result


def page_rank(window: Window, nodes: int, calls: Calls, alarmed: Sequence[int] = ()) -> F64:
    """Where a walk over the calls stays that starts at, goes to and stays with anomalous nodes: to callees by
    their score, back to callers by a fifth of theirs, and it rests where nothing around is more anomalous.

    ``alarmed``: the nodes that raised the alarm, at which it then starts instead. (Personalised PageRank as
    in MonitorRank, Kim et al., SIGMETRICS 2013.)
    """
    weight = np.log1p(baro(window, nodes)) + 1e-6
    step = np.zeros((nodes, nodes))
    caller, callee = calls
    np.maximum.at(step, (callee, caller), BACKWARD * weight[caller])
    np.maximum.at(step, (caller, callee), weight[callee])
    np.fill_diagonal(step, 0.0)
    step[np.diag_indices(nodes)] = np.maximum(weight - step.max(1), 1e-6)
    step /= step.sum(1, keepdims=True)
    start = weight / weight.sum()
    if alarmed:
        start = np.zeros(nodes)
        start[list(alarmed)] = 1.0 / len(set(alarmed))
    rank: F64 = start
    for _ in range(ROUNDS):
        rank = (1 - DAMPING) * start + DAMPING * np.asarray(rank @ step)
    return rank


def _alarmed(window: Window, nodes: int, calls: Calls) -> tuple[int, F64]:
    """Return the symptom and [S]: BARO's score of each series of the alarmed signal, 0 for the others."""
    series = baro_series(window)
    score = per_node(window, series, nodes)
    bad = score > ANOMALOUS
    symptom = _symptom(score, bad, _among(calls, bad))
    own = np.flatnonzero(window.node == symptom)
    signal = window.signal[own[series[own].argmax()]] if own.size else ""
    return symptom, np.where(window.signal == signal, series, 0.0)


def _among(calls: Calls, chosen: npt.NDArray[np.bool_]) -> Calls:
    """Return the calls between different chosen nodes."""
    caller, callee = calls
    return calls[:, chosen[caller] & chosen[callee] & (caller != callee)]


def _reach(nodes: int, calls: Calls) -> npt.NDArray[np.bool_]:
    """Return bool [N,N]: which node reaches which over the calls; each reaches itself."""
    reach = np.eye(nodes, dtype=bool)
    reach[calls[0], calls[1]] = True
    while True:
        further = reach @ reach
        if (further == reach).all():
            return reach
        reach = further


def _symptom(score: F64, bad: npt.NDArray[np.bool_], among: Calls) -> int:
    """Return the anomalous node that reaches most anomalous nodes; of several the most anomalous one."""
    reached = np.where(bad, _reach(len(score), among).sum(1), 0)
    return int(np.lexsort((score, reached))[-1])


def _correlation(a: F64, b: F64) -> float:
    """Return the absolute correlation of two series [R] over their common values; 0 where one is constant."""
    both = np.isfinite(a) & np.isfinite(b)
    if both.sum() < LEAST_COMMON:
        return 0.0
    x, y = a[both] - a[both].mean(), b[both] - b[both].mean()
    size = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return abs(float((x * y).sum())) / size if size > 0 else 0.0
