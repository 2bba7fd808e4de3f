"""Fine-tunes a bundle on a job's own archive, the simulator mixed in so that nothing is forgotten, and judges
the new one against it.

The live bundle's weights are the start; its own configuration says how the network looks and which systems
are simulated. Nothing is overwritten: the new bundle takes the next free version.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gnn.archive import Labelled, labelled, read_archive
from gnn.config import DataConfig, ModelConfig, ReleaseConfig, TrainConfig, from_mapping
from gnn.dataset import build
from gnn.evaluation.asking import Judged, Telling, judge_all
from gnn.evaluation.contenders import contenders, named
from gnn.evaluation.questions import Asked, gather, simulated
from gnn.evaluation.run import EPISODES
from gnn.evaluation.study import Study, groups_of, versus
from gnn.examples import Arrays, join, load, pack
from gnn.matrix import FrameMaker, jvm_frames
from gnn.parts import split
from gnn.release import Plan, draft, written
from gnn.simulator.families import systems_of
from gnn.train import train
from onnx_models.bundle import Bundle, released
from onnx_models.scorer import Scorer
from records.feedback import Feedback

SOURCE = "simulated systems and a job's archive"
MOST_REPEATS = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Retraining:
    """One retraining of ``live`` on ``archive`` with ``verdicts``.

    ``systems``: simulated systems mixed in; ``share``: of the archive in what is trained on, reached by
    repeating its snapshots up to ``MOST_REPEATS`` times; ``judged``: fresh simulated systems to judge on;
    ``out``: gets the bundle, ``work``: data and weights; ``at``: when, ms, for the manifest.
    """

    live: Bundle
    archive: Path
    verdicts: tuple[Feedback, ...]
    out: Path
    work: Path
    systems: int = 160
    epochs: float = 1.0
    learning_rate: float = 3e-4
    share: float = 0.25
    held_out: float = 0.3
    judged: int = 30
    seed: int = 1
    at: int = 0
    make: FrameMaker = jvm_frames


@dataclass(frozen=True, slots=True)
class Retrained:
    """The new bundle, what it was trained on, and how it stands against the live one."""

    bundle: Bundle
    labelled: Labelled
    simulated: int
    repeats: int
    study: Study

    @property
    def better(self) -> bool:
        """Whether it ranks better over all faults together, by AC@1 and Avg@5, and in no set worse beyond
        noise."""
        together = self.study.together
        assert together is not None
        gains = (together.difference.ac1.mean, together.difference.avg5.mean)
        return not self.study.worse and min(gains) >= 0 and max(gains) > 0


def retrain(plan: Retraining, tell: Telling = lambda text: None) -> Retrained:
    """Return the new bundle of ``plan``, judged against the live one.

    Raises DataError without frames or a confirmed fault in them, JavaError, BundleError.
    """
    begun = time.monotonic()
    tell("reading the archive")
    found = labelled(read_archive(plan.archive), plan.verdicts, plan.held_out)
    config = config_of(plan)
    tell(f"simulating: {plan.systems} systems")
    simulations = load(build(config.data, plan.work / f"data-{config.data.seed}-{plan.systems}", plan.make))
    packed, repeats = mixed(simulations, found, plan.share)
    parts = split(packed, config.train)
    tell(f"training: {len(parts.train)} snapshots")
    begin = replace(config.train, start=str(plan.live.path.absolute()))
    run = plan.work / f"run-{config.name}-{config.version}"
    model = train(packed, parts, config.model, begin, run)
    tell("exporting")
    release = Plan(config, plan.work, plan.out, fresh=plan.judged, make=plan.make)
    minutes = (time.monotonic() - begun) / 60
    made = draft(release, model, packed, parts, minutes, SOURCE, mark(plan))
    study = compared(plan, Scorer(made.bundle), found.held_out, tell)
    tell("writing the bundle")
    bundle = written(release, made, section(found, repeats, study))
    log.info("event=retrained path=%s archive=%d repeats=%d", bundle.path, len(found.training), repeats)
    return Retrained(bundle, found, len(simulations["nodes"]), repeats, study)


def mark(plan: Retraining) -> dict[str, int]:
    """Return what the manifest says of the archive: the newest verdict that was seen, and when; ms."""
    return {"until": max((one.time for one in plan.verdicts), default=0), "at": plan.at}


def config_of(plan: Retraining) -> ReleaseConfig:
    """Return the configuration of the new bundle: the live one's network and simulator, the next version."""
    manifest = plan.live.manifest
    kept = manifest.trained_on.get("config", {})
    place = f"{plan.live.path}: trained_on"
    data = from_mapping(DataConfig, kept.get("data", {}), place)
    return ReleaseConfig(
        name=manifest.name,
        version=next_version(plan.live, plan.out),
        data=replace(
            data, systems=plan.systems, shard_systems=min(data.shard_systems, max(1, plan.systems // 2))
        ),
        model=from_mapping(ModelConfig, kept.get("model", {}), place),
        train=TrainConfig(
            seed=plan.seed,
            epochs=plan.epochs,
            learning_rate=plan.learning_rate,
            evaluate_every=100,
            validation_share=0.1,
            test_share=0.02,
            start=plan.live.path.name,
        ),
    )


def next_version(live: Bundle, out: Path) -> int:
    """Return the first version after the live one, and after those of its name in ``out``."""
    name = live.manifest.name
    versions = [
        int(path.name.rsplit("-", 1)[1]) for path in released(out) if path.name.startswith(f"{name}-")
    ]
    return max([live.manifest.version, *versions]) + 1


def mixed(simulations: Arrays, found: Labelled, share: float) -> tuple[Arrays, int]:
    """Return simulated and archived snapshots as one pack, and how often the archived ones are in it.

    Archived ones have system -1, so that a split by system always trains on them.
    """
    wanted = share / (1 - share) * len(simulations["nodes"]) / len(found.training)
    repeats = int(np.clip(round(wanted), 1, MOST_REPEATS))
    return join([*[pack(found.training)] * repeats, simulations]), repeats


def compared(plan: Retraining, scorer: Scorer, held_out: Iterable[Asked], tell: Telling) -> Study:
    """Return how the new bundle stands against the live one, on the archive's later faults and on simulated
    systems that neither has seen."""
    with tempfile.TemporaryDirectory() as folder:
        tell(f"judging: {plan.judged} simulated systems")
        systems = systems_of("fresh", plan.judged, EPISODES)
        fresh = gather(simulated("fresh", systems, Path(folder), plan.make))
    live = Scorer(plan.live)
    judged: list[Judged] = judge_all(
        [*held_out, *fresh.asked], contenders(scorer, None, live, series=False), tell
    )
    return Study(
        bundle={"name": named(scorer), "sha256": scorer.bundle.manifest.sha256},
        against={"name": named(live), "sha256": plan.live.manifest.sha256},
        trees=None,
        groups=groups_of(judged, fresh.unseen, named(live)),
        together=versus(judged, named(live)),
    )


def section(found: Labelled, repeats: int, study: Study) -> str:
    """Return what the card says of the archive and of the comparison."""
    lines = [
        "## Retrained on an archive",
        "",
        f"{len(found.training)} snapshots of {found.confirmed} confirmed faults and {found.healthy} false"
        f" alarms, each {repeats} times, beside the simulated ones.",
        "",
        f"Against {(study.against or {})['name']} on the same windows (never trained on):",
        "",
        "| set | faults | AC@1 | of the live one | difference |",
        "|---|---|---|---|---|",
    ]
    for group in study.groups:
        assert group.against is not None
        ac1 = {row.name: row.node.ac1.mean for row in group.rows}
        told = group.against.difference.ac1
        lines.append(
            f"| {group.name} | {group.faults} | {ac1['model']:.3f} | {ac1[group.against.other]:.3f}"
            f" | {told.mean:+.3f} ({told.low:+.2f} to {told.high:+.2f}) |"
        )
    return "\n".join(lines) + "\n"
