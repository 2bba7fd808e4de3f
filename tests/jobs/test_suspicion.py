"""Which incidents are held back: weak matches of whose graph the model says that nothing is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.suspicion import suspected
from records.incidents import IncidentEvent
from tests.jobs.test_revisions import draft


def doubtful(**more: Any) -> IncidentEvent:
    triggers = [{"pattern": "slow", "version": 1, "node": "cart", "time": 1}]
    return draft(0, **{"anomaly_probability": 0.1, "qos": "P1", "triggers": triggers, **more})


def test_a_weak_match_in_a_healthy_graph_is_held_back() -> None:
    assert suspected(doubtful(), 0.2)


@pytest.mark.parametrize("bound", [0.0, 0.1])
def test_a_bound_that_is_not_undercut_holds_nothing_back(bound: float) -> None:
    assert not suspected(doubtful(), bound)


@pytest.mark.parametrize(
    "strong",
    [
        {"qos": "P0"},
        {"anomaly_probability": None, "method": "fallback"},
        {
            "triggers": [
                {"pattern": "slow", "version": 1, "node": node, "time": 1} for node in ("cart", "frontend")
            ]
        },
    ],
)
def test_a_strong_match_and_the_fallback_s_answer_are_told(strong: dict[str, Any]) -> None:
    assert not suspected(doubtful(**strong), 1.0)
