"""Two faults at once: the systems have what they are for, and each way to tell them is what it is called."""

from __future__ import annotations

from itertools import groupby

import pytest

from benchmarks.results_pairs import APART, OUTCOMES, outcome
from faultline.history import History
from gnn.simulator.watched import watched
from records.samples import Fault
from tests.faultline.run_folder_kit import at, event

PAIR = tuple(
    Fault(graph="shop", node=node, start=at(60), end=at(70), kind="outage") for node in ("cart", "ad")
)


def reached(edges: list[tuple[int, int]], node: int) -> set[int]:
    found = {node}
    while more := {callee for caller, callee in edges if caller in found} - found:
        found |= more
    return found


def test_the_faults_of_a_pair_have_nothing_to_do_with_each_other() -> None:
    made = [watched(seed, 2, "shop", twins=True) for seed in range(911_500_000, 911_500_006)]
    pairs = [
        (one, list(together))
        for one in made
        for _, together in groupby(one.faults, key=lambda fault: fault.start)
    ]
    both = [(one, faults) for one, faults in pairs if len(faults) == 2]
    assert len(both) > len(pairs) / 2
    for one, (first, other) in both:
        assert first.end == other.end
        assert other.node not in reached(one.edges, first.node)
        assert first.node not in reached(one.edges, other.node)


def told(number: int, *nodes: str) -> History:
    """An incident that names these nodes, in that order."""
    causes = event(1).root_causes
    ranked = [
        causes[0].model_copy(update={"rank": rank, "node": node}) for rank, node in enumerate(nodes, start=1)
    ]
    return History((event(1, incident_id=f"inc-{number}", root_causes=ranked),))


@pytest.mark.parametrize(
    ("incidents", "wanted"),
    [
        ([told(1, "cart", "web"), told(2, "ad")], APART),
        ([told(1, "cart", "web", "ad")], OUTCOMES[1]),
        ([told(1, "cart", "web", "web", "ad"), told(2, "web")], OUTCOMES[2]),
        ([told(1, "web", "ad")], OUTCOMES[3]),
        ([], OUTCOMES[4]),
    ],
    ids=OUTCOMES,
)
def test_what_became_of_a_pair(incidents: list[History], wanted: str) -> None:
    one, other = PAIR
    assert outcome((one, other), incidents) == wanted
    assert outcome((other, one), incidents) == wanted
