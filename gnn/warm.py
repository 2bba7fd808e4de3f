"""The weights of a released bundle as a start for training: what it learned is kept, features added since
begin at zero.

A bundle holds an ONNX file, not the network: most weights keep their names there, some matrices were
transposed, and the convolutions over time may be unrolled (:meth:`gnn.model.Temporal.unroll`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from gnn.model import RootCauseNet
from onnx_models.bundle import Bundle
from onnx_models.errors import BundleError
from onnx_models.features import NODE_FEATURES, STATIC_FEATURES, WIDTHS, WINDOW_TICKS, X_FEATURES

Arrays = dict[str, npt.NDArray[Any]]
_CONVOLUTIONS = ("temporal.first.weight", "temporal.second.weight")


def start_from(model: RootCauseNet, bundle: Bundle) -> None:
    """Give ``model`` the weights of ``bundle``. Raises BundleError when the bundle is of another shape."""
    found = _initializers(bundle)
    widths = WIDTHS[bundle.encoding_version]
    state = {
        name: torch.from_numpy(_weight(name, value, found, model, widths, bundle))
        for name, value in model.state_dict().items()
    }
    model.load_state_dict(state)


def _initializers(bundle: Bundle) -> Arrays:
    proto: Any = onnx.load_model(str(bundle.model_file))
    arrays = {one.name: numpy_helper.to_array(one) for one in proto.graph.initializer}
    return arrays | _unrolled_biases(proto, arrays)


def _unrolled_biases(proto: Any, arrays: Arrays) -> Arrays:
    """Return the biases of unrolled convolutions, which were repeated for each tick: what is added to a
    product with an unrolled matrix."""
    found: Arrays = {}
    products = {node.output[0]: node.input[1] for node in proto.graph.node if node.op_type == "MatMul"}
    for node in proto.graph.node:
        if node.op_type != "Add" or node.input[0] not in products or node.input[1] not in arrays:
            continue
        matrix, bias = arrays.get(products[node.input[0]]), arrays[node.input[1]]
        if matrix is None or bias.ndim != 1 or matrix.shape[1] != len(bias) or len(bias) % WINDOW_TICKS:
            continue
        inner = matrix.shape[0] == WINDOW_TICKS * (len(X_FEATURES) + 1)
        layer = "first" if inner else "second"
        found[f"model.temporal.{layer}.bias"] = bias[: len(bias) // WINDOW_TICKS]
    return found


def _weight(
    name: str, wanted: Tensor, found: Arrays, model: RootCauseNet, widths: Any, bundle: Bundle
) -> npt.NDArray[np.float32]:
    """Return one weight of the bundle in the shape that ``model`` has for it."""
    channels = model.config.channels
    shape, added = list(wanted.shape), (0, 0)
    if name == "pair.weight":
        added = (channels + widths["static"], len(STATIC_FEATURES) - widths["static"])
    elif name == "node_in.0.weight":
        missing = len(NODE_FEATURES) - widths["node_static"]
        added = (shape[1] - missing, missing)
    if added[1]:
        shape[1] -= added[1]
    value = found.get(f"model.{name}", found.get(name))
    if value is None:
        value = _unnamed(name, tuple(shape), found, channels, bundle)
    if list(value.shape) != shape:
        raise BundleError(
            f"{bundle.path}: {name} has shape {list(value.shape)}, not {shape}",
            "start from a bundle of the same sizes, or from none",
        )
    return np.insert(value, [added[0]] * added[1], 0.0, axis=1) if added[1] else value.copy()


def _unnamed(
    name: str, shape: tuple[int, ...], found: Arrays, channels: int, bundle: Bundle
) -> npt.NDArray[np.float32]:
    """Return a weight that lost its name: the one matrix that is its transpose, or its unrolled
    convolution."""
    turned = [value for value in found.values() if value.shape in (shape[::-1], (1, *shape))]
    if len(turned) == 1:
        return turned[0][0] if turned[0].ndim > len(shape) else np.ascontiguousarray(turned[0].T)
    if name in _CONVOLUTIONS:
        size = len(X_FEATURES) + 1 if name == _CONVOLUTIONS[0] else channels
        flat = (WINDOW_TICKS * size, WINDOW_TICKS * channels)
        unrolled = [value for value in found.values() if value.shape == flat]
        if len(unrolled) == 1:
            whole = unrolled[0].reshape(WINDOW_TICKS, size, WINDOW_TICKS, channels)
            return np.ascontiguousarray(whole[:3, :, 1].reshape(3 * size, channels).T)
    raise BundleError(
        f"{bundle.path}: no weight for {name}", "start from a bundle of the same sizes, or from none"
    )
