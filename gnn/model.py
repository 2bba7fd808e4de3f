"""The network: a temporal encoder per (node, signal), message passing over the calls in both directions, four
heads.

Shapes of one call (N nodes, E edges, G graphs side by side; 11 signals, T = 10 ticks; the features are named
in ``onnx_models/features.py``, and this text is the specification of a bundle's tensors):

    in   x            float32 [N, 11, T, 2]   z' and rel' per tick
         present      float32 [N, 11, T]      share of the signal's series with a value node_present float32
         [N, T]          1: the node sent something static       float32 [N, 11, 9] node_static  float32 [N,
         14] edge_index   int64   [2, E]          caller, callee; any order; duplicates and self loops count
         as calls edge_attr    float32 [E, 26] mask         bool    [N]             False: cannot be ranked
         (never seen and no edge data) batch        int64   [N]             graph of each node, ascending
         (training only; one graph when exported)
    out  node_score   float32 [N]             logits of being the cause; masked nodes get -30
         signal_score float32 [N, 11]         logits of the signal, given the node; signals it cannot have get
         -30 anomaly      float32 [G]             probability that anything is wrong (a logit in training)
         edge_weight  float32 [E]             0..1: lies on the way from symptoms to the cause (a logit in
         training)

No node identities: relabelling nodes relabels the answer, the order of edges does not matter. N >= 1 and E >=
0.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

from gnn.config import ModelConfig
from onnx_models.features import EDGE_FEATURES, NODE_FEATURES, STATIC_FEATURES, WINDOW_TICKS, X_FEATURES
from records.signals import SIGNAL_INDEX, SIGNALS

RULED_OUT = -30.0
_SIGNALS = len(SIGNALS)
_AVAILABILITY, _LATENCY = SIGNAL_INDEX["availability"], SIGNAL_INDEX["latency"]
_TRAFFIC, _ERRORS = SIGNAL_INDEX["traffic"], SIGNAL_INDEX["errors"]
_EDGE_PRESENT = [EDGE_FEATURES.index(f"{kind}.present") for kind in ("caller_latency", "traffic", "errors")]


class Temporal(nn.Module):
    """Two convolutions over time and pooling: [M, T, 3] -> [M, channels] for M pairs of node and signal."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Linear(3 * (len(X_FEATURES) + 1), channels)
        self.second = nn.Linear(3 * channels, channels)
        self.out = nn.Linear(3 * channels, channels)
        self.unrolled: tuple[Tensor, Tensor] | None = None
        """Both convolutions as matrices over the whole window, for export; None: as they are trained."""

    def unroll(self) -> None:
        """Write each convolution as one matrix [T c_in, T c_out]: more to multiply, far less to move."""
        self.unrolled = (_unrolled(self.first), _unrolled(self.second))

    def forward(self, x: Tensor) -> Tensor:
        """Encode windows; a convolution of width 3 is a linear layer over three shifted copies."""
        if self.unrolled is not None:
            return self._flat(x, *self.unrolled)
        hidden = nn.functional.gelu(self.first(self._neighbours(x)))
        hidden = nn.functional.gelu(self.second(self._neighbours(hidden)))
        pooled = torch.cat([hidden.mean(1), hidden.amax(1), hidden[:, WINDOW_TICKS - 1]], 1)
        return nn.functional.gelu(self.out(pooled))

    def _flat(self, x: Tensor, first: Tensor, second: Tensor) -> Tensor:
        """The same with time and channels in one axis."""
        bias = [layer.bias.repeat(WINDOW_TICKS) for layer in (self.first, self.second)]
        hidden = nn.functional.gelu(x.flatten(1) @ first + bias[0])
        hidden = nn.functional.gelu(hidden @ second + bias[1]).unflatten(1, (WINDOW_TICKS, -1))
        pooled = torch.cat([hidden.mean(1), hidden.amax(1), hidden[:, WINDOW_TICKS - 1]], 1)
        return nn.functional.gelu(self.out(pooled))

    @staticmethod
    def _neighbours(x: Tensor) -> Tensor:
        edge = torch.zeros_like(x[:, :1])
        before = torch.cat([edge, x[:, :-1]], 1)
        after = torch.cat([x[:, 1:], edge], 1)
        return torch.cat([before, x, after], 2)


def _unrolled(layer: nn.Linear) -> Tensor:
    """Return the matrix of a convolution of width 3 over a window that is padded with zeros."""
    size = layer.in_features // 3
    whole = layer.weight.new_zeros(WINDOW_TICKS, size, WINDOW_TICKS, layer.out_features)
    for tick in range(WINDOW_TICKS):
        for place in range(3):
            source = tick + place - 1
            if 0 <= source < WINDOW_TICKS:
                whole[source, :, tick] = layer.weight.detach()[:, place * size : (place + 1) * size].T
    return whole.flatten(2).flatten(0, 1)


class Calls(MessagePassing):
    """One direction of messages along calls: [N, d], [E, de] -> [N, 2 d] (log of the sum, and the maximum).

    ``flow`` "source_to_target" carries callers' messages to callees, "target_to_source" the other way. A
    message is not negative, so a node without edges gets zeros, and zero edges need no special case.
    """

    def __init__(self, hidden: int, edge_size: int, flow: str) -> None:
        super().__init__(aggr=None, flow=flow)
        self.message_layer = nn.Linear(2 * hidden + edge_size, hidden)

    def forward(self, h: Tensor, edge_index: Tensor, edges: Tensor) -> Tensor:
        """Return what each node hears."""
        return self.propagate(edge_index, h=h, edges=edges, size=(h.shape[0], h.shape[0]))

    def message(self, h_i: Tensor, h_j: Tensor, edges: Tensor) -> Tensor:  # type: ignore[override]
        """Return the message of each edge, [E, d], >= 0."""
        return torch.relu(self.message_layer(torch.cat([h_j, h_i, edges], 1)))

    def aggregate(  # type: ignore[override]
        self, inputs: Tensor, index: Tensor, dim_size: int | None = None, **_: Any
    ) -> Tensor:
        """Return log(1 + sum) and maximum per node."""
        assert dim_size is not None
        zeros = inputs.new_zeros((dim_size, inputs.shape[1]))
        place = index.unsqueeze(1).expand(-1, inputs.shape[1])
        total = zeros.scatter_add(0, place, inputs)
        largest = zeros.scatter_reduce(0, place, inputs, "amax", include_self=True)
        return torch.cat([torch.log1p(total), largest], 1)


class Round(nn.Module):
    """One round of messages both ways, with a residual: [N, d] -> [N, d]."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        size = config.hidden
        self.down = Calls(size, config.edge_size, "source_to_target")  # type: ignore[abstract]
        self.up = Calls(size, config.edge_size, "target_to_source")  # type: ignore[abstract]
        self.update = nn.Sequential(
            nn.Linear(5 * size, size), nn.GELU(), nn.Dropout(config.dropout), nn.Linear(size, size)
        )
        self.norm = nn.LayerNorm(size)

    def forward(self, h: Tensor, edge_index: Tensor, edges: Tensor) -> Tensor:
        """Hear callers and callees, update, add, normalise."""
        heard = torch.cat([h, self.down(h, edge_index, edges), self.up(h, edge_index, edges)], 1)
        return self.norm(h + self.update(heard))  # type: ignore[no-any-return]


class RootCauseNet(nn.Module):
    """The whole network; see the module's text for inputs and outputs."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        d, s = config.hidden, config.signal_size
        self.config = config
        self.temporal = Temporal(config.channels)
        self.signal_name = nn.Parameter(torch.randn(_SIGNALS, 8) * 0.3)
        self.pair = nn.Linear(config.channels + len(STATIC_FEATURES) + 8, s)
        self.pair_small = nn.Linear(s, 8)
        wide = _SIGNALS * (8 + 3) + WINDOW_TICKS + len(NODE_FEATURES)
        self.node_in = nn.Sequential(nn.Linear(wide, d), nn.GELU(), nn.Linear(d, d), nn.LayerNorm(d))
        self.edge_in = nn.Sequential(nn.Linear(len(EDGE_FEATURES), config.edge_size), nn.GELU())
        self.rounds = nn.ModuleList([Round(config) for _ in range(config.rounds)])
        self.graph = nn.Linear(2 * d, d)
        self.node_head = nn.Sequential(
            nn.Linear(2 * d, d), nn.GELU(), nn.Dropout(config.dropout), nn.Linear(d, 1)
        )
        self.signal_context = nn.Linear(d, s)
        self.signal_head = nn.Sequential(nn.Linear(2 * s + 8, s), nn.GELU(), nn.Linear(s, 1))
        self.anomaly_head = nn.Sequential(nn.Linear(2 * d + 1, 32), nn.GELU(), nn.Linear(32, 1))
        self.edge_head = nn.Sequential(nn.Linear(2 * d + config.edge_size, 32), nn.GELU(), nn.Linear(32, 1))
        self.dense = False
        """True for export: encode absent pairs too (they are zeroed), so that no shape depends on the
        data."""

    def forward(
        self, inputs: dict[str, Tensor], batch: Tensor, graphs: int
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return node_score [N], signal_score [N,11], logits of anomaly [G] and of edge_weight [E]."""
        pairs = self._pairs(inputs)
        edges = self.edge_in(inputs["edge_attr"])
        h = self._nodes(inputs, pairs)
        for one in self.rounds:
            h = one(h, inputs["edge_index"], edges)
        pooled, count = _pool(h, batch, graphs)
        with_graph = torch.cat([h, self.graph(pooled).index_select(0, batch)], 1)
        node = self.node_head(with_graph).squeeze(1)
        node = torch.where(inputs["mask"], node, torch.full_like(node, RULED_OUT))
        anomaly = self.anomaly_head(torch.cat([pooled, torch.log(count)], 1)).squeeze(1)
        caller, callee = inputs["edge_index"][0], inputs["edge_index"][1]
        ends = torch.cat([h.index_select(0, caller), h.index_select(0, callee), edges], 1)
        return node, self._signals(inputs, pairs, h), anomaly, self.edge_head(ends).squeeze(1)

    def _pairs(self, inputs: dict[str, Tensor]) -> Tensor:
        """Encode each (node, signal): [N, 11, s], zero where it was never present in the window."""
        x = torch.cat([inputs["x"], inputs["present"].unsqueeze(3)], 3)
        n = x.shape[0]
        x = x.reshape(n * _SIGNALS, WINDOW_TICKS, len(X_FEATURES) + 1)
        there = inputs["present"].amax(2).reshape(-1, 1) > 0
        name = self.signal_name.unsqueeze(0).expand(n, -1, -1).reshape(n * _SIGNALS, -1)
        static = inputs["static"].reshape(n * _SIGNALS, -1)
        if self.dense:
            code = nn.functional.gelu(self.pair(torch.cat([self.temporal(x), static, name], 1)))
            return (code * there.to(code.dtype)).reshape(n, _SIGNALS, -1)
        place = there.squeeze(1).nonzero().squeeze(1)
        chosen = torch.cat([self.temporal(x[place]), static[place], name[place]], 1)
        code = x.new_zeros((n * _SIGNALS, self.config.signal_size))
        return code.index_copy(0, place, nn.functional.gelu(self.pair(chosen))).reshape(n, _SIGNALS, -1)

    def _nodes(self, inputs: dict[str, Tensor], pairs: Tensor) -> Tensor:
        """Fold a node's signals, presence and facts into [N, d]."""
        n = pairs.shape[0]
        present = inputs["present"].amax(2)
        small = self.pair_small(pairs) * (present > 0).unsqueeze(2)
        parts = [
            small.reshape(n, -1),
            present,
            inputs["present"][:, :, WINDOW_TICKS - 1],
            inputs["static"][:, :, 0],
            inputs["node_present"],
            inputs["node_static"],
        ]
        return self.node_in(torch.cat(parts, 1))  # type: ignore[no-any-return]

    def _signals(self, inputs: dict[str, Tensor], pairs: Tensor, h: Tensor) -> Tensor:
        """Score each signal of each node, given what the node knows of its neighbours: [N, 11]."""
        n = h.shape[0]
        context = self.signal_context(h).unsqueeze(1).expand(-1, _SIGNALS, -1)
        name = self.signal_name.unsqueeze(0).expand(n, -1, -1)
        score = self.signal_head(torch.cat([pairs, context, name], 2)).squeeze(2)
        return torch.where(_possible(inputs), score, torch.full_like(score, RULED_OUT))


def _possible(inputs: dict[str, Tensor]) -> Tensor:
    """Which signals a node can be the cause in, bool [N,11].

    Those present in the window; latency, traffic and errors that its callers measured; availability for a
    node that was silent in the window.
    """
    present = inputs["present"].amax(2)
    callee = inputs["edge_index"][1]
    seen = inputs["edge_attr"][:, _EDGE_PRESENT]
    by_caller = torch.zeros_like(present[:, :3]).scatter_add(0, callee.unsqueeze(1).expand(-1, 3), seen)
    extra = torch.zeros_like(present)
    silent = 1.0 - inputs["node_present"].amin(1)
    columns = {
        _LATENCY: by_caller[:, 0],
        _TRAFFIC: by_caller[:, 1],
        _ERRORS: by_caller[:, 2],
        _AVAILABILITY: silent,
    }
    extra = torch.stack([columns.get(i, extra[:, i]) for i in range(_SIGNALS)], 1)
    return (present + extra) > 0


def _pool(h: Tensor, batch: Tensor, graphs: int) -> tuple[Tensor, Tensor]:
    """Return maximum and mean over each graph's nodes, [G, 2 d], and the number of nodes [G, 1]."""
    place = batch.unsqueeze(1).expand(-1, h.shape[1])
    largest = h.new_full((graphs, h.shape[1]), RULED_OUT).scatter_reduce(
        0, place, h, "amax", include_self=True
    )
    total = h.new_zeros((graphs, h.shape[1])).scatter_add(0, place, h)
    count = h.new_zeros(graphs).scatter_add(0, batch, torch.ones_like(h[:, 0])).unsqueeze(1)
    return torch.cat([largest, total / count], 1), count


def parameters_of(model: nn.Module) -> int:
    """Return the number of trained numbers."""
    return sum(parameter.numel() for parameter in model.parameters())
