"""What the model's anomaly probability would hold back or open, on simulated systems it never saw.

`python -m benchmarks.suspected --out DIR` simulates systems with and without faults, runs the job over them
as it is shipped, and prints two tables: weak incidents by bound, and alarms that the probability alone would
raise by bound. Confounders of the simulator (releases, level shifts) are in.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import orjson

from faultline.history import History, histories
from faultline.judge import counts_for, fault_free_hours, in_window
from faultline.run import run_recordings
from faultline.run_folder import RunFolder, open_run
from gnn.simulator.recording import write_simulation
from gnn.simulator.system import simulate
from jobs.suspicion import weak
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.encoding import encode
from onnx_models.scorer import Scorer
from records.frames import FrameRow
from records.samples import Fault

FIRST_SEED: Final = 9_400_000
"""No system of training or of the card has a seed from here on."""
HOLD: Final = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
OPEN: Final = (0.9, 0.99, 0.999, 0.9999)
IN_A_ROW: Final = 3


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, default=12)
    parser.add_argument("--episodes", type=int, default=3, help="faults per system, about")
    parser.add_argument("--out", type=Path, default=Path("out/suspected"))
    given = parser.parse_args()
    run = _run(given.out, given.systems, given.episodes)
    for line in (*held_back(run), "", *opened(run)):
        sys.stdout.write(line + "\n")


def _run(out: Path, systems: int, episodes: int) -> RunFolder:
    if (out / "run" / "run.json").is_file():
        return open_run(out / "run")
    folders = []
    for seed in range(FIRST_SEED, FIRST_SEED + systems):
        simulation = simulate(seed, episodes=episodes, graph=f"sim-{seed}")
        folders.append(write_simulation(out / f"sim-{seed}", simulation).path)
    return run_recordings(folders, out / "run", {}, None, _note)


def _note(text: str) -> None:
    sys.stderr.write(text + "\n")


def held_back(run: RunFolder) -> Iterator[str]:
    """A table: of the weak incidents, how many each bound holds back, true and false."""
    faults = run.faults()
    found = [each for each in histories(run.events()) if each.first.anomaly_probability is not None]
    true = [each for each in found if counts_for(each, faults)]
    false = [each for each in found if not counts_for(each, faults)]
    hours = fault_free_hours(faults, run.spans())
    largest = _largest(run)
    yield f"{len(true)} incidents of a fault, {len(false)} false in {hours:.1f} fault-free hours"
    yield f"weak: {len(_weak(true))} of a fault, {len(_weak(false))} false"
    yield "| hold_below | of a fault, never told | told later | false, never told | told later |"
    yield "|---|---|---|---|---|"
    for bound in HOLD:
        cells = [f"{bound:g}"]
        for some in (true, false):
            held = [each for each in _weak(some) if (each.first.anomaly_probability or 0.0) < bound]
            never = sum(largest[each.incident_id] < bound for each in held)
            cells += [f"{never} of {len(some)}", str(len(held) - never)]
        yield f"| {' | '.join(cells)} |"


def _weak(found: Sequence[History]) -> list[History]:
    return [each for each in found if weak(each.first)]


def _largest(run: RunFolder) -> dict[str, float]:
    """The largest probability that an incident was ever scored with, by the audit."""
    largest: dict[str, float] = defaultdict(float)
    for line in (run.path / "audit.ndjson").read_bytes().splitlines():
        told = orjson.loads(line)
        if told.get("type") == "scored" and told.get("anomaly_probability") is not None:
            name = told["incident_id"]
            largest[name] = max(largest[name], told["anomaly_probability"])
    return largest


def opened(run: RunFolder) -> Iterator[str]:
    """A table: alarms that ticks of so high a probability would raise, and faults without an incident that
    they would find.
    """
    faults = run.faults()
    incidents = histories(run.events())
    missed = [each for each in faults if not any(each in _of(one, faults) for one in incidents)]
    hours = fault_free_hours(faults, run.spans())
    series = _probabilities(run)
    yield f"{len(missed)} of {len(faults)} faults have no incident; {hours:.1f} fault-free hours"
    yield f"| probability, {IN_A_ROW} ticks in a row | missed faults found | false alarms | per hour |"
    yield "|---|---|---|---|"
    for bound in OPEN:
        alarms = [(graph, time) for graph, ticks in series.items() for time in _raised(ticks, bound)]
        hits = [each for each in missed if any(g == each.graph and in_window(each, t) for g, t in alarms)]
        wrong = [
            (g, t) for g, t in alarms if not any(each.graph == g and in_window(each, t) for each in faults)
        ]
        yield f"| {bound:g} | {len(hits)} of {len(missed)} | {len(wrong)} | {len(wrong) / hours:.2f} |"


def _of(incident: History, faults: Sequence[Fault]) -> list[Fault]:
    return [faults[index] for index in counts_for(incident, faults)]


def _probabilities(run: RunFolder) -> dict[str, list[tuple[int, float]]]:
    """(time, anomaly probability) of every tick of every graph, without any alarm in the input."""
    bundle = load_bundle(default_bundle())
    scorer = Scorer(bundle)
    windows: dict[str, list[FrameRow]] = defaultdict(list)
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in run.frames():
        window = windows[row.graph] = [*windows[row.graph], row][-bundle.manifest.window_ticks :]
        if row.nodes and len(window) == bundle.manifest.window_ticks:
            found[row.graph].append((row.time, scorer.score(encode(window, ())).anomaly))
    return found


def _raised(ticks: Sequence[tuple[int, float]], bound: float) -> Iterator[int]:
    """Times at which the probability has been that high for a few ticks, once per stretch."""
    row = 0
    for time, probability in ticks:
        row = row + 1 if probability >= bound else 0
        if row == IN_A_ROW:
            yield time


if __name__ == "__main__":
    main()
