"""What the job finds in the published days of Nezha, beside scores without a graph on the same windows.

    python -m benchmarks.results_nezha DATA --out out/nezha --write docs/results.md

DATA is the folder of days (`nezha/`). Each day is imported, run through the embedded job by `faultline
run` with the shipped patterns and the released model, and judged by faultline/judge.py. Then every fault
gets one window: the ticks up to the moment of the job's answer, or for a fault that was missed up to its
end. On these windows the model (without alarms), the fallback, N-sigma and BARO's scorer rank the nodes;
the last two see the raw series and up to 128 ticks from before. Equal scores count as drawn at random.
Takes a few minutes; needs no torch.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import orjson

from faultline.history import History, histories
from faultline.judge import GRACE_MS, Judgement, Summary, Verdict, judge
from faultline.run_folder import RunFolder, open_run
from faultline.words import clock, duration, share
from gnn.baselines import F64, Window, baro, chance, nsigma
from gnn.cases import recording_matrix, window_of
from gnn.evaluate import accuracy_at
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.encoding import encode
from onnx_models.fallback import rank_by_deviation
from onnx_models.features import WINDOW_TICKS
from onnx_models.scorer import Scorer
from onnx_models.snapshot import Snapshot
from records.frames import FrameRow
from records.importers.nezha import import_nezha
from records.recordings import Recording

MARKS: Final = ("<!-- measured -->", "<!-- end of what was measured -->")


@dataclass(frozen=True)
class Place:
    """One fault with its window: what every ranker sees, and the true node's index in the snapshot."""

    verdict: Verdict
    snapshot: Snapshot
    window: Window
    truth: int


Ranker = Callable[[Place], F64]


@dataclass(frozen=True)
class Day:
    """One day: the run, its judgement, and a place for each fault whose node the graph knows."""

    recording: Recording
    run: RunFolder
    incidents: tuple[History, ...]
    judgement: Judgement
    places: tuple[Place, ...]


def run_day(recording: Recording, out: Path) -> Day:
    """The recording through the job, judged, with a window for each fault."""
    command = [sys.executable, "-m", "faultline", "run", str(recording.path), "--out", str(out), "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    run = open_run(out)
    incidents = histories(run.events())
    judgement = judge(incidents, run.faults(), run.spans())
    places = places_of(recording, list(run.frames()), incidents, judgement)
    return Day(recording, run, tuple(incidents), judgement, tuple(places))


def places_of(
    recording: Recording, rows: Sequence[FrameRow], incidents: Iterable[History], judgement: Judgement
) -> Iterable[Place]:
    """The window of each fault: up to the answer of the incident that found it, else up to the fault's
    end.
    """
    by_id = {each.incident_id: each for each in incidents}
    matrix, names = recording_matrix(recording)
    times = np.array([row.time for row in rows])
    for verdict in judgement.verdicts:
        fault = verdict.fault
        found = by_id.get(verdict.incident_id or "")
        until = fault.end if found is None else found.answer_by(fault.end + GRACE_MS).time
        last = max(0, int(np.searchsorted(times, until, "right")) - 1)
        snapshot = encode(rows[max(0, last + 1 - WINDOW_TICKS) : last + 1])
        if fault.node in snapshot.nodes:
            index = {name: place for place, name in enumerate(snapshot.nodes)}
            node = np.array([index.get(name, -1) for name in names], np.int64)
            tick = (snapshot.time - recording.meta.start) // recording.meta.interval - 1
            yield Place(verdict, snapshot, window_of(matrix, int(tick), node), index[fault.node])


def rankers(scorer: Scorer) -> dict[str, Ranker]:
    """Scores [N] of a place by ranker; higher is likelier."""

    def model(place: Place) -> F64:
        return scorer.score_one(place.snapshot).node_probability.astype(float)

    def fallback(place: Place) -> F64:
        return rank_by_deviation(place.snapshot).node_probability.astype(float)

    return {
        "the model, without alarms": model,
        "the fallback": fallback,
        "N-sigma": lambda place: nsigma(place.window, len(place.snapshot.nodes)),
        "BARO's scorer": lambda place: baro(place.window, len(place.snapshot.nodes)),
        "chance": lambda place: chance(len(place.snapshot.nodes)),
    }


def report(days: Sequence[Day], scorer: Scorer) -> str:
    """Everything that was measured, as Markdown."""
    manifest = scorer.bundle.manifest
    lines = [f"Model `{manifest.name}-{manifest.version}`, sha256 `{manifest.sha256[:16]}`.", ""]
    for day in days:
        lines += [f"### {day.recording.meta.name}", "", day.recording.meta.description, ""]
        lines += [*detection_table(day.judgement.summary), "", *ranking_table(day, rankers(scorer)), ""]
        lines += [*fault_table(day, rankers(scorer)), "", *alarm_lines(day), ""]
    return "\n".join(lines).rstrip() + "\n"


def detection_table(summary: Summary) -> list[str]:
    """What the job found."""
    delay = "-" if summary.median_delay_ms is None else duration(summary.median_delay_ms)
    rate = share(summary.false_alarms_per_hour)
    row = (
        f"{summary.found} of {summary.faults}",
        str(summary.found_soon),
        str(summary.named),
        delay,
        f"{summary.false_alarms} in {summary.fault_free_hours:.1f} h ({rate}/h)",
        str(summary.repeats),
        f"{share(summary.ac1)} / {share(summary.ac3)}",
        f"{share(summary.ac1_found)} / {share(summary.ac3_found)}",
    )
    head = (
        "found",
        "within 5 min",
        "missed, but named",
        "median delay",
        "false alarms",
        "repeats",
        "AC@1 / AC@3 of all",
        "of those found",
    )
    return markdown(head, [row])


def ranking_table(day: Day, ranks: Mapping[str, Ranker]) -> list[str]:
    """AC@1 and AC@3 on the same windows: of the faults that were found, and of all."""
    found = [place for place in day.places if place.verdict.found]
    rows = [
        (name, *(share(accuracy(places, ranker, k)) for places in (found, day.places) for k in (1, 3)))
        for name, ranker in ranks.items()
    ]
    return markdown(
        ("same windows", f"AC@1, {len(found)} found", "AC@3", f"AC@1, all {len(day.places)}", "AC@3"), rows
    )


def accuracy(places: Sequence[Place], ranker: Ranker, k: int) -> float | None:
    """AC@k of a ranker, ties drawn at random."""
    hits = [accuracy_at(ranker(place), place.truth, k) for place in places]
    return sum(hits) / len(hits) if hits else None


def fault_table(day: Day, ranks: Mapping[str, Ranker]) -> list[str]:
    """A row per fault: what became of it."""
    rows = []
    for verdict in day.judgement.verdicts:
        place = next((each for each in day.places if each.verdict is verdict), None)
        named = [
            "-" if place is None else place_text(ranks[name](place), place.truth)
            for name in ("N-sigma", "BARO's scorer")
        ]
        missed = "missed" if verdict.named_by is None else "missed, but named"
        found = missed if verdict.delay_ms is None else duration(verdict.delay_ms)
        rank = "-" if not verdict.found else str(verdict.rank or "not named")
        fault = verdict.fault
        rows.append((clock(fault.start)[11:], fault.node, fault.kind, found, rank, *named))
    return markdown(("start", "node", "fault", "found after", "rank", "N-sigma", "BARO"), rows)


def place_text(scores: F64, truth: int) -> str:
    """The place of the true node, or the places it shares."""
    better, equal = int((scores > scores[truth]).sum()), int((scores == scores[truth]).sum())
    return str(better + 1) if equal == 1 else f"{better + 1}-{better + equal}"


def alarm_lines(day: Day) -> list[str]:
    """The incidents that count for no fault."""
    false = [each for each in day.incidents if not day.judgement.incidents[each.incident_id]]
    if not false:
        return ["No false alarm."]
    return [
        "False alarms:",
        "",
        *(f"- {clock(each.opened)}: {each.cause.node if each.cause else '-'}: {each.why}" for each in false),
    ]


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def put(page: Path, text: str) -> None:
    """Puts `text` between the marks of the page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    page.write_text(f"{before}{MARKS[0]}\n\n{text}\n{MARKS[1]}{after}", encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Imports, runs, judges and writes."""
    parser = argparse.ArgumentParser(prog="benchmarks.results_nezha", description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of days")
    parser.add_argument("--out", type=Path, default=Path("out/nezha"), help="recordings and runs go here")
    parser.add_argument("--write", type=Path, help="the page whose measured part is replaced")
    given = parser.parse_args(arguments)
    scorer = Scorer(load_bundle(default_bundle()))
    recordings = import_nezha(given.data, given.out / "recordings").recordings
    days = [run_day(each, given.out / each.meta.name) for each in recordings]
    text = report(days, scorer)
    numbers = {day.recording.meta.name: day.judgement.to_json() for day in days}
    (given.out / "results.json").write_bytes(orjson.dumps(numbers, option=orjson.OPT_INDENT_2))
    sys.stdout.write(text)
    if given.write is not None:
        put(given.write, text)


if __name__ == "__main__":
    main(sys.argv[1:])
