"""What a study measured, as Markdown: what the job found, how rankings compare, fault by fault. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.results_study import Place, Study
from faultline.words import clock, duration, share
from gnn.baselines import F64, baro, chance, nsigma
from gnn.evaluation.metrics import FIRST, hits
from gnn.graph_baselines import page_rank, ranked_correlation, traversal
from onnx_models.fallback import rank_by_deviation
from onnx_models.scorer import Scorer

Ranker = Callable[[Place], F64]
SHOWN: tuple[str, ...] = ("N-sigma", "BARO's scorer", "traversal")
"""Rankers whose place of each fault is listed."""
_CLOCK = re.compile(r" (at least )?since \d\d:\d\d:\d\d UTC")
"""The time in a sentence of evidence: of re-timed data it says nothing."""


def rankers(scorer: Scorer) -> dict[str, Ranker]:
    """Scores [N] of a place by ranker; higher is likelier."""

    def model(place: Place) -> F64:
        return scorer.score(place.snapshot).node_probability.astype(float)

    def fallback(place: Place) -> F64:
        return rank_by_deviation(place.snapshot).node_probability.astype(float)

    def plain(method: Callable[..., F64]) -> Ranker:
        return lambda place: method(place.window, len(place.snapshot.nodes))

    def over_calls(method: Callable[..., F64]) -> Ranker:
        return lambda place: method(place.window, len(place.snapshot.nodes), place.snapshot.edge_index)

    return {
        "the model, without alarms": model,
        "the fallback": fallback,
        "N-sigma": plain(nsigma),
        "BARO's scorer": plain(baro),
        "ranked correlation": over_calls(ranked_correlation),
        "traversal": over_calls(traversal),
        "personalised PageRank": over_calls(page_rank),
        "chance": lambda place: chance(len(place.snapshot.nodes)),
    }


def detection_table(study: Study) -> list[str]:
    """What the job found."""
    summary, alarms = study.judgement.summary, study.alarms
    delay = "-" if summary.median_delay_ms is None else duration(summary.median_delay_ms)
    ranks = [each.rank for each in study.judgement.verdicts]
    found = [each.rank for each in study.judgement.verdicts if each.found]
    row = (
        f"{summary.found} of {summary.faults}",
        str(sum(place.near for place in study.places)),
        str(summary.named),
        delay,
        f"{summary.false_alarms}; {alarms.distinct} distinct in {alarms.hours:.1f} h"
        f" ({share(alarms.distinct / alarms.hours if alarms.hours > 0 else None)}/h)",
        str(summary.repeats),
        " / ".join(share(each) for each in told(ranks)),
        " / ".join(share(each) for each in told(found)),
    )
    head = (
        "found",
        "by an alarm at the node or a caller",
        "missed, but named",
        "median delay",
        "false alarms",
        "repeats",
        "AC@1 / AC@3 / Avg@5 of all",
        "of those found",
    )
    return markdown(head, [row])


def told(ranks: Sequence[int | None]) -> tuple[float | None, float | None, float | None]:
    """AC@1, AC@3 and Avg@5 of the ranks that incidents told; None in a rank is a miss."""
    if not ranks:
        return None, None, None
    at = [sum(rank is not None and rank <= k for rank in ranks) / len(ranks) for k in range(1, 6)]
    return at[0], at[2], sum(at) / len(at)


def ranking_table(places: Sequence[Place], ranks: Mapping[str, Ranker]) -> list[str]:
    """AC@1, AC@3 and Avg@5 on the same windows: of the faults that were found, and of all."""
    found = [place for place in places if place.verdict.found]
    rows = [
        (name, *(share(each) for chosen in (found, places) for each in accuracies(chosen, ranker)))
        for name, ranker in ranks.items()
    ]
    head = (f"AC@1, {len(found)} found", "AC@3", "Avg@5", f"AC@1, all {len(places)}", "AC@3", "Avg@5")
    return markdown(("same windows", *head), rows)


def accuracies(places: Sequence[Place], ranker: Ranker) -> tuple[float | None, float | None, float | None]:
    """AC@1, AC@3 and Avg@5 of a ranker, ties drawn at random; None where there are no places."""
    return means(all_hits(places, ranker))


def means(at: F64) -> tuple[float | None, float | None, float | None]:
    """AC@1, AC@3 and Avg@5 of `all_hits`; None where there are none."""
    if not len(at):
        return None, None, None
    mean = at.mean(0)
    return float(mean[0]), float(mean[2]), float(mean.mean())


def all_hits(places: Sequence[Place], ranker: Ranker) -> F64:
    """[faults, 5]: what a ranker makes of each, as `gnn.evaluation.metrics.hits`."""
    return np.array([hits(ranker(place), place.truth) for place in places], np.float64).reshape(-1, FIRST)


def fault_table(study: Study, ranks: Mapping[str, Ranker]) -> list[str]:
    """A row per fault: what became of it."""
    rows = []
    several = len(study.run.sources) > 1
    for verdict in study.judgement.verdicts:
        place = next((each for each in study.places if each.verdict is verdict), None)
        named = ["-" if place is None else place_text(ranks[name](place), place.truth) for name in SHOWN]
        missed = "missed" if verdict.named_by is None else "missed, but named"
        found = missed if verdict.delay_ms is None else duration(verdict.delay_ms)
        rank = "-" if not verdict.found else str(verdict.rank or "not named")
        raised = "-" if place is None or not place.raised else "{} on {}".format(*place.raised[0])
        fault = verdict.fault
        start = fault.graph if several else clock(fault.start)[11:]
        rows.append((start, fault.node, fault.kind, found, raised, rank, *named))
    return markdown(
        ("recording" if several else "start", "node", "fault", "found after", "by", "rank", *SHOWN), rows
    )


def place_text(scores: F64, truth: int) -> str:
    """The place of the true node, or the places it shares."""
    better, equal = int((scores > scores[truth]).sum()), int((scores == scores[truth]).sum())
    return str(better + 1) if equal == 1 else f"{better + 1}-{better + equal}"


def alarm_lines(study: Study) -> list[str]:
    """The incidents that count for no fault; what the same data raised in several recordings once."""
    same: dict[tuple[str, str], list[int]] = {}
    for each in study.false_alarms:
        key = (each.cause.node if each.cause else "-", _CLOCK.sub("", each.why))
        same.setdefault(key, []).append(each.opened)
    if not same:
        return ["No false alarm."]
    lines = [
        f"- {clock(times[0]) if len(times) == 1 else f'{len(times)} times'}: {node}: {text}"
        for (node, text), times in same.items()
    ]
    return ["False alarms:", "", *lines]


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def marks(name: str) -> tuple[str, str]:
    """The lines of a page between which stands what was measured on the data set `name`."""
    return f"<!-- measured: {name} -->", f"<!-- end of {name} -->"


def put(page: Path, name: str, text: str) -> None:
    """Puts `text` between the marks of the page; ValueError where it has none."""
    begin, end = marks(name)
    whole = page.read_text(encoding="utf-8")
    if whole.count(begin) != 1 or whole.count(end) != 1:
        raise ValueError(f"{page}: the lines {begin} and {end} must each stand there once")
    before, _, rest = whole.partition(begin)
    page.write_text(f"{before}{begin}\n\n{text}\n{end}{rest.partition(end)[2]}", encoding="utf-8")
