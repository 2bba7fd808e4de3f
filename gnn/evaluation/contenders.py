"""What is asked to rank: the model, the model with its graph spoilt, and what it has to beat.

Methods on raw series are told the time of the fault; the model and the fallback are told which alarms had
been raised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gnn.baselines import F64, baro, baro_series, chance, nsigma, nsigma_series, per_pair
from gnn.cases import Case
from gnn.evaluation.trees import Trees
from gnn.graph_baselines import page_rank, ranked_correlation, traversal
from gnn.rewire import shuffled, without_edges
from onnx_models.fallback import rank_by_deviation
from onnx_models.scorer import Scorer
from onnx_models.scores import Scores
from onnx_models.snapshot import Snapshot
from records.signals import SIGNALS

MODEL, SHUFFLED, BARE = "model", "model, edges shuffled", "model, no edges"
SPOILT = (SHUFFLED, BARE)
OF_SERIES = ("N-sigma", "BARO's scorer", "personalised PageRank", "traversal", "ranked correlation")
TREES = "trees per node, no graph"


@dataclass(frozen=True, slots=True)
class Answer:
    """Scores of the nodes [N] and, where a method has them, of (node, signal) [N,11]: higher is likelier.
    ``confidence``: that the first node is the cause, of the model only."""

    node: F64
    pair: F64 | None = None
    confidence: float | None = None


Contender = Callable[[Case], Answer]


def contenders(
    scorer: Scorer, trees: Trees | None, against: Scorer | None = None, series: bool = True
) -> dict[str, Contender]:
    """Return all by name, the model first; ``against``: another bundle, told by its own name. Without
    ``series`` those that need the raw series are left out."""
    found: dict[str, Contender] = {MODEL: lambda case: scored(scorer, case.snapshot)}
    if against is not None:
        other = against
        found[named(other)] = lambda case: scored(other, case.snapshot)
    found[SHUFFLED] = lambda case: scored(scorer, _shuffled(case))
    found[BARE] = lambda case: scored(scorer, without_edges(case.snapshot))
    if trees is not None:
        learned = trees
        found[TREES] = lambda case: by_share(learned.score(case.snapshot), case)
    unlearned = plain()
    return found | {name: one for name, one in unlearned.items() if series or name not in OF_SERIES}


def plain() -> dict[str, Contender]:
    """Return the methods that learned nothing."""
    return {
        "fallback": lambda case: answer_of(rank_by_deviation(case.snapshot)),
        "N-sigma": lambda case: Answer(
            nsigma(case.window, case.nodes),
            per_pair(case.window, nsigma_series(case.window), case.nodes),
        ),
        "BARO's scorer": lambda case: Answer(baro(case.window, case.nodes), _baro_pairs(case)),
        "personalised PageRank": lambda case: by_share(
            page_rank(case.window, case.nodes, case.snapshot.edge_index), case
        ),
        "traversal": lambda case: Answer(traversal(case.window, case.nodes, case.snapshot.edge_index)),
        "ranked correlation": lambda case: Answer(
            ranked_correlation(case.window, case.nodes, case.snapshot.edge_index)
        ),
        "chance": lambda case: Answer(chance(case.nodes), np.zeros((case.nodes, len(SIGNALS)))),
    }


def named(scorer: Scorer) -> str:
    """Return a bundle's name and version."""
    return f"{scorer.bundle.manifest.name}-{scorer.bundle.manifest.version}"


def scored(scorer: Scorer, snapshot: Snapshot) -> Answer:
    """Return a bundle's answer. Raises ScoringError."""
    return answer_of(scorer.score(snapshot))


def answer_of(scores: Scores) -> Answer:
    """Return scores as an answer: a pair's score is its node's probability times its signal's."""
    node = scores.node_probability.astype(np.float64)
    return Answer(node, node[:, None] * scores.signal_score, scores.confidence)


def by_share(node: F64, case: Case) -> Answer:
    """Return the answer of a method that ranks nodes only: a node's score goes to its signals by BARO's."""
    pairs = _baro_pairs(case)
    total = pairs.sum(1, keepdims=True)
    share = np.where(total > 0, pairs / np.where(total > 0, total, 1.0), 0.0)
    return Answer(node, node[:, None] * share)


def _baro_pairs(case: Case) -> F64:
    return per_pair(case.window, baro_series(case.window), case.nodes)


def _shuffled(case: Case) -> Snapshot:
    """Return the snapshot with edges laid elsewhere, the same way whenever it is asked."""
    seed = (case.snapshot.time // 1000, len(case.snapshot.nodes))
    return shuffled(np.random.default_rng(seed), case.snapshot)
