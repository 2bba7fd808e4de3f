"""Tiny bundles for tests: the largest deviation is the cause, or every score is NaN."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper

from onnx_models.bundle import Bundle, Confidence, Manifest, write_bundle
from onnx_models.confidence import confidence_features
from onnx_models.encoding import encode
from onnx_models.fallback import rank_by_deviation
from onnx_models.features import (
    EDGE_FEATURES,
    INPUTS,
    NODE_FEATURES,
    OUTPUTS,
    STATIC_FEATURES,
    WINDOW_TICKS,
    schema_hash,
)
from records.frames import VERSION
from records.signals import SIGNALS
from tests.jobs.rows import frame_row

_SHAPES: dict[str, list[str | int]] = {
    "x": ["N", len(SIGNALS), WINDOW_TICKS, 2],
    "present": ["N", len(SIGNALS), WINDOW_TICKS],
    "node_present": ["N", WINDOW_TICKS],
    "static": ["N", len(SIGNALS), len(STATIC_FEATURES)],
    "node_static": ["N", len(NODE_FEATURES)],
    "edge_index": [2, "E"],
    "edge_attr": ["E", len(EDGE_FEATURES)],
    "mask": ["N"],
    "node_score": ["N"],
    "signal_score": ["N", len(SIGNALS)],
    "anomaly": [1],
    "edge_weight": ["E"],
}
WIDTH: Final = 2_200
"""Of a matrix whose product takes a third of a second or more on one thread."""
_KINDS = {"edge_index": TensorProto.INT64, "mask": TensorProto.BOOL}


def _constant(name: str, values: list[float] | list[int]) -> TensorProto:
    kind = TensorProto.INT64 if isinstance(values[0], int) else TensorProto.FLOAT
    tensor: TensorProto = helper.make_tensor(name, kind, [len(values)], values)
    return tensor


GOLDEN_NODES: Final = 3
"""Nodes of the golden snapshot: what a bundle does at another number of nodes, its golden arrays do not
show.
"""
Fault = Literal["breaks", "is slow", "is contrary"]


def _faulty(fault: Fault | None, always: bool) -> list[NodeProto]:
    """Turns `loudness` into `node_score`; where the nodes are not GOLDEN_NODES, or always, the fault shows.

    Breaks: infinite. Is slow: multiplies large matrices that depend on the input, so nothing does it before.
    Is contrary: with a node more or less, the quietest node is the cause.
    """
    if fault is None:
        return [helper.make_node("Identity", ["loudness"], ["node_score"])]
    other = [
        helper.make_node("Shape", ["mask"], ["count"]),
        helper.make_node("Sub", ["count", "normal"], ["beyond"]),
        helper.make_node("Mul", ["beyond", "beyond"], ["off"]),
        helper.make_node("Add" if always else "Identity", ["off", *(["one"] if always else [])], ["times"]),
    ]
    if fault == "breaks":
        return [
            *other,
            helper.make_node("Cast", ["times"], ["much"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["much", "huge"], ["larger"]),
            helper.make_node("Mul", ["larger", "huge"], ["infinite"]),
            helper.make_node("Add", ["loudness", "infinite"], ["node_score"]),
        ]
    if fault == "is contrary":
        return [
            *other,
            helper.make_node("Mul", ["times", "minus_two"], ["down"]),
            helper.make_node("Add", ["down", "one"], ["turned"]),
            helper.make_node("Cast", ["turned"], ["sign"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["loudness", "sign"], ["node_score"]),
        ]
    return [
        *other,
        helper.make_node("Mul", ["times", "size_of_one"], ["wide"]),
        helper.make_node("Add", ["wide", "one"], ["width"]),
        helper.make_node("Concat", ["width", "width"], ["square"], axis=0),
        helper.make_node("ConstantOfShape", ["square"], ["matrix"]),
        helper.make_node("MatMul", ["matrix", "matrix"], ["product"]),
        helper.make_node("ReduceMax", ["product"], ["nothing"], keepdims=0),
        helper.make_node("Add", ["loudness", "nothing"], ["node_score"]),
    ]


def model(factor: float, fault: Fault | None = None, always: bool = True, width: int = WIDTH) -> ModelProto:
    """node_score = factor x the node's largest |z'|, likewise per signal.

    Every edge weighs .5; anomaly .9. `fault`: see _faulty; `width`: of one that is slow.
    """
    nodes = [
        helper.make_node("Abs", ["x"], ["size"]),
        helper.make_node("ReduceMax", ["size", "ticks"], ["by_signal"], keepdims=0),
        helper.make_node("Mul", ["by_signal", "factor"], ["signal_score"]),
        helper.make_node("ReduceMax", ["signal_score", "one"], ["loudness"], keepdims=0),
        *_faulty(fault, always),
        helper.make_node("ReduceMax", ["edge_attr", "one"], ["any_edge"], keepdims=0),
        helper.make_node("Mul", ["any_edge", "zero"], ["no_edge"]),
        helper.make_node("Add", ["no_edge", "half"], ["edge_weight"]),
        helper.make_node("Identity", ["sure"], ["anomaly"]),
    ]
    constants = [
        _constant("ticks", [2, 3]),
        _constant("one", [1]),
        _constant("factor", [factor]),
        _constant("zero", [0.0]),
        _constant("half", [0.5]),
        _constant("sure", [0.9]),
        _constant("normal", [GOLDEN_NODES]),
        _constant("huge", [1e38]),
        _constant("minus_two", [-2]),
        _constant("size_of_one", [width]),
    ]
    values = {
        name: helper.make_tensor_value_info(name, _KINDS.get(name, TensorProto.FLOAT), _SHAPES[name])
        for name in (*INPUTS, *OUTPUTS)
    }
    inputs, outputs = [values[name] for name in INPUTS], [values[name] for name in OUTPUTS]
    graph = helper.make_graph(nodes, "loudest", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def bundle(
    parent: Path,
    *,
    factor: float = 3.0,
    golden_factor: float | None = None,
    version: int = 1,
    fault: Fault | None = None,
    always: bool = True,
    width: int = WIDTH,
    **manifest_says: Any,
) -> Bundle:
    """A bundle of that model; with `golden_factor` its golden outputs are those of another one.

    With a factor that is NaN it answers NaN, though its golden arrays do not show it. `manifest_says`:
    fields of the manifest that are to be other than they should.
    """
    snapshot = encode([frame_row(0, {("cart", "latency"): 40.0})])
    features = confidence_features(
        snapshot, rank_by_deviation(snapshot).node_probability, 0.9, rank_by_deviation(snapshot)
    )
    manifest = Manifest(
        name="loudest",
        version=version,
        opset=18,
        window_ticks=WINDOW_TICKS,
        signals=tuple(SIGNALS),
        frame_version=VERSION,
        feature_schema_hash=schema_hash(),
        inputs=dict.fromkeys(INPUTS, "float32"),
        outputs=dict.fromkeys(OUTPUTS, "float32"),
        sha256="",
        golden_sha256="",
        temperature=1.0,
        confidence=Confidence(bias=2.0, weights=(0.0,) * len(features)),
        trained_on={},
        parameters=1,
    ).model_copy(update=manifest_says)
    golden = (
        []
        if np.isnan(factor)
        else [(snapshot.inputs(), _answers(snapshot.inputs(), golden_factor or factor))]
    )
    content = model(factor, fault, always, width).SerializeToString()
    return write_bundle(parent, manifest, content, golden, "for tests")


def _answers(inputs: dict[str, npt.NDArray[Any]], factor: float) -> dict[str, npt.NDArray[Any]]:
    by_signal = np.abs(inputs["x"]).max((2, 3)) * factor
    return {
        "node_score": by_signal.max(1),
        "signal_score": by_signal,
        "anomaly": np.array([0.9], np.float32),
        "edge_weight": np.full(inputs["edge_attr"].shape[0], 0.5, np.float32),
    }
