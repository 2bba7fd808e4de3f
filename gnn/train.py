"""Training: seeded, by system split, early stopping, resumable; a run folder with its curve."""

from __future__ import annotations

import csv
import logging
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from gnn.batches import batches, with_decoys
from gnn.config import ModelConfig, TrainConfig
from gnn.course import Course
from gnn.examples import Arrays, pack
from gnn.model import RootCauseNet
from gnn.parts import Split
from gnn.plain import plain_examples

CHECKS_SEED = 999
"""Plain systems for choosing the weights; those of a training have its own seed."""
_CHECKS = 200

log = logging.getLogger(__name__)


@torch.no_grad()
def accuracy(
    model: RootCauseNet, packed: Arrays, order: npt.NDArray[np.int64], decoys: float = 0.0
) -> dict[str, float]:
    """Return AC@1, AC@3 and the signal's AC@1 on the faulty examples, and the anomaly's AUC over all; a share
    of the graphs has ``decoys``, the same every time."""
    model.eval()
    rng = np.random.default_rng(0)
    ranks: list[int] = []
    signals: list[bool] = []
    anomaly: list[float] = []
    for plain in batches(packed, order, 128):
        batch = with_decoys(rng, plain, decoys)
        node, signal, wrong, _ = model(batch.inputs, batch.batch, batch.graphs)
        anomaly += wrong.tolist()
        for truth, wanted in zip(batch.truth.tolist(), batch.signal.tolist(), strict=True):
            if truth < 0:
                continue
            rivals = node[batch.batch == batch.batch[truth]]
            ranks.append(int((rivals > node[truth]).sum()))
            signals.append(int(signal[truth].argmax()) == wanted)
    rank = np.array(ranks)
    return {
        "ac1": float((rank < 1).mean()),
        "ac3": float((rank < 3).mean()),
        "signal": float(np.mean(signals)),
        "auc": _auc(np.array(anomaly), packed["truth"][order] >= 0),
    }


def worth(scores: Mapping[str, float]) -> float:
    """Return by how much an evaluation is worth: AC@1 + AC@3 / 2, and half of each share of plain systems
    that is right."""
    return scores["ac1"] + 0.5 * (scores["ac3"] + scores["silent"] + scores["lone"])


def _evaluated(
    course: Course, packed: Arrays, parts: Split, checks: Mapping[str, Arrays]
) -> dict[str, float]:
    """Return :func:`accuracy` on the validation, and AC@1 on each of the ``checks``."""
    scores = accuracy(course.model, packed, parts.validation, course.config.decoys)
    plain = {
        name: accuracy(course.model, check, np.arange(len(check["truth"])))["ac1"]
        for name, check in checks.items()
    }
    return scores | plain


def _auc(score: npt.NDArray[np.float64], positive: npt.NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve, NaN when one class is missing."""
    rank = np.empty(len(score))
    rank[np.argsort(score, kind="stable")] = np.arange(1, len(score) + 1)
    yes, no = int(positive.sum()), int((~positive).sum())
    if not yes or not no:
        return float("nan")
    return float((rank[positive].sum() - yes * (yes + 1) / 2) / (yes * no))


def train(
    packed: Arrays, parts: Split, model_config: ModelConfig, config: TrainConfig, run: Path
) -> RootCauseNet:
    """Return the best network by :func:`worth` on the validation systems and on plain ones.

    Writes into ``run``: ``curve.csv``, ``best.pt``, and at each evaluation ``state.pt``, from which a run
    that was stopped goes on. Raises ConfigError when ``state.pt`` belongs to another configuration or other
    data.
    """
    torch.set_num_threads(config.threads)
    run.mkdir(parents=True, exist_ok=True)
    course = Course.begin(parts, model_config, config)
    course.resume(run)
    checks = {name: pack(kind) for name, kind in plain_examples(CHECKS_SEED, _CHECKS).items()}
    begun = time.monotonic() - course.seconds
    with (run / "curve.csv").open("a", newline="") as file:
        curve = csv.writer(file)
        if not course.step:
            curve.writerow(["step", "seconds", "loss", "ac1", "ac3", "signal", "auc", *checks])
        for batch in course.batches(packed, parts.train):
            course.learn(batch)
            if course.step % config.evaluate_every and course.step < course.steps:
                continue
            scores = _evaluated(course, packed, parts, checks)
            course.seconds = time.monotonic() - begun
            numbers = [course.seconds, course.loss, *scores.values()]
            curve.writerow([course.step, f"{numbers[0]:.0f}", *(f"{one:.4f}" for one in numbers[1:])])
            file.flush()
            _tell(course, scores)
            course.judged(worth(scores), run)
            if course.step >= course.steps or course.since >= config.patience:
                break
    course.model.load_state_dict(torch.load(run / "best.pt", weights_only=True))
    return course.model.eval()


def _tell(course: Course, scores: dict[str, float]) -> None:
    told = " ".join(f"{name}={value:.3f}" for name, value in scores.items())
    log.info(
        "event=evaluated step=%d of=%d seconds=%.0f loss=%.3f %s",
        course.step,
        course.steps,
        course.seconds,
        course.loss,
        told,
    )
