"""The service graph of one incident as shapes: which nodes are drawn, where, and how each is marked.

Pure geometry in px; graph.svg.j2 writes it down. Imports the layout and the marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from faultline.report.layout import Pair, layered
from faultline.report.marks import GraphMarks, NodeMark
from faultline.words import number, share
from records.incidents import IncidentEvent

MAX_NODES: Final = 40
"""Nodes that are drawn: the cause, its path and what is near; the rest is counted."""
_HEIGHT: Final = 38.0
_LETTER: Final = 8.0
_MAX_LETTERS: Final = 26
_MARGIN: Final = 14.0


@dataclass(frozen=True)
class NodeShape:
    """One box. `classes` are the marks that the style sheet knows; `heat` 0..1 is how anomalous the node
    was.
    """

    name: str
    label: str
    detail: str
    title: str
    classes: str
    heat: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class EdgeShape:
    """One arrow from caller to callee; `path` is SVG path data."""

    title: str
    path: str
    on_path: bool
    weight: float


@dataclass(frozen=True)
class GraphView:
    """The picture: its size in px, its shapes (edges first), a sentence that says the same, what is left
    out.
    """

    width: float
    height: float
    nodes: tuple[NodeShape, ...]
    edges: tuple[EdgeShape, ...]
    summary: str
    hidden: int


def graph_view(event: IncidentEvent, marks: GraphMarks) -> GraphView | None:
    """The picture of the incident's graph; None where not even a node is known."""
    shown = chosen(event, marks)
    if not shown:
        return None
    widths = {name: _width(name, _detail(marks.nodes[name])) for name in shown}
    layout = layered(widths, marks.edges)
    weights = {(edge.source, edge.target): edge.weight or 0.0 for edge in event.path}
    cause = event.root_causes[0].node if event.root_causes else None
    involved = {node for pair in weights for node in pair}
    ranks = {each.node: each.rank for each in event.root_causes[:5]}
    nodes = [
        _node(
            name,
            marks.nodes[name],
            ranks.get(name),
            name == cause,
            name in involved,
            widths[name],
            layout.centres[name],
        )
        for name in shown
    ]
    ordered = sorted(layout.routes, key=lambda pair: pair in weights)
    edges = [_edge(pair, layout.routes[pair], widths, weights.get(pair)) for pair in ordered]
    return GraphView(
        layout.width + 2 * _MARGIN,
        layout.height + 2 * _MARGIN,
        tuple(nodes),
        tuple(edges),
        _summary(event, marks, cause),
        len(marks.nodes) - len(shown),
    )


def chosen(event: IncidentEvent, marks: GraphMarks) -> list[str]:
    """The nodes to draw, most telling first: cause and path, triggers, candidates, anomalous, neighbours,
    the rest.
    """
    path = [node for edge in event.path for node in (edge.target, edge.source)]
    causes = [cause.node for cause in event.root_causes]
    by_heat = sorted(marks.nodes, key=lambda name: (-abs(marks.nodes[name].z), name))
    hot = [name for name in by_heat if marks.nodes[name].anomalous or marks.nodes[name].silent]
    telling = [*causes[:1], *path, *(each.node for each in event.triggers), *causes[1:5], *hot]
    near = _neighbours(telling, marks.edges)
    order = dict.fromkeys((*telling, *near, *sorted(marks.nodes)))
    return [name for name in order if name in marks.nodes][:MAX_NODES]


def _neighbours(names: Iterable[str], edges: Iterable[Pair]) -> list[str]:
    near: dict[str, set[str]] = {}
    for source, target in edges:
        near.setdefault(source, set()).add(target)
        near.setdefault(target, set()).add(source)
    return [other for name in dict.fromkeys(names) for other in sorted(near.get(name, ()))]


def heat_of(z: float) -> float:
    """0 under |z| = 2, 1 from |z| = 60 on, by the logarithm between."""
    return min(1.0, max(0.0, math.log(max(abs(z), 1e-9) / 2.0) / math.log(30.0)))


def _detail(mark: NodeMark) -> str:
    """The second line of a box, beside colour: what a reader who sees no colours needs."""
    if mark.silent:
        return "silent"
    if mark.never_seen:
        return "no metrics"
    return f"{mark.signal} z {number(mark.z)}" if mark.anomalous else ""


def _width(name: str, detail: str) -> float:
    return max(len(_short(name)), len(detail) * 0.85, 6) * _LETTER + 26


def _short(name: str) -> str:
    return name if len(name) <= _MAX_LETTERS else name[: _MAX_LETTERS - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _node(
    name: str,
    mark: NodeMark,
    rank: int | None,
    is_cause: bool,
    on_path: bool,
    width: float,
    centre: tuple[float, float],
) -> NodeShape:
    marks = {
        "cause": is_cause,
        "path": on_path and not is_cause,
        "silent": mark.silent,
        "unseen": mark.never_seen,
    }
    detail = _detail(mark)
    said = ["root cause" if is_cause else f"rank {rank}" if rank else "", detail]
    title = ", ".join([name, *(each for each in said if each)])
    x, y = centre[0] - width / 2 + _MARGIN, centre[1] - _HEIGHT / 2 + _MARGIN
    classes = " ".join(key for key, value in marks.items() if value)
    return NodeShape(name, _short(name), detail, title, classes, heat_of(mark.z), x, y, width, _HEIGHT)


def _edge(
    pair: Pair, route: Sequence[tuple[float, float]], widths: dict[str, float], weight: float | None
) -> EdgeShape:
    """A curve from the side of the caller's box to the side of the callee's, level where it passes a
    layer.
    """
    points = [(x + _MARGIN, y + _MARGIN) for x, y in route]
    forward = points[-1][0] >= points[0][0]
    side = 1 if forward else -1
    points[0] = (points[0][0] + side * widths[pair[0]] / 2, points[0][1])
    points[-1] = (points[-1][0] - side * (widths[pair[1]] / 2 + 5), points[-1][1])
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (x1 - x0) / 2
        path += f"C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    title = f"{pair[0]} calls {pair[1]}"
    if weight is not None:
        title += f", explains the incident (weight {share(weight)})"
    return EdgeShape(title, path, weight is not None, weight or 0.0)


def _summary(event: IncidentEvent, marks: GraphMarks, cause: str | None) -> str:
    """The picture in a sentence, for those who cannot see it."""
    parts = [f"Service graph of {event.graph}: {len(marks.nodes)} nodes, {len(marks.edges)} edges."]
    if cause:
        parts.append(f"The cause is {cause}.")
    for word, names in (
        ("Anomalous", [name for name, mark in marks.nodes.items() if mark.anomalous]),
        ("Silent", [name for name, mark in marks.nodes.items() if mark.silent]),
        ("Path", [f"{edge.source} to {edge.target}" for edge in event.path]),
    ):
        if names:
            parts.append(f"{word}: {', '.join(sorted(names))}.")
    return " ".join(parts)
