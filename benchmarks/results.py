"""What the job finds in published data, beside what others' methods say on the same windows.

    python -m benchmarks.results nezha DIR --write docs/results.md
    python -m benchmarks.results petshop DIR --write docs/results.md
    python -m benchmarks.results simulated --write docs/results.md
    python -m benchmarks.results pairs --write docs/results.md

DIR is the data set as its publishers have it. It is imported, run through the embedded job by `faultline
run` with the shipped patterns and the released model, and judged; a day of Nezha and a scenario of PetShop
is a run each. `simulated` needs no data: it makes seeded systems that no training drew, all in one run;
`pairs` likewise, with two unrelated faults at once. Takes minutes; needs no torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

import orjson

from benchmarks.results_pairs import pairs_tables
from benchmarks.results_simulated import (
    FIRST_SEED,
    PAIRS_SEED,
    not_named_first,
    simulated,
    simulated_tables,
)
from benchmarks.results_study import Study, run_study
from benchmarks.results_tables import alarm_lines, detection_table, fault_table, put, rankers, ranking_table
from onnx_models.bundle import default_bundle, load_bundle
from onnx_models.scorer import Scorer
from records.importers.nezha import import_nezha
from records.importers.petshop import import_petshop
from records.importers.shared import Imported
from records.recordings import Recording

IMPORTERS: Final[dict[str, Callable[[Path, Path], Imported]]] = {
    "nezha": lambda source, out: import_nezha(source, out),
    "petshop": lambda source, out: import_petshop(source, out),
}
SIMULATED: Final = "simulated"
PAIRS: Final = "pairs"
SEEDS: Final = {SIMULATED: FIRST_SEED, PAIRS: PAIRS_SEED}
"""Of the first system, unless another is named."""


def studies(name: str, recordings: Sequence[Recording]) -> Iterator[tuple[str, list[Recording]]]:
    """(name, recordings) of each run: a day of Nezha, a scenario of PetShop."""

    def key(recording: Recording) -> str:
        own = recording.meta.name
        return own if name == "nezha" else "-".join(own.split("-")[:2])

    for study, group in groupby(sorted(recordings, key=key), key):
        yield study, list(group)


def report(found: Sequence[Study], scorer: Scorer) -> str:
    """Everything that was measured, as Markdown."""
    manifest = scorer.bundle.manifest
    lines = [f"Model `{manifest.name}-{manifest.version}`, sha256 `{manifest.sha256[:16]}`.", ""]
    for study in found:
        ranks = rankers(scorer)
        lines += [f"### {study.name}", ""]
        if study.name == PAIRS:
            lines += [*pairs_tables(study), ""]
            continue
        if study.name == SIMULATED:
            lines += [*simulated_tables(study, scorer), "", *fault_table(not_named_first(study), ranks), ""]
            continue
        lines += [*described(study), "", *detection_table(study), ""]
        lines += [*ranking_table(study.places, ranks), "", *fault_table(study, ranks), ""]
        lines += [*alarm_lines(study), ""]
    return "\n".join(lines).rstrip() + "\n"


def described(study: Study) -> list[str]:
    """What the recordings say of themselves; of many the number."""
    sources = study.run.sources
    if len(sources) == 1:
        return [sources[0].recording.meta.description]
    first = next(each.recording.meta for each in sources if each.recording.meta.retimed)
    return [f"{len(sources)} recordings. One of them: {first.description}"]


def main(arguments: Sequence[str]) -> None:
    """Imports or simulates, runs, judges and writes."""
    given = _parser().parse_args(arguments)
    scorer = Scorer(load_bundle(default_bundle()))
    found = [
        run_study(name, group, given.out / "runs" / name, given.reuse) for name, group in _recorded(given)
    ]
    text = report(found, scorer)
    numbers = {study.name: study.judgement.to_json() for study in found}
    (given.out / f"{given.set}.json").write_bytes(orjson.dumps(numbers, option=orjson.OPT_INDENT_2))
    sys.stdout.write(text)
    if given.write is not None:
        put(given.write, given.set, text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.results", description=__doc__)
    parser.add_argument("set", choices=(*sorted(IMPORTERS), *SEEDS), help="whose data set it is")
    parser.add_argument("data", type=Path, nargs="?", help="its folder")
    parser.add_argument("--out", type=Path, default=Path("out/results"), help="recordings and runs go here")
    parser.add_argument("--reuse", action="store_true", help="judge the runs in --out anew, run none")
    parser.add_argument("--write", type=Path, help="the page whose measured part is replaced")
    parser.add_argument("--systems", type=int, default=16, help="how many are simulated")
    parser.add_argument("--faults", type=int, default=4, help="of each of them")
    parser.add_argument("--seed", type=int, help="of the first; the next count on")
    return parser


def _recorded(given: argparse.Namespace) -> Iterator[tuple[str, list[Recording]]]:
    """The recordings of each run; SystemExit where a data set needs a folder and none is named."""
    if given.set in SEEDS:
        seed = SEEDS[given.set] if given.seed is None else given.seed
        folder = given.out / "recordings"
        yield given.set, simulated(folder, given.systems, given.faults, seed, given.set == PAIRS)
    elif given.data is None:
        raise SystemExit(f"{given.set}: name the folder of the data set")
    else:
        yield from studies(given.set, IMPORTERS[given.set](given.data, given.out / "recordings").recordings)


if __name__ == "__main__":
    main(sys.argv[1:])
