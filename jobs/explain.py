"""How a cause reached the nodes that raised the alarm: path, blast radius and what to do.

Imports records, numpy, onnx_models and jobs.signs.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from jobs.alerts import Alert
from jobs.signs import index_of, troubled_nodes
from onnx_models.reach import hops
from records.frames import FrameRow
from records.incidents import Action, PathEdge

_LEAST_WEIGHT: Final = 1e-3
_HOP_COST: Final = 0.05
"""Between paths of equal weight the shorter one explains better."""
_CHECKS: Final = {
    "cpu": "Look at CPU use and throttling of {node}, and at what runs beside it",
    "memory": "Look at memory use, garbage collection and out-of-memory kills of {node}",
    "disk": "Look at disk space and I/O wait of {node}",
    "network": "Look at packet loss, retransmits and bandwidth of {node}",
    "latency": "Look at what {node} waits for: its slowest requests, locks and pools",
    "errors": "Look at the newest errors in the logs of {node}, and at its last change",
    "traffic": "Look at who calls {node} more or less than usual",
    "saturation": "Look at queues, pools and limits of {node}",
    "availability": "Check that {node} answers, and what its health check says",
    "restarts": "Look at why {node} restarts: its last exit and its events",
    "other": "Look at the metrics of {node} that changed, and at its last change",
}
_SILENT_CHECK: Final = "Check that {node} runs, is reachable and still sends its metrics"
_Link = tuple[int, float, int]


def path_to(cause: str, row: FrameRow, weights: Sequence[float], alerts: Iterable[Alert]) -> list[PathEdge]:
    """The edges that lead from an alarmed node to the cause, the heaviest way, in order; none where there
    is none.

    `weights` [E] in 0..1 in the row's order of edges. The first alert whose node reaches the cause counts,
    along calls; where none does, against them (the cause may hurt what it calls).
    """
    index = index_of(row)
    alarmed = list(
        dict.fromkeys(alert.node for alert in alerts if alert.node in index and alert.node != cause)
    )
    if cause not in index or not alarmed:
        return []
    for forward in (True, False):
        ways = _heaviest(row, weights, index[cause], forward)
        for node in alarmed:
            edges = _follow(ways, index[node])
            if edges:
                return [_path_edge(row, weights, edge) for edge in edges]
    return []


def _heaviest(
    row: FrameRow, weights: Sequence[float], cause: int, forward: bool
) -> dict[int, tuple[int, int]]:
    """For each node with a way to the cause.

    (edge to take, next node). Dijkstra from the cause, backwards.
    """
    links: dict[int, list[_Link]] = {}
    for edge, (source, target) in enumerate(row.edges.tolist()):
        near, far = (target, source) if forward else (source, target)
        cost = _HOP_COST - math.log(max(_LEAST_WEIGHT, min(1.0, float(weights[edge]))))
        links.setdefault(near, []).append((edge, cost, far))
    best = {cause: 0.0}
    ways: dict[int, tuple[int, int]] = {}
    queue = [(0.0, cause)]
    while queue:
        cost, node = heapq.heappop(queue)
        if cost > best[node]:
            continue
        for edge, more, far in links.get(node, ()):
            if cost + more < best.get(far, math.inf):
                best[far] = cost + more
                ways[far] = (edge, node)
                heapq.heappush(queue, (cost + more, far))
    return ways


def _follow(ways: dict[int, tuple[int, int]], node: int) -> list[int]:
    edges = []
    while node in ways:
        edge, node = ways[node]
        edges.append(edge)
    return edges


def _path_edge(row: FrameRow, weights: Sequence[float], edge: int) -> PathEdge:
    source, target = row.edges[edge].tolist()
    return PathEdge(source=row.nodes[source], target=row.nodes[target], weight=float(weights[edge]))


def blast_radius(cause: str, row: FrameRow, alerts: Iterable[Alert]) -> list[str]:
    """Nodes in trouble that reach the cause along calls, the nearest first.

    The cause itself is not among them.
    """
    index = index_of(row)
    if cause not in index:
        return []
    edges = row.edges.astype(np.int64)
    far = hops(len(row.nodes), edges[:, 1], edges[:, 0], np.array([index[cause]], np.int64))
    hit = np.flatnonzero((far > 0) & troubled_nodes(row, alerts)).tolist()
    return [row.nodes[node] for node in sorted(hit, key=lambda node: (far[node], row.nodes[node]))]


def _book(runbook: str, pattern: str) -> tuple[str, str | None]:
    """The title of a runbook and its page: it is a page's address, or says itself what to do."""
    return (f"Follow the runbook of {pattern}", runbook) if "://" in runbook else (runbook, None)


def action_plan(cause: str, signal: str | None, silent: bool, alerts: Iterable[Alert]) -> list[Action]:
    """The runbooks of the patterns that matched, then a plain check of the cause; from fixed lists only."""
    books = {alert.runbook: alert for alert in reversed(tuple(alerts)) if alert.runbook}
    steps: list[tuple[str, str, str, str | None]] = [
        ("runbook", alert.node, *_book(book, alert.pattern))
        for book, alert in sorted(books.items(), key=lambda pair: pair[1].order)
    ]
    check = _SILENT_CHECK if silent else _CHECKS.get(signal or "other", _CHECKS["other"])
    steps.append(("check", cause, check.format(node=cause), None))
    return [
        Action(step=number, kind=kind, target=target, title=title, url=url)
        for number, (kind, target, title, url) in enumerate(steps, start=1)
    ]
