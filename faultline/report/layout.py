"""Layered layout of a directed graph, callers on the left: layers, order within a layer, coordinates, edge
routes.

Pure and deterministic. The usual four steps (Sugiyama, Tagawa and Toda, 1981): break cycles, layer by
longest path, order by barycentres, place by least squares that keep the order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_SWEEPS: Final = 12
_ROW: Final = 54.0
_COLUMN_GAPS: Final = (44.0, 128.0)
"""Least and greatest gap between columns, px: few columns are drawn further apart."""
_FULL_WIDTH: Final = 1060.0
_BEND_ROW: Final = 22.0
"""Height that an edge takes where it passes through a layer."""

Pair = tuple[str, str]
_Item = str | tuple[str, str, int]
"""A node, or the place where an edge passes through a layer: (source, target, layer)."""


@dataclass(frozen=True)
class Layout:
    """Centres of nodes and routes of edges (points from source to target), in one coordinate system from
    0.
    """

    centres: Mapping[str, tuple[float, float]]
    routes: Mapping[Pair, tuple[tuple[float, float], ...]]
    width: float
    height: float


def layered(widths: Mapping[str, float], edges: Iterable[Pair]) -> Layout:
    """The layout of the nodes in `widths` (their widths, px) and `edges` between them.

    Self loops and repeated edges are left out. Nodes without an edge go below, in rows.
    """
    pairs = sorted({(a, b) for a, b in edges if a != b and a in widths and b in widths})
    linked = sorted({node for pair in pairs for node in pair})
    layers = layer_of(linked, pairs)
    chains = {pair: _chain(pair, layers) for pair in pairs}
    columns = _ordered(_columns(linked, layers, chains), _links(chains))
    heights = _heights(columns, _links(chains))
    lefts, width = _across(columns, widths)
    places: dict[_Item, tuple[float, float]] = {
        item: (lefts[index], heights[item]) for index, column in enumerate(columns) for item in column
    }
    depth = max((place[1] for place in places.values()), default=-_ROW / 2) + _ROW / 2
    alone, width, height = _rows_below(sorted(set(widths) - set(linked)), widths, max(width, 480.0), depth)
    centres = {node: places[node] for node in linked} | alone
    routes = {pair: tuple(places[item] for item in chain) for pair, chain in chains.items()}
    return Layout(centres, routes, width, height)


def layer_of(nodes: Sequence[str], pairs: Sequence[Pair]) -> dict[str, int]:
    """Layer from 0 by longest path over the edges, those that close a cycle turned round."""
    below = defaultdict(list)
    for source, target in _acyclic(nodes, pairs):
        below[source].append(target)
    layers = dict.fromkeys(nodes, 0)
    for node in _topological(nodes, below):
        for target in below[node]:
            layers[target] = max(layers[target], layers[node] + 1)
    fed = {target for targets in below.values() for target in targets}
    for node in nodes:
        if node not in fed and below[node]:
            layers[node] = min(layers[target] for target in below[node]) - 1
    return layers


def _acyclic(nodes: Sequence[str], pairs: Sequence[Pair]) -> list[Pair]:
    """The edges with those that lead back to an ancestor of a depth-first walk turned round."""
    below = defaultdict(list)
    fed = set()
    for source, target in pairs:
        below[source].append(target)
        fed.add(target)
    state: dict[str, int] = {}
    back: set[Pair] = set()
    for root in sorted(nodes, key=lambda node: (node in fed, node)):
        if root not in state:
            _walk(root, below, state, back)
    return [(target, source) if (source, target) in back else (source, target) for source, target in pairs]


def _walk(root: str, below: Mapping[str, Sequence[str]], state: dict[str, int], back: set[Pair]) -> None:
    state[root] = 1
    stack = [(root, iter(below.get(root, ())))]
    while stack:
        node, targets = stack[-1]
        target = next(targets, None)
        if target is None:
            state[node] = 2
            stack.pop()
        elif target not in state:
            state[target] = 1
            stack.append((target, iter(below.get(target, ()))))
        elif state[target] == 1:
            back.add((node, target))


def _topological(nodes: Sequence[str], below: Mapping[str, Sequence[str]]) -> list[str]:
    waiting = dict.fromkeys(nodes, 0)
    for targets in below.values():
        for target in targets:
            waiting[target] += 1
    ready, order = [node for node in nodes if not waiting[node]], []
    while ready:
        node = ready.pop()
        order.append(node)
        for target in below.get(node, ()):
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return order


def _chain(pair: Pair, layers: Mapping[str, int]) -> list[_Item]:
    """The edge's way from source to target through the layers between them."""
    first, last = layers[pair[0]], layers[pair[1]]
    between = range(first + 1, last) if first <= last else range(first - 1, last, -1)
    return [pair[0], *((*pair, layer) for layer in between), pair[1]]


def _columns(
    nodes: Sequence[str], layers: Mapping[str, int], chains: Mapping[Pair, Sequence[_Item]]
) -> list[list[_Item]]:
    columns: dict[int, list[_Item]] = defaultdict(list)
    for node in nodes:
        columns[layers[node]].append(node)
    for chain in chains.values():
        for item in chain[1:-1]:
            columns[int(item[2])].append(item)
    return [columns[layer] for layer in sorted(columns)]


def _links(chains: Mapping[Pair, Sequence[_Item]]) -> dict[_Item, list[_Item]]:
    """Neighbours of every item along the chains, in both directions."""
    links: dict[_Item, list[_Item]] = defaultdict(list)
    for chain in chains.values():
        for one, other in pairwise(chain):
            links[one].append(other)
            links[other].append(one)
    return links


def _ordered(columns: list[list[_Item]], links: Mapping[_Item, Sequence[_Item]]) -> list[list[_Item]]:
    """The columns in the order with the fewest crossings that sweeping barycentres met."""
    best, fewest = [list(column) for column in columns], _crossings(columns, links)
    for sweep in range(_SWEEPS):
        steps = range(1, len(columns)) if sweep % 2 == 0 else range(len(columns) - 2, -1, -1)
        for index in steps:
            fixed = columns[index - 1 if sweep % 2 == 0 else index + 1]
            columns[index] = _by_barycentre(columns[index], fixed, links)
        crossings = _crossings(columns, links)
        if crossings < fewest:
            best, fewest = [list(column) for column in columns], crossings
    return best


def _by_barycentre(
    column: list[_Item], fixed: list[_Item], links: Mapping[_Item, Sequence[_Item]]
) -> list[_Item]:
    place = {item: index for index, item in enumerate(fixed)}

    def centre(index: int) -> float:
        near = [place[other] for other in links[column[index]] if other in place]
        return sum(near) / len(near) if near else float(index)

    return [column[index] for index in sorted(range(len(column)), key=lambda index: (centre(index), index))]


def _crossings(columns: Sequence[Sequence[_Item]], links: Mapping[_Item, Sequence[_Item]]) -> int:
    total = 0
    for left, right in pairwise(columns):
        place = {item: index for index, item in enumerate(right)}
        ends = [place[o] for item in left for o in sorted(links[item], key=str) if o in place]
        starts = [index for index, item in enumerate(left) for o in links[item] if o in place]
        lines = list(zip(starts, ends, strict=True))
        total += sum(
            (a[0] - b[0]) * (a[1] - b[1]) < 0 for index, a in enumerate(lines) for b in lines[index + 1 :]
        )
    return total


def _heights(
    columns: Sequence[Sequence[_Item]], links: Mapping[_Item, Sequence[_Item]]
) -> dict[_Item, float]:
    """Vertical centres: each column drawn to the mean of its neighbours, order and distances kept."""
    heights: dict[_Item, float] = {}
    for column in columns:
        offsets = _offsets(column)
        heights.update({item: offset - offsets[-1] / 2 for item, offset in zip(column, offsets, strict=True)})
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            wanted = [_mean([heights[other] for other in links[item]], heights[item]) for item in column]
            heights.update(zip(column, _spaced(wanted, _offsets(column)), strict=True))
    top = min((height for height in heights.values()), default=0.0)
    return {item: height - top + _ROW / 2 for item, height in heights.items()}


def _offsets(column: Sequence[_Item]) -> list[float]:
    """Least distance of each item from the first of its column."""
    offsets, reached = [], 0.0
    for index, item in enumerate(column):
        if index:
            bend = isinstance(item, tuple) + isinstance(column[index - 1], tuple)
            reached += (_ROW, (_ROW + _BEND_ROW) / 2, _BEND_ROW)[bend]
        offsets.append(reached)
    return offsets


def _spaced(wanted: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """The places nearest to `wanted` (least squares) that keep the distances: pools of adjacent violators."""
    pools: list[list[float]] = []
    for want, offset in zip(wanted, offsets, strict=True):
        pools.append([want - offset, 1.0])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (low, m), (high, n) = pools[-2:]
            pools[-2:] = [[(low * m + high * n) / (m + n), m + n]]
    levels = [level for level, count in pools for _ in range(int(count))]
    return [level + offset for level, offset in zip(levels, offsets, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _across(columns: Sequence[Sequence[_Item]], widths: Mapping[str, float]) -> tuple[list[float], float]:
    """Horizontal centres of the columns, and the whole width."""
    widest = [
        max((widths[item] for item in column if isinstance(item, str)), default=0.0) for column in columns
    ]
    least, most = _COLUMN_GAPS
    gap = min(most, max(least, (_FULL_WIDTH - sum(widest)) / max(1, len(columns) - 1)))
    centres, reached = [], 0.0
    for width in widest:
        centres.append(reached + width / 2)
        reached += width + gap
    return centres, max(0.0, reached - gap)


def _rows_below(
    nodes: Sequence[str], widths: Mapping[str, float], width: float, top: float
) -> tuple[dict[str, tuple[float, float]], float, float]:
    """Centres of the nodes without edges, in rows under `top`; the width and the height of the whole."""
    centres: dict[str, tuple[float, float]] = {}
    left, height, used = 0.0, top, 0.0
    for node in nodes:
        if left and left + widths[node] > width:
            left, height = 0.0, height + _ROW
        centres[node] = (left + widths[node] / 2, height + _ROW / 2)
        left += widths[node] + 16
        used = max(used, left - 16)
    return centres, max(used, width if top else used), height + (_ROW if nodes else 0.0)
