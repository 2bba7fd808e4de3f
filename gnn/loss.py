"""What training minimises."""

from __future__ import annotations

from torch import Tensor, nn

from gnn.batches import Batch
from gnn.config import TrainConfig
from gnn.model import RULED_OUT

Outputs = tuple[Tensor, Tensor, Tensor, Tensor]


def loss_of(outputs: Outputs, batch: Batch, config: TrainConfig) -> Tensor:
    """Return the weighted loss: cause, its signal where it is known, fault or not, edges on the way."""
    node, signal, anomaly, path = outputs
    faulty = batch.truth >= 0
    place = batch.truth[faulty]
    total = _cause_loss(node, batch, place, faulty, config.smoothing)
    at_cause = signal[place]
    told = batch.signal[faulty]
    wanted = told.clamp(min=0).unsqueeze(1)
    log_signal = at_cause.log_softmax(1).gather(1, wanted).squeeze(1)
    possible = (at_cause.gather(1, wanted).squeeze(1) > RULED_OUT / 2) & (told >= 0)
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
