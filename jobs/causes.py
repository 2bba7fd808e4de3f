"""Which nodes can be the cause of which alerts, as far as the calls and one tick's frames tell.

Trouble with answers (latency, errors, availability, silence) comes from what a node calls; trouble with load
(traffic, and what it takes to serve it) from those who call it. So a node can be the cause of an alert where
a chain of such steps leads from the alert to it over stirred nodes: those that raised an alarm, deviate or
fell silent, or have no latency and no errors to show and are called by such a one. A calm node that is called
may be one too, as the last step: a cause that is not seen itself, such as a slow network before a healthy
database. Two nodes that a common caller suffers from are not joined by it: neither is the cause of the other.
Imports numpy, records and jobs.signs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final

import numpy as np

from jobs.alerts import Alert
from jobs.signs import SHARE, Z, index_of
from records.frames import SILENT, FrameRow
from records.signals import SIGNAL_INDEX, Signal

STIRRED_Z: Final = 3.0
"""What a cascade leaves on the nodes it passes is often below what raises an alarm."""
LOAD: Final[frozenset[Signal | None]] = frozenset({"traffic", "cpu", "memory", "disk", "network", "restarts"})
"""Alarms that trouble with the answers of a callee does not raise."""
MAX_CAUSES: Final = 256
"""So many of the nearest causes of an alert are followed."""
_ANSWERS: Final = [SIGNAL_INDEX[name] for name in ("latency", "errors", "availability", "saturation")]
_SHOWN: Final = [SIGNAL_INDEX[name] for name in ("latency", "errors")]
_TRAFFIC: Final = SIGNAL_INDEX["traffic"]


class Causes:
    """The possible causes of alerts at one tick.

    `row`: the tick; None where there is none, and nothing is known. `alerts`: all whose nodes count as
    stirred, whatever the row says.
    """

    def __init__(self, row: FrameRow | None, alerts: Iterable[Alert]) -> None:
        self._index = {} if row is None else index_of(row)
        self._known: dict[tuple[str, str | None, bool], frozenset[int] | None] = {}
        self._steps: dict[int, list[int]] = {}
        self._linked = np.empty(0, bool)
        if row is not None:
            self._linked = np.zeros(len(row.nodes), bool)
            self._linked[row.edges.ravel()] = True
            self._steps = _steps(row, self._index, tuple(alerts))

    def of(self, alert: Alert) -> frozenset[int] | None:
        """Indices of the nodes that can be its cause; None where nothing is known and it may be any."""
        load = alert.signal in LOAD
        key = alert.node, alert.peer, load
        if key not in self._known:
            self._known[key] = self._found(*key)
        return self._known[key]

    def _found(self, node: str, peer: str | None, load: bool) -> frozenset[int] | None:
        places = [self._index[name] for name in (node, peer) if name is not None and name in self._index]
        if not any(self._linked[place] for place in places):
            return None
        count = len(self._linked)
        left = deque([places[0] + count * load])
        seen = {*places, *left}
        while left and len(seen) < MAX_CAUSES:
            for step in self._steps.get(left.popleft(), ()):
                if step not in seen:
                    seen.add(step)
                    left.append(step)
        return frozenset(each % count for each in seen)


def _steps(row: FrameRow, index: dict[str, int], alerts: Iterable[Alert]) -> dict[int, list[int]]:
    """From trouble to what it may come of. Node n's trouble with answers is n, with its load N + n, and a
    calm n that is called is 2 N + n, from which nothing leads on.
    """
    count = len(row.nodes)
    deviates = (row.frames[..., SHARE] > 0) & (np.abs(row.frames[..., Z]) > STIRRED_Z)
    silent = row.presence == SILENT
    alarmed = np.zeros(count, bool)
    answers = silent | deviates[:, _ANSWERS].any(1)
    load = silent | deviates[:, _TRAFFIC]
    for alert in alerts:
        if (node := index.get(alert.node)) is not None:
            alarmed[node] = True
            answers[node] |= alert.signal not in LOAD
            load[node] |= alert.signal == "traffic"
    stirred = alarmed | silent | deviates.any(1)
    source, target = row.edges[:, 0].astype(np.int64), row.edges[:, 1].astype(np.int64)
    hides = ~(row.frames[:, _SHOWN, SHARE] > 0).any(1)
    called = np.zeros(count, bool)
    called[target[stirred[source]]] = True
    stirred |= called & hides
    troubled = answers | hides
    calls = stirred[source]
    down, calm = calls & troubled[target], calls & ~troubled[target]
    up = calls & load[target]
    hurt = np.flatnonzero(answers)
    busy = np.flatnonzero(answers & load)
    links = np.concatenate(
        [
            np.stack([source[down], target[down]], 1),
            np.stack([source[calm], 2 * count + target[calm]], 1),
            np.stack([count + target[up], count + source[up]], 1),
            np.stack([count + hurt, hurt], 1),
            np.stack([busy, count + busy], 1),
        ]
    )
    steps: dict[int, list[int]] = {}
    for one, other in links.tolist():
        steps.setdefault(one, []).append(other)
    return steps
