"""The rankings over the call graph, on graphs small enough to follow by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gnn.baselines import F64, Window
from gnn.graph_baselines import Calls, page_rank, ranked_correlation, traversal

Ranker = Callable[[Window, int, Calls], F64]
CHAIN = np.array([[0, 1, 2, 0], [1, 2, 3, 4]])
"""0 calls 1 and 4, 1 calls 2, 2 calls 3."""


def window(jumps: dict[int, float], nodes: int = 5, start: int = -3) -> Window:
    """A series per node around 10; from row `start` on it is higher by the node's jump."""
    rng = np.random.default_rng(1)
    values = rng.normal(10, 1, (70, nodes))
    for node, jump in jumps.items():
        values[start:, node] += jump
    return Window(values[:60], values[-3:], values[-10:], np.arange(nodes), np.array(["latency"] * nodes))


@pytest.mark.parametrize("ranker", [traversal, page_rank])
def test_the_deepest_anomalous_node_is_first_though_its_callers_deviate_more(ranker: Ranker) -> None:
    scores = ranker(window({0: 60.0, 1: 50.0, 2: 40.0}), 5, CHAIN)

    assert scores.argmax() == 2


def test_traversal_prefers_what_the_symptom_reaches_through_anomalous_nodes() -> None:
    scores = traversal(window({0: 30.0, 1: 30.0, 3: 500.0}), 5, CHAIN)

    assert np.argsort(-scores)[:3].tolist() == [1, 3, 0], "2 is healthy, so 3 is not reached"


def test_correlation_names_the_node_that_moves_with_the_symptom() -> None:
    one = window({0: 40.0, 1: 40.0, 4: 80.0})
    one.recent[-3:, 4] = [60.0, 11.0, 90.0]
    scores = ranked_correlation(one, 5, CHAIN)

    assert scores.argmax() == 1
    assert scores[0] == 0.0, "the symptom explains itself"
    assert (scores[[2, 3]] == -1.0).all()


@pytest.mark.parametrize("ranker", [traversal, ranked_correlation])
def test_only_the_alarmed_signal_counts(ranker: Ranker) -> None:
    one = window({0: 60.0, 1: 40.0, 3: 90.0})
    one.signal[3] = "cpu"

    assert np.argsort(-ranker(one, 5, CHAIN))[0] == 1


@pytest.mark.parametrize("ranker", [traversal, ranked_correlation, page_rank])
def test_nothing_breaks_without_calls_values_or_anomalies(ranker: Ranker) -> None:
    none = np.zeros((2, 0), np.int64)
    gone = window({})
    gone.during[:] = np.nan
    gone.recent[:] = np.nan
    homeless = replace(gone, node=np.full(5, -1))
    for one in (window({}), window({2: 30.0}), gone, homeless):
        for calls in (none, CHAIN, np.array([[0, 1, 1], [1, 0, 1]])):
            scores = ranker(one, 5, calls)
            assert scores.shape == (5,)
            assert np.isfinite(scores).all()


@pytest.mark.parametrize("ranker", [traversal, ranked_correlation, page_rank])
def test_relabelling_nodes_relabels_the_answer(ranker: Ranker) -> None:
    one = window({0: 60.0, 1: 50.0, 2: 40.0})
    place = np.array([3, 0, 4, 1, 2])
    scores = ranker(one, 5, CHAIN)
    again = ranker(replace(one, node=place[one.node]), 5, place[CHAIN])

    assert again[place] == pytest.approx(scores)
