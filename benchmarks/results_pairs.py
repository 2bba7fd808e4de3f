"""Two unrelated faults at once in one simulated system: whether each is told as an incident of its own.

Unrelated: neither node calls the other, directly or not. A pair is told apart where one incident that counts
for it names the one node first, and another the other node; answers count as in faultline/judge.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from benchmarks.results_simulated import systems_line
from benchmarks.results_study import Place, Study
from benchmarks.results_tables import markdown
from faultline.history import History
from faultline.judge import GRACE_MS
from records.samples import Fault

APART: Final = "two incidents, each cause first"
OUTCOMES: Final = (
    APART,
    "one incident, both among its first three",
    "only one of the two named first",
    "told, none of the two named first",
    "not told",
)
Pair = tuple[Place, Place]


def pairs_tables(study: Study) -> list[str]:
    """What became of the pairs, of all and of those where both faults show."""
    found = list(pairs(study))
    both = [pair for pair in found if all(place.shows for place in pair)]
    rows = [_row("all", study, found), _row("where both show", study, both)]
    head = ("pairs", "how many", *OUTCOMES, "incidents a pair told")
    return [*systems_line(study), "", *markdown(head, rows)]


def pairs(study: Study) -> Iterator[Pair]:
    """The faults of a graph that started at once; one that is alone is left out."""

    def key(place: Place) -> tuple[str, int]:
        return place.verdict.fault.graph, place.verdict.fault.start

    for _, group in groupby(sorted(study.places, key=key), key):
        together = tuple(group)
        if len(together) == 2:
            yield together


def outcome(pair: tuple[Fault, Fault], incidents: Sequence[History]) -> str:
    """One of OUTCOMES; `incidents`: those that count for the pair."""
    nodes = [fault.node for fault in pair]
    ranks = [_ranks(each, pair[0].end + GRACE_MS) for each in incidents]
    firsts = [next((node for node in nodes if told.get(node) == 1), None) for told in ranks]
    if set(nodes) <= set(firsts):
        return APART
    if any(max(told.get(node, 4) for node in nodes) <= 3 for told in ranks):
        return OUTCOMES[1]
    if any(first is not None for first in firsts):
        return OUTCOMES[2]
    return OUTCOMES[3] if incidents else OUTCOMES[4]


def _ranks(incident: History, until: int) -> dict[str, int]:
    """The best rank of each node in the incident's answer by that time, ms."""
    causes = sorted(incident.answer_by(until).root_causes, key=lambda each: -each.rank)
    return {each.node: each.rank for each in causes}


def _row(name: str, study: Study, found: Sequence[Pair]) -> tuple[str, ...]:
    counted = [_incidents(study, pair) for pair in found]
    became = [
        outcome((one.verdict.fault, other.verdict.fault), incidents)
        for (one, other), incidents in zip(found, counted, strict=True)
    ]
    told = [len(incidents) for incidents in counted if incidents]
    mean = f"{sum(told) / len(told):.2f}" if told else "-"
    return (name, str(len(found)), *(str(became.count(each)) for each in OUTCOMES), mean)


def _incidents(study: Study, pair: Pair) -> list[History]:
    """The incidents that count for one of the two."""
    faults = [verdict.fault for verdict in study.judgement.verdicts]
    wanted = {faults.index(place.verdict.fault) for place in pair}
    return [each for each in study.incidents if wanted & set(study.judgement.incidents[each.incident_id])]
