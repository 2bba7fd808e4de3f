"""torch -> ONNX, with proof: no bundle is made of a network that ONNX Runtime does not run to the same
numbers.

Parity is checked at the sizes of ``PARITY_SIZES`` and on real snapshots; relabelled nodes and shuffled edges
must give the relabelled answer.
"""

from __future__ import annotations

import io
import logging
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from torch import Tensor, nn

from gnn.model import RootCauseNet
from onnx_models.errors import BundleError
from onnx_models.features import EDGE_FEATURES, INPUTS, NODE_FEATURES, OUTPUTS, STATIC_FEATURES, WINDOW_TICKS
from onnx_models.scorer import OnnxRun
from records.signals import SIGNALS

OPSET = 20
PARITY_SIZES = ((1, 0), (2, 0), (3, 1), (50, 200))
TOLERANCE = 1e-4

log = logging.getLogger(__name__)

Arrays = dict[str, npt.NDArray[Any]]


class Served(nn.Module):
    """The network as it is served: one graph, inputs in the order of ``features.INPUTS``, probabilities
    out."""

    def __init__(self, model: RootCauseNet) -> None:
        super().__init__()
        self.model = model

    def forward(self, *arrays: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return node_score [N], signal_score [N,11], anomaly [1], edge_weight [E]."""
        inputs = dict(zip(INPUTS, arrays, strict=True))
        batch = torch.zeros_like(inputs["mask"], dtype=torch.int64)
        node, signal, anomaly, path = self.model(inputs, batch, 1)
        return node, signal, torch.sigmoid(anomaly), torch.sigmoid(path)


def random_inputs(seed: int, nodes: int, edges: int) -> Arrays:
    """Return random inputs of any size: isolated nodes, duplicate edges and self loops included."""
    rng = np.random.default_rng(seed)
    signals = len(SIGNALS)
    present = (rng.random((nodes, signals, WINDOW_TICKS)) < 0.5) * (rng.random((nodes, signals, 1)) < 0.6)
    shapes = {
        "x": (nodes, signals, WINDOW_TICKS, 2),
        "static": (nodes, signals, len(STATIC_FEATURES)),
        "node_static": (nodes, len(NODE_FEATURES)),
        "edge_attr": (edges, len(EDGE_FEATURES)),
    }
    arrays: Arrays = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    arrays["present"] = present.astype(np.float32)
    arrays["node_present"] = present.any(1).astype(np.float32)
    arrays["edge_index"] = rng.integers(0, nodes, (2, edges))
    arrays["mask"] = rng.random(nodes) < 0.9
    return {name: arrays[name] for name in INPUTS}


def run_torch(model: RootCauseNet, arrays: Arrays) -> Arrays:
    """Return the outputs of the network as served, by name."""
    tensors = [torch.from_numpy(np.ascontiguousarray(arrays[name])) for name in INPUTS]
    with torch.no_grad():
        values = Served(model)(*tensors)
    return dict(zip(OUTPUTS, (value.numpy() for value in values), strict=True))


def to_onnx(model: RootCauseNet) -> bytes:
    """Return the network as ONNX bytes (opset 20, any N >= 1 and E >= 0), without names and traces of its
    making."""
    nodes, edges = torch.export.Dim("nodes"), torch.export.Dim("edges")
    dynamic: dict[str, dict[int, Any]] = {name: {0: nodes} for name in INPUTS}
    dynamic["edge_index"], dynamic["edge_attr"] = {1: edges}, {0: edges}
    example = random_inputs(0, 7, 11)
    model.eval()
    model.dense = True
    model.temporal.unroll()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                Served(model).eval(),
                tuple(torch.from_numpy(example[name]) for name in INPUTS),
                dynamo=True,
                input_names=list(INPUTS),
                output_names=list(OUTPUTS),
                dynamic_shapes=(tuple(dynamic[name] for name in INPUTS),),
                opset_version=OPSET,
                external_data=False,
                verbose=False,
            )
    finally:
        model.dense = False
        model.temporal.unrolled = None
    assert program is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.onnx"
        program.save(str(file))
        return _strip(rows_scattered(file.read_bytes()))


def rows_scattered(model: bytes) -> bytes:
    """Return the model with whole rows scattered at once.

    The exporter scatters element by element, with an index as large as the data, though all columns of a
    row go to the same place: ScatterND takes one index per row and is ten times as fast in ONNX Runtime.
    """
    proto: Any = onnx.load_model(io.BytesIO(model))
    made = {name: node for node in proto.graph.node for name in node.output}
    for node in list(proto.graph.node):
        index = _row_index(made, node) if node.op_type == "ScatterElements" else None
        if index is None:
            continue
        reduction = next(one.s for one in node.attribute if one.name == "reduction")
        del node.attribute[:]
        node.op_type = "ScatterND"
        node.attribute.append(onnx.helper.make_attribute("reduction", reduction))
        node.input[1] = index
    return bytes(_without_unused(proto).SerializeToString())


def _row_index(made: dict[str, Any], node: Any) -> str | None:
    """Return the name of the [rows, 1] index that was expanded for this node, None where it is not of that
    kind."""
    axis = next((one.i for one in node.attribute if one.name == "axis"), 0)
    expand = made.get(node.input[1])
    if axis != 0 or expand is None or expand.op_type != "Expand":
        return None
    unsqueeze = made.get(expand.input[0])
    return str(expand.input[0]) if unsqueeze is not None and unsqueeze.op_type == "Unsqueeze" else None


def _without_unused(proto: Any) -> Any:
    """Return the model without nodes whose output nobody takes."""
    while True:
        used = {name for node in proto.graph.node for name in node.input}
        used |= {output.name for output in proto.graph.output}
        unused = [node for node in proto.graph.node if not used & set(node.output)]
        if not unused:
            return proto
        for node in unused:
            proto.graph.node.remove(node)


def _strip(model: bytes) -> bytes:
    """Drop doc strings and metadata of the exporter: a third of the file, and paths of the machine."""
    proto: Any = onnx.load_model(io.BytesIO(model))
    graphs: list[Any] = [proto.graph, *proto.functions]
    proto.doc_string = ""
    del proto.metadata_props[:]
    for graph in graphs:
        graph.doc_string = ""
        del graph.metadata_props[:]
        del graph.value_info[:]
        for node in graph.node:
            node.doc_string = ""
            del node.metadata_props[:]
    for value in [*proto.graph.input, *proto.graph.output, *proto.graph.initializer]:
        value.doc_string = ""
        del value.metadata_props[:]
    onnx.checker.check_model(proto)
    return bytes(proto.SerializeToString())


def check_parity(model: RootCauseNet, onnx_bytes: bytes, snapshots: Iterable[Arrays] = ()) -> float:
    """Return the largest difference between torch and ONNX Runtime over all checks.

    Raises BundleError when one is above ``TOLERANCE``, or when relabelling or reordering changes the answer.
    """
    runtime = OnnxRun(onnx_bytes)
    cases = [random_inputs(seed, *size) for seed, size in enumerate(PARITY_SIZES)]
    masked = {**random_inputs(9, 6, 9), "mask": np.zeros(6, bool)}
    worst = 0.0
    for arrays in [*cases, masked, *snapshots]:
        worst = max(worst, difference(run_torch(model, arrays), runtime.run(arrays)))
        worst = max(worst, relabelled_difference(runtime, arrays))
    if not worst <= TOLERANCE:
        raise BundleError(
            f"ONNX Runtime and torch differ by {worst:.2g}, more than {TOLERANCE:.0e}",
            "the export is wrong: no bundle is written",
        )
    log.info("event=parity worst=%.2g sizes=%s", worst, PARITY_SIZES)
    return worst


def difference(one: Arrays, other: Arrays) -> float:
    """Return the largest absolute difference over all outputs; infinity where shapes or finiteness differ."""
    worst = 0.0
    for name in OUTPUTS:
        if one[name].shape != other[name].shape or not np.isfinite(other[name]).all():
            return float("inf")
        worst = max(worst, float(np.abs(one[name] - other[name]).max(initial=0.0)))
    return worst


def relabelled_difference(runtime: OnnxRun, arrays: Arrays) -> float:
    """Return how much the answer changes, beyond being relabelled, when nodes and edges are put in another
    order."""
    nodes, edges = arrays["x"].shape[0], arrays["edge_attr"].shape[0]
    rng = np.random.default_rng(nodes)
    node_order, edge_order = rng.permutation(nodes), rng.permutation(edges)
    place = np.argsort(node_order)
    moved = {name: array[node_order] for name, array in arrays.items() if not name.startswith("edge")}
    moved["edge_index"] = place[arrays["edge_index"]][:, edge_order]
    moved["edge_attr"] = arrays["edge_attr"][edge_order]
    before, after = runtime.run(arrays), runtime.run({name: moved[name] for name in INPUTS})
    expected = {
        "node_score": before["node_score"][node_order],
        "signal_score": before["signal_score"][node_order],
        "anomaly": before["anomaly"],
        "edge_weight": before["edge_weight"][edge_order],
    }
    return difference(expected, after)


def shapes_of(names: Sequence[str]) -> dict[str, str]:
    """Return type and shape of tensors in words, for the manifest."""
    words = {
        "x": "float32 [N,11,10,2]",
        "present": "float32 [N,11,10]",
        "node_present": "float32 [N,10]",
        "static": f"float32 [N,11,{len(STATIC_FEATURES)}]",
        "node_static": f"float32 [N,{len(NODE_FEATURES)}]",
        "edge_index": "int64 [2,E]",
        "edge_attr": f"float32 [E,{len(EDGE_FEATURES)}]",
        "mask": "bool [N]",
        "node_score": "float32 [N]",
        "signal_score": "float32 [N,11]",
        "anomaly": "float32 [1]",
        "edge_weight": "float32 [E]",
    }
    return {name: words[name] for name in names}
