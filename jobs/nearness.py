"""Which alerts can come of one cause, as far as the calls tell.

Trouble travels along calls. Two nodes belong together where a chain of calls joins them and every node on
it is stirred: it raised an alarm, deviates, fell silent, or has no latency and no errors to show and is
called by a stirred one. Or where both call one node: a cause that is not seen itself, such as a slow network
before a healthy database. A calm caller of two troubled nodes joins nothing. A node without any call may
belong to whatever there is. Imports numpy, records and jobs.signs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from jobs.alerts import Alert
from jobs.signs import SHARE, Z, index_of
from records.frames import SILENT, FrameRow
from records.signals import SIGNAL_INDEX

STIRRED_Z: Final = 3.0
"""What a cascade leaves on the nodes it passes is often below what raises an alarm."""
_SHOWN: Final = [SIGNAL_INDEX["latency"], SIGNAL_INDEX["errors"]]
_UNKNOWN: Final = -1


class Nearness:
    """The alarmed and stirred nodes of one tick, by the cause they may share.

    `row`: the tick; None where there is none, and nothing is known. `alerts`: all whose nodes count as
    stirred, whatever the row says.
    """

    def __init__(self, row: FrameRow | None, alerts: Iterable[Alert]) -> None:
        self._index = {} if row is None else index_of(row)
        self._group = np.empty(0, np.int64) if row is None else _groups(row, self._alarmed(alerts))

    def joins(self, alert: Alert, others: Iterable[Alert]) -> bool:
        """Whether `alert` may share the cause of any of `others`."""
        own = self._groups_of(alert)
        return _UNKNOWN in own or any(
            group in own or group == _UNKNOWN for other in others for group in self._groups_of(other)
        )

    def _alarmed(self, alerts: Iterable[Alert]) -> NDArray[np.int64]:
        named = {name for alert in alerts for name in (alert.node, alert.peer) if name in self._index}
        return np.array(sorted(self._index[name] for name in named if name is not None), np.int64)

    def _groups_of(self, alert: Alert) -> set[int]:
        named = [self._index[name] for name in (alert.node, alert.peer) if name in self._index]
        return {int(self._group[place]) for place in named} or {_UNKNOWN}


def _groups(row: FrameRow, alarmed: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64 [N]: the smallest index of a node's group; -1 for a node without calls."""
    count = len(row.nodes)
    source, target = row.edges[:, 0].astype(np.int64), row.edges[:, 1].astype(np.int64)
    shows = (row.frames[:, _SHOWN, SHARE] > 0).any(1)
    stirred = _deviates(row) | (row.presence == SILENT)
    stirred[alarmed] = True
    called = np.zeros(count, bool)
    called[target[stirred[source]]] = True
    stirred |= called & ~shows
    calling = stirred[source]
    both = calling & stirred[target]
    # Place count + n stands for "calls n": those who do are joined there, n itself stirred or not.
    one = np.concatenate([source[both], source[calling]])
    other = np.concatenate([target[both], count + target[calling]])
    group = _joined(2 * count, one, other)[:count]
    linked = np.zeros(count, bool)
    linked[row.edges.ravel()] = True
    return np.where(linked, group, _UNKNOWN)


def _deviates(row: FrameRow) -> NDArray[np.bool_]:
    """bool [N]: any signal is further from its usual value in this tick than noise is."""
    beyond = (row.frames[..., SHARE] > 0) & (np.abs(row.frames[..., Z]) > STIRRED_Z)
    return np.asarray(beyond.any(1))


def _joined(count: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64 [count]: the smallest index that links lead to, from either end."""
    label = np.arange(count, dtype=np.int64)
    while True:
        least = np.minimum(label[one], label[other])
        before = label.copy()
        np.minimum.at(label, one, least)
        np.minimum.at(label, other, least)
        label = label[label]
        if np.array_equal(label, before):
            return label
