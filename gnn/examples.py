"""Labelled snapshots and how many of them lie in one file: arrays of all nodes and edges, end to end.

numpy only. Files are written by :mod:`gnn.dataset` and read by training and evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from onnx_models.features import INPUTS
from onnx_models.snapshot import Snapshot

Arrays = dict[str, npt.NDArray[Any]]

_HALVES = ("x", "static", "node_static", "edge_attr", "present")
PER_NODE = ("x", "present", "node_present", "static", "node_static", "mask")
PER_EDGE = ("edge_attr", "path")
LABELS = ("truth", "signal", "kind", "system", "delay", "nodes", "edges")


@dataclass(frozen=True, slots=True)
class Example:
    """A snapshot and the truth: index of the cause (-1: healthy), its signal and kind (index or -1), ``path``
    bool [E] (edges from symptoms to the cause), number of its system, ticks since the fault showed (-1:
    never)."""

    snapshot: Snapshot
    truth: int
    signal: int
    kind: int
    path: npt.NDArray[np.bool_]
    system: int
    delay: int


def pack(examples: Sequence[Example]) -> Arrays:
    """Return the examples as one dict of arrays; numbers of the model's inputs become float16."""
    packed: Arrays = {}
    for name in INPUTS:
        axis = 1 if name == "edge_index" else 0
        parts = [getattr(example.snapshot, name) for example in examples]
        joined = np.concatenate(parts, axis)
        packed[name] = joined.astype(np.float16) if name in _HALVES else joined
    packed["edge_index"] = packed["edge_index"].astype(np.int32)
    packed["node_present"] = packed["node_present"] > 0
    packed["path"] = np.concatenate([example.path for example in examples])
    packed["nodes"] = np.array([len(example.snapshot.nodes) for example in examples], np.int32)
    packed["edges"] = np.array([len(example.path) for example in examples], np.int32)
    for name in ("truth", "signal", "kind", "system", "delay"):
        packed[name] = np.array([getattr(example, name) for example in examples], np.int32)
    return packed


def join(parts: Sequence[Arrays]) -> Arrays:
    """Return several packs as one."""
    return {name: np.concatenate([p[name] for p in parts], int(name == "edge_index")) for name in parts[0]}


def load(paths: Sequence[Path]) -> Arrays:
    """Return the packs in ``paths`` (npz files) as one."""
    parts: list[Arrays] = []
    for path in paths:
        with np.load(path, allow_pickle=False) as file:
            parts.append({name: file[name] for name in file.files})
    return join(parts)


def starts(sizes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return where each block of the given sizes begins, and the total at the end: int64 [len + 1]."""
    return np.asarray(np.concatenate([[0], np.cumsum(sizes)]), np.int64)


def select(packed: Arrays, chosen: npt.NDArray[np.int64]) -> Arrays:
    """Return the examples with the given numbers, in that order."""
    nodes, edges = _members(packed["nodes"], chosen), _members(packed["edges"], chosen)
    result: Arrays = {name: packed[name][nodes] for name in PER_NODE}
    result.update({name: packed[name][edges] for name in PER_EDGE})
    result["edge_index"] = packed["edge_index"][:, edges]
    result.update({name: packed[name][chosen] for name in LABELS})
    return result


def _members(sizes: npt.NDArray[Any], chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the positions of all members of the chosen blocks, in the chosen order."""
    begin, size = starts(sizes)[chosen], sizes[chosen].astype(np.int64)
    offset = np.arange(size.sum()) - np.repeat(starts(size)[:-1], size)
    return np.asarray(np.repeat(begin, size) + offset, np.int64)


def unpack(packed: Arrays) -> Iterator[Example]:
    """Yield the examples of a pack; names of graphs, nodes and the time are lost and made up."""
    node_at, edge_at = starts(packed["nodes"]), starts(packed["edges"])
    for number in range(len(packed["nodes"])):
        nodes, edges = (slice(at[number], at[number + 1]) for at in (node_at, edge_at))
        arrays: Arrays = {name: packed[name][nodes].astype(np.float32) for name in PER_NODE if name != "mask"}
        snapshot = Snapshot(
            graph=f"system-{packed['system'][number]}",
            time=0,
            nodes=tuple(f"n{i}" for i in range(packed["nodes"][number])),
            edge_index=packed["edge_index"][:, edges].astype(np.int64),
            edge_attr=packed["edge_attr"][edges].astype(np.float32),
            mask=packed["mask"][nodes],
            **arrays,
        )
        labels = {name: int(packed[name][number]) for name in ("truth", "signal", "kind", "system", "delay")}
        yield Example(snapshot=snapshot, path=packed["path"][edges], **labels)
