"""Simulated systems that no training drew, as recordings, and what the whole job made of them by kind.

The systems are those of `faultline model simulate --family watched`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.results_study import Place, Study
from benchmarks.results_tables import Ranker, all_hits, markdown, means, rankers, told
from faultline.history import History
from faultline.judge import SOON_MS
from faultline.words import duration, share
from gnn.baselines import F64
from gnn.evaluation.metrics import Trust, interval, trust
from gnn.graph_baselines import page_rank
from gnn.simulator.recording import write_simulation
from gnn.simulator.watched import watched
from onnx_models.scorer import Scorer
from records.recordings import Recording

FIRST_SEED: Final = 915_000_000
"""Of what is published. No system of any training has a seed near it."""
PAIRS_SEED: Final = 913_000_000
"""Of the systems with two faults at once."""
DEVELOPMENT_SEED: Final = 911_000_000
"""Of what thresholds are set with; none of these is published."""


def simulated(out: Path, systems: int, faults: int, seed: int, twins: bool = False) -> list[Recording]:
    """A recording of each system below `out`; the same arguments give the same bytes.

    `twins`: each fault has another one beside it, see `watched`.
    """
    found = []
    for number in range(seed, seed + systems):
        graph = f"watched-{number}"
        about = f"simulated, watched, seed {number}{', two faults at once' if twins else ''}"
        made = watched(number, faults, graph, twins)
        found.append(write_simulation(out / graph, made, description=about))
    return found


def simulated_tables(study: Study, scorer: Scorer) -> list[str]:
    """What was found, what was told, how rankings compare, and all of it by kind of fault."""
    ranks = told_rankers(scorer)
    return [
        *systems_line(study),
        "",
        *_detection(study),
        "",
        *_incidents(study),
        "",
        *_rankings(study.places, ranks),
        "",
        *_kinds(study),
        "",
        *_false_alarms(study),
        "",
        "Faults that show and were missed, or whose node was not told first:",
    ]


def not_named_first(study: Study) -> Study:
    """The study with the verdicts only of faults that show and whose node was not told first."""
    verdicts = [place.verdict for place in study.places if place.shows and place.verdict.rank != 1]
    return replace(study, judgement=replace(study.judgement, verdicts=tuple(verdicts)))


def told_rankers(scorer: Scorer) -> dict[str, Ranker]:
    """What the job told while the incident was open, then the other rankers, and PageRank from its alarms."""
    return {"the job": _by_the_job, **rankers(scorer), "PageRank from the same alarms": _from_alarms}


def _by_the_job(place: Place) -> F64:
    """Scores [N] with the true node at the rank it was told; last where it was not."""
    scores = np.zeros(len(place.snapshot.nodes))
    rank = place.verdict.rank
    others = [node for node in range(len(scores)) if node != place.truth]
    scores[others[: len(others) if rank is None else rank - 1]] = 2.0
    scores[place.truth] = 1.0
    return scores


def _from_alarms(place: Place) -> F64:
    index = {name: number for number, name in enumerate(place.snapshot.nodes)}
    alarmed = [index[node] for _, node in place.raised if node in index]
    return page_rank(place.window, len(index), place.snapshot.edge_index, alarmed)


def systems_line(study: Study) -> list[str]:
    """How many systems were run for how long, and their ticks."""
    sources = study.run.sources
    ticks = Counter(source.recording.meta.interval // 1000 for source in sources)
    spans = study.run.spans().values()
    hours = sum(end - start for start, end in spans) / 3_600_000
    text = ", ".join(f"{count} of {tick} s" for tick, count in sorted(ticks.items()))
    names = sorted(source.graph for source in sources)
    return [f"{len(names)} systems, {names[0]} to {names[-1]}, {hours:.0f} hours together; ticks: {text}."]


def _detection(study: Study) -> list[str]:
    """Found, found soon, delay and false alarms: of all faults, and of those that show."""
    head = (
        "faults",
        "found",
        "within 5 min",
        "median delay",
        "missed, but named",
        "AC@1 / AC@3 / Avg@5 of all",
        "of those found",
    )
    shown = [place for place in study.places if place.shows]
    return markdown(head, [_found("all", study.places), _found("that show", shown)])


def _found(name: str, places: Sequence[Place]) -> tuple[str, ...]:
    verdicts = [place.verdict for place in places]
    delays = sorted(each.delay_ms for each in verdicts if each.delay_ms is not None)
    ranks = [each.rank for each in verdicts]
    found = [each.rank for each in verdicts if each.found]
    return (
        name,
        f"{len(found)} of {len(ranks)}",
        str(sum(delay <= SOON_MS for delay in delays)),
        duration(delays[(len(delays) - 1) // 2]) if delays else "-",
        str(sum(each.named_by is not None for each in verdicts)),
        " / ".join(share(each) for each in told(ranks)),
        " / ".join(share(each) for each in told(found)),
    )


def _incidents(study: Study) -> list[str]:
    """False alarms, incidents per found fault, and how far the confidence can be trusted."""
    summary = study.judgement.summary
    per_fault = Counter(fault for counted in study.judgement.incidents.values() for fault in counted)
    one = sum(count == 1 for count in per_fault.values())
    false = {id(each) for each in study.false_alarms}
    of_faults = [each for each in study.incidents if id(each) not in false]
    rate = share(summary.false_alarms_per_hour)
    row = (
        f"{summary.false_alarms} in {summary.fault_free_hours:.0f} h ({rate}/h)",
        f"{sum(per_fault.values()) / len(per_fault):.2f}" if per_fault else "-",
        f"{one} of {len(per_fault)}",
        _trust(study, of_faults),
        _trust(study, study.incidents),
    )
    head = (
        "false alarms",
        "incidents per found fault",
        "with one only",
        "calibration error, of a fault",
        "of all incidents",
    )
    return markdown(head, [row])


def _trust(study: Study, incidents: Sequence[History]) -> str:
    told_by = _calibration(study, incidents)
    if not told_by.cases:
        return "-"
    return f"{told_by.error:.2f} (mean {told_by.confidence:.2f}, right {told_by.right:.2f})"


def _calibration(study: Study, incidents: Sequence[History]) -> Trust:
    """The confidence of each incident's answer against its first cause being one of its faults' nodes."""
    faults = [verdict.fault for verdict in study.judgement.verdicts]
    said, were = [], []
    for each in incidents:
        if each.answer.confidence_score is None:
            continue
        nodes = {faults[index].node for index in study.judgement.incidents[each.incident_id]}
        said.append(each.answer.confidence_score)
        were.append(float(each.cause is not None and each.cause.node in nodes))
    return trust(said, were)


def _rankings(places: Sequence[Place], ranks: dict[str, Ranker]) -> list[str]:
    """AC@1 with its interval, AC@3 and Avg@5 on the same windows, of the faults that were found."""
    found = [place for place in places if place.verdict.found]
    rows = []
    for name, ranker in ranks.items():
        at = all_hits(found, ranker)
        first, third, mean = means(at)
        spread = interval(at[:, 0])
        rows.append((name, f"{share(first)} ({spread.low:.2f}-{spread.high:.2f})", share(third), share(mean)))
    return markdown((f"{len(found)} found, same windows", "AC@1 (95%)", "AC@3", "Avg@5"), rows)


def _kinds(study: Study) -> list[str]:
    rows = []
    for kind in sorted({place.verdict.fault.kind or "-" for place in study.places}):
        of_kind = [place for place in study.places if (place.verdict.fault.kind or "-") == kind]
        found = [place for place in of_kind if place.verdict.found]
        shown = [place for place in of_kind if place.shows]
        rows.append(
            (
                kind,
                str(len(of_kind)),
                str(len(shown)),
                str(sum(place.verdict.found for place in shown)),
                str(len(found)),
                str(sum(place.verdict.rank == 1 for place in found)),
            )
        )
    return markdown(("fault", "faults", "that show", "of these found", "found", "right node first"), rows)


def _false_alarms(study: Study) -> list[str]:
    """How many false alarms began with a match of each pattern, in how many systems."""
    rows = []
    by_pattern: dict[str, list[History]] = {}
    for each in study.false_alarms:
        by_pattern.setdefault(each.first.triggers[0].pattern, []).append(each)
    for pattern, those in sorted(by_pattern.items(), key=lambda item: (-len(item[1]), item[0])):
        alone = sum(len({trigger.node for trigger in each.answer.triggers}) == 1 for each in those)
        rows.append((pattern, str(len(those)), str(len({each.graph for each in those})), str(alone)))
    return markdown(("false alarms that begin with", "how many", "in systems", "on one node only"), rows)
