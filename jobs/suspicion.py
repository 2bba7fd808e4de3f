"""Which incidents are only suspected: a weak match in a graph of which the model says that nothing is wrong.

A suspected incident is not told; it is scored again as any other, and told once it is no longer weak, the
model sees something wrong, or the fallback ranks. Imports records only.
"""

from __future__ import annotations

from records.incidents import IncidentEvent


def suspected(draft: IncidentEvent, hold_below: float) -> bool:
    """Whether an incident of which nothing was told yet is held back.

    `hold_below`: the anomaly probability under which the model doubts; 0 holds nothing back.
    """
    probability = draft.anomaly_probability
    return probability is not None and probability < hold_below and weak(draft)


def weak(draft: IncidentEvent) -> bool:
    """Whether all of its matches are on one node and none is critical."""
    return draft.qos != "P0" and len({each.node for each in draft.triggers}) == 1
