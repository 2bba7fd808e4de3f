"""What is asked to rank: the model, the model with its graph spoilt, and what it has to beat.

Methods on raw series are told the time of the fault; the model and the fallback are told which alarms had
been raised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gnn.baselines import F64, baro, baro_series, chance, nsigma, nsigma_series, per_pair
from gnn.evaluate import shuffled, without_edges
from gnn.evaluation.questions import Question
from gnn.evaluation.trees import Trees
from gnn.graph_baselines import page_rank, ranked_correlation, traversal
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


Contender = Callable[[Question], Answer]


def contenders(
    scorer: Scorer, trees: Trees | None, against: Scorer | None = None, series: bool = True
) -> dict[str, Contender]:
    """Return all by name, the model first; ``against``: another bundle, told by its own name. Without
    ``series`` those that need the raw series are left out."""
    found: dict[str, Contender] = {MODEL: lambda question: scored(scorer, question.snapshot)}
    if against is not None:
        other = against
        found[named(other)] = lambda question: scored(other, question.snapshot)
    found[SHUFFLED] = lambda question: scored(scorer, _shuffled(question))
    found[BARE] = lambda question: scored(scorer, without_edges(question.snapshot))
    if trees is not None:
        learned = trees
        found[TREES] = lambda question: by_share(learned.score(question.snapshot), question)
    unlearned = plain()
    return found | {name: one for name, one in unlearned.items() if series or name not in OF_SERIES}


def plain() -> dict[str, Contender]:
    """Return the methods that learned nothing."""
    return {
        "fallback": lambda question: answer_of(rank_by_deviation(question.snapshot)),
        "N-sigma": lambda question: Answer(
            nsigma(question.case.window, _count(question)),
            per_pair(question.case.window, nsigma_series(question.case.window), _count(question)),
        ),
        "BARO's scorer": lambda question: Answer(
            baro(question.case.window, _count(question)), _baro_pairs(question)
        ),
        "personalised PageRank": lambda question: by_share(
            page_rank(question.case.window, _count(question), question.snapshot.edge_index), question
        ),
        "traversal": lambda question: Answer(
            traversal(question.case.window, _count(question), question.snapshot.edge_index)
        ),
        "ranked correlation": lambda question: Answer(
            ranked_correlation(question.case.window, _count(question), question.snapshot.edge_index)
        ),
        "chance": lambda question: Answer(
            chance(_count(question)), np.zeros((_count(question), len(SIGNALS)))
        ),
    }


def named(scorer: Scorer) -> str:
    """Return a bundle's name and version."""
    return f"{scorer.bundle.manifest.name}-{scorer.bundle.manifest.version}"


def scored(scorer: Scorer, snapshot: Snapshot) -> Answer:
    """Return a bundle's answer. Raises ScoringError."""
    return answer_of(scorer.score_one(snapshot))


def answer_of(scores: Scores) -> Answer:
    """Return scores as an answer: a pair's score is its node's probability times its signal's."""
    node = scores.node_probability.astype(np.float64)
    return Answer(node, node[:, None] * scores.signal_score, scores.confidence)


def by_share(node: F64, question: Question) -> Answer:
    """Return the answer of a method that ranks nodes only: a node's score goes to its signals by BARO's."""
    pairs = _baro_pairs(question)
    total = pairs.sum(1, keepdims=True)
    share = np.where(total > 0, pairs / np.where(total > 0, total, 1.0), 0.0)
    return Answer(node, node[:, None] * share)


def _baro_pairs(question: Question) -> F64:
    return per_pair(question.case.window, baro_series(question.case.window), _count(question))


def _shuffled(question: Question) -> Snapshot:
    """Return the snapshot with edges laid elsewhere, the same way whenever it is asked."""
    seed = (question.snapshot.time // 1000, len(question.snapshot.nodes))
    return shuffled(np.random.default_rng(seed), question.snapshot)


def _count(question: Question) -> int:
    return len(question.snapshot.nodes)
