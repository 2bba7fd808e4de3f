"""Training: seeded, by system split, one cycle of the learning rate, early stopping; a run folder with its
curve."""

from __future__ import annotations

import csv
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from gnn.batches import Batch, augment, batches
from gnn.config import ModelConfig, TrainConfig
from gnn.examples import Arrays
from gnn.model import RULED_OUT, RootCauseNet

log = logging.getLogger(__name__)

Outputs = tuple[Tensor, Tensor, Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Split:
    """Numbers of the examples of each part; the systems of the parts are disjoint."""

    train: npt.NDArray[np.int64]
    validation: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]


def split(packed: Arrays, config: TrainConfig) -> Split:
    """Return a split by system: the highest system numbers are the test, those before them the validation."""
    systems = np.unique(packed["system"])
    test = max(1, round(len(systems) * config.test_share))
    validation = max(1, round(len(systems) * config.validation_share))
    first_test, first_validation = systems[-test], systems[-test - validation]
    system = packed["system"]
    return Split(
        train=np.flatnonzero(system < first_validation),
        validation=np.flatnonzero((system >= first_validation) & (system < first_test)),
        test=np.flatnonzero(system >= first_test),
    )


def loss_of(outputs: Outputs, batch: Batch, config: TrainConfig) -> Tensor:
    """Return the weighted loss: cause, its signal, fault or not, edges on the way."""
    node, signal, anomaly, path = outputs
    faulty = batch.truth >= 0
    place = batch.truth[faulty]
    total = _cause_loss(node, batch, place, faulty, config.smoothing)
    at_cause = signal[place]
    log_signal = at_cause.log_softmax(1).gather(1, batch.signal[faulty].unsqueeze(1)).squeeze(1)
    possible = at_cause.gather(1, batch.signal[faulty].unsqueeze(1)).squeeze(1) > RULED_OUT / 2
    total = total - config.signal_loss * (log_signal * possible).sum() / possible.sum().clamp(min=1)
    wrong = nn.functional.binary_cross_entropy_with_logits(anomaly, faulty.float())
    total = total + config.anomaly_loss * wrong
    if len(path):
        total = total + config.path_loss * nn.functional.binary_cross_entropy_with_logits(path, batch.path)
    return total


def _cause_loss(node: Tensor, batch: Batch, place: Tensor, faulty: Tensor, smoothing: float) -> Tensor:
    """Softmax cross-entropy over the nodes of each faulty graph, smoothed over those that can be ranked."""
    graphs = batch.graphs
    largest = node.new_full((graphs,), RULED_OUT).scatter_reduce(0, batch.batch, node.detach(), "amax")
    total = node.new_zeros(graphs).scatter_add(0, batch.batch, (node - largest[batch.batch]).exp())
    log_p = node - largest[batch.batch] - total.log()[batch.batch]
    allowed = batch.inputs["mask"].float()
    count = node.new_zeros(graphs).scatter_add(0, batch.batch, allowed)
    spread = node.new_zeros(graphs).scatter_add(0, batch.batch, log_p * allowed) / count.clamp(min=1)
    at_cause = log_p[place]
    loss = -(1 - smoothing) * at_cause - smoothing * spread[faulty]
    return loss.sum() / faulty.sum().clamp(min=1)


@torch.no_grad()
def accuracy(model: RootCauseNet, packed: Arrays, order: npt.NDArray[np.int64]) -> dict[str, float]:
    """Return AC@1, AC@3 and the signal's AC@1 on the faulty examples, and the anomaly's AUC over all."""
    model.eval()
    ranks: list[int] = []
    signals: list[bool] = []
    anomaly: list[float] = []
    for batch in batches(packed, order, 128):
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
    """Return the best network by validation AC@1 (+ AC@3); writes ``curve.csv`` and ``best.pt`` into
    ``run``."""
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    rng = np.random.default_rng(config.seed)
    run.mkdir(parents=True, exist_ok=True)
    model = RootCauseNet(model_config)
    steps = max(1, int(config.epochs * len(parts.train) / config.batch))
    optimiser = torch.optim.AdamW(model.parameters(), config.learning_rate, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, config.learning_rate, steps, pct_start=0.15)
    best, since, begun = -1.0, 0, time.monotonic()
    with (run / "curve.csv").open("w", newline="") as file:
        curve = csv.writer(file)
        curve.writerow(["step", "seconds", "loss", "ac1", "ac3", "signal", "auc"])
        running = 0.0
        for step, batch in enumerate(_endless(rng, packed, parts.train, config.batch), start=1):
            model.train()
            seen = augment(rng, batch, config)
            loss = loss_of(model(seen.inputs, seen.batch, seen.graphs), seen, config)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            now = float(loss.detach())
            running = now if step == 1 else running + 0.02 * (now - running)
            if step % config.evaluate_every and step < steps:
                continue
            scores = accuracy(model, packed, parts.validation)
            seconds = time.monotonic() - begun
            curve.writerow(
                [step, f"{seconds:.0f}", f"{running:.4f}", *(f"{one:.4f}" for one in scores.values())]
            )
            file.flush()
            told = " ".join(f"{name}={value:.3f}" for name, value in scores.items())
            log.info(
                "event=evaluated step=%d of=%d seconds=%.0f loss=%.3f %s", step, steps, seconds, running, told
            )
            value = scores["ac1"] + 0.5 * scores["ac3"]
            since = 0 if value > best else since + 1
            if value > best:
                best = value
                torch.save(model.state_dict(), run / "best.pt")
            if step >= steps or since >= config.patience:
                break
    model.load_state_dict(torch.load(run / "best.pt", weights_only=True))
    return model.eval()


def _endless(
    rng: np.random.Generator, packed: Arrays, chosen: npt.NDArray[np.int64], size: int
) -> Iterator[Batch]:
    """Yield training batches without end, in a new order each time through."""
    while True:
        yield from batches(packed, rng.permutation(chosen), size)
