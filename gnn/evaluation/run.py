"""One evaluation from a bundle to a study: gather the windows, train the trees, ask, sum up."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gnn.config import DataConfig, from_mapping
from gnn.evaluation.asking import Telling, judge_all
from gnn.evaluation.contenders import contenders, named
from gnn.evaluation.questions import Source, gather, recorded, simulated
from gnn.evaluation.study import Study, groups_of, versus
from gnn.evaluation.trees import Trees, train_trees
from gnn.matrix import FrameMaker, jvm_frames
from gnn.simulator.families import FAMILIES, systems_of
from onnx_models.bundle import Bundle
from onnx_models.scorer import Scorer
from records.errors import UsageError
from records.recordings import META_FILE, Recording, open_recording

EPISODES = 6


@dataclass(frozen=True, slots=True)
class Request:
    """What to evaluate: ``systems`` of the first simulated family (0: none of any), of ``families`` only, the
    faults of ``recordings``, ``trees`` trained on so many systems (0: none); ``work`` keeps the trees'
    data."""

    bundle: Bundle
    against: Bundle | None = None
    recordings: tuple[Recording, ...] = ()
    systems: int = 60
    families: tuple[str, ...] = tuple(FAMILIES)
    trees: int = 160
    work: Path = Path("runs/evaluate")
    make: FrameMaker = jvm_frames


def evaluate(request: Request, tell: Telling = lambda text: None) -> Study:
    """Return what came of ``request``.

    Raises UsageError when there is no fault to judge on or a family is unknown, JavaError,
    RecordingError, BundleError, ScoringError, MachineError without scikit-learn.
    """
    scorer = Scorer(request.bundle)
    other = None if request.against is None else Scorer(request.against)
    with tempfile.TemporaryDirectory() as folder:
        gathered = gather(_sources(request, Path(folder), tell))
    if not gathered.asked:
        raise UsageError("no fault to judge on", "name recordings with faults, or --simulated 60")
    trees = _trees(request, tell)
    judged = judge_all(gathered.asked, contenders(scorer, trees, other), tell)
    against = None if other is None else named(other)
    return Study(
        bundle=_told(request.bundle),
        against=None if request.against is None else _told(request.against),
        trees=None if trees is None else {"systems": trees.systems, "nodes": trees.nodes},
        groups=groups_of(judged, gathered.unseen, against),
        together=None if against is None else versus(judged, against),
    )


def _sources(request: Request, folder: Path, tell: Telling) -> Iterator[Source]:
    for number, recording in enumerate(request.recordings, start=1):
        tell(f"frames: recording {number} of {len(request.recordings)}")
        yield from recorded([recording], request.make)
    for name in request.families if request.systems else ():
        tell(f"frames: simulated systems, {name}")
        yield from simulated(name, systems_of(name, request.systems, EPISODES), folder, request.make)


def _trees(request: Request, tell: Telling) -> Trees | None:
    """Return trees trained on the bundle's own training systems, None where none are wanted."""
    if not request.trees:
        return None
    tell(f"trees: training on {request.trees} simulated systems")
    config = request.bundle.manifest.trained_on.get("config", {}).get("data", {})
    data = from_mapping(DataConfig, config, f"{request.bundle.path}: trained_on")
    return train_trees(data, request.trees, request.work, request.make)


def _told(bundle: Bundle) -> dict[str, str]:
    return {"name": bundle.path.name, "sha256": bundle.manifest.sha256}


def recordings_in(folders: Sequence[Path]) -> tuple[Recording, ...]:
    """Return the recordings that are, or lie in, ``folders``. Raises UsageError for a folder without any."""
    found: list[Recording] = []
    for folder in folders:
        inside = sorted(folder.glob(f"*/{META_FILE}"))
        paths = [folder] if (folder / META_FILE).is_file() else [each.parent for each in inside]
        if not paths:
            raise UsageError(
                f"{folder}: neither a recording nor a folder of recordings",
                "faultline recording import makes recordings of public data",
            )
        found += [open_recording(path) for path in paths]
    return tuple(found)
