"""Why a node is a candidate: sentences with their figures, from the frame rows and alerts that were scored.

Owns the wording; imports records, numpy and jobs.signs. `rows` are the window's frame rows, oldest first,
never empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from jobs.alerts import Alert
from jobs.signs import ANOMALOUS_Z, BASELINE_N, FROZEN, LEVEL, REL, SHARE, Z, column
from records.frames import EDGE_SERIES, SILENT, FrameRow
from records.incidents import Evidence
from records.signals import SIGNALS, Signal

MAX_DEVIATIONS: Final = 4
ABSENT_TICKS: Final = 3
"""A known signal without a value for so many ticks is worth a sentence."""
_KNOWN_AFTER: Final = 5
_REL_BOUND: Final = 3.99
"""rel is cut at 4: beyond this the factor is only known to be larger."""
_UNITS: Final = {"latency": "s"}
"""Base units of signals whose unit is the same everywhere."""


@dataclass(frozen=True)
class Deviation:
    """A signal of a node out of its usual range.

    Since the start (ms) of its latest run of anomalous ticks.
    """

    signal: Signal
    z: float
    rel: float
    level: float
    since: int
    since_before: bool


def clock(time: int) -> str:
    """`10:02:30 UTC` for ms."""
    return f"{datetime.fromtimestamp(time / 1000, tz=UTC):%H:%M:%S} UTC"


def evidence_for(node: str, rows: Sequence[FrameRow], alerts: Sequence[Alert]) -> list[Evidence]:
    """What speaks for `node`, the strongest first; what is missing comes last."""
    return [
        *_silence(node, rows[-1]),
        *(_deviation_sentence(node, each) for each in deviations(node, rows)[:MAX_DEVIATIONS]),
        *_calls(node, rows[-1]),
        *matches_of(node, alerts),
        *_missing(node, rows),
    ]


def deviations(node: str, rows: Sequence[FrameRow]) -> list[Deviation]:
    """The node's signals that were out of their usual range in the window, the largest |z| first."""
    cells = column(rows, node)
    with np.errstate(invalid="ignore"):
        beyond = (cells[..., SHARE] > 0) & ((np.abs(cells[..., Z]) > ANOMALOUS_Z) | (cells[..., FROZEN] > 0))
    found = [
        _run(SIGNALS[signal], beyond[:, signal], cells[:, signal], rows)
        for signal in np.flatnonzero(beyond.any(0)).tolist()
    ]
    return sorted(found, key=lambda each: (-abs(each.z), each.signal))


def _run(signal: Signal, beyond: NDArray[Any], cells: NDArray[Any], rows: Sequence[FrameRow]) -> Deviation:
    last = int(np.flatnonzero(beyond)[-1])
    first = last
    while first > 0 and beyond[first - 1]:
        first -= 1
    worst = first + int(np.abs(cells[first : last + 1, Z]).argmax())
    return Deviation(
        signal=signal,
        z=float(cells[worst, Z]),
        rel=float(cells[worst, REL]),
        level=float(cells[worst, LEVEL]),
        since=rows[first].time - rows[first].tick_ms,
        since_before=first == 0,
    )


def silent_since(node: str, row: FrameRow) -> int | None:
    """When the node's last tick with a frame ended, ms; None where it is not silent."""
    if node not in row.nodes:
        return None
    place = row.nodes.index(node)
    return row.time - int(row.age[place]) * row.tick_ms if row.presence[place] == SILENT else None


def onset_of(node: str, rows: Sequence[FrameRow], alerts: Sequence[Alert]) -> int:
    """When it began, ms: the earliest of the alerts' first samples and the node's own anomalous ticks."""
    own = [each.since for each in deviations(node, rows)] if rows else []
    silent = silent_since(node, rows[-1]) if rows else None
    return min([*(alert.start for alert in alerts), *own, *([] if silent is None else [silent])])


def _silence(node: str, row: FrameRow) -> Iterator[Evidence]:
    since = silent_since(node, row)
    if since is not None:
        yield Evidence(kind="silence", text=f"{node} fell silent: no value since {clock(since)}", time=since)


def _deviation_sentence(node: str, each: Deviation) -> Evidence:
    usual = abs(each.level)
    what = "unavailability" if each.signal == "availability" else each.signal
    change = times_usual(each.rel) if usual > 0 else "up from zero"
    when = f"{'at least since' if each.since_before else 'since'} {clock(each.since)}"
    return Evidence(
        kind="deviation",
        text=f"{what} of {node} is {change} {when} (z {each.z:+.1f})",
        signal=each.signal,
        value=usual * math.exp(each.rel) if usual > 0 else None,
        baseline=usual,
        z=each.z,
        unit=_UNITS.get(each.signal),
        time=each.since,
    )


def times_usual(rel: float) -> str:
    """`8.2 times its usual`, `63% below its usual`, `12% above its usual` for a log ratio."""
    factor = math.exp(rel)
    if rel >= _REL_BOUND:
        return f"more than {factor:.0f} times its usual"
    if factor >= 2:
        return f"{factor:.1f} times its usual"
    return f"{abs(factor - 1) * 100:.0f}% {'above' if rel >= 0 else 'below'} its usual"


def _calls(node: str, row: FrameRow) -> Iterator[Evidence]:
    """What callers see of the node, where it is beyond the usual."""
    if node not in row.nodes or not len(row.edges):
        return
    for edge in np.flatnonzero(row.edges[:, 1] == row.nodes.index(node)).tolist():
        caller = row.nodes[int(row.edges[edge, 0])]
        for kind, (z, rel, share) in zip(EDGE_SERIES, row.edge_frames[edge].tolist(), strict=True):
            if share > 0 and abs(z) > ANOMALOUS_Z:
                text = f"{kind.replace('_', ' ')} of calls from {caller} is {times_usual(rel)} (z {z:+.1f})"
                yield Evidence(kind="calls", text=text, peer=caller, z=z)


def matches_of(node: str, alerts: Sequence[Alert]) -> list[Evidence]:
    """The alarms that the node itself raised; those of one pattern on several series or calls are one."""
    raised: dict[tuple[str, int, str | None], list[Alert]] = {}
    for alert in alerts:
        if alert.node == node:
            raised.setdefault((alert.pattern, alert.version, alert.signal), []).append(alert)
    return [_match_sentence(each) for each in raised.values()]


def _match_sentence(alerts: Sequence[Alert]) -> Evidence:
    first = min(alerts, key=lambda alert: alert.order)
    peers = sorted({alert.peer for alert in alerts if alert.peer is not None})
    what = f" on {first.signal}" if first.signal else ""
    calls = f" of calls from {', '.join(peers)}" if peers else ""
    series = f" ({len(alerts)} series)" if len(alerts) > max(1, len(peers)) else ""
    text = f"pattern {first.pattern} v{first.version} matched{what}{calls} at {clock(first.time)}{series}"
    return Evidence(
        kind="match",
        text=text,
        signal=first.signal,
        peer=peers[0] if len(peers) == 1 else None,
        time=first.time,
    )


def _missing(node: str, rows: Sequence[FrameRow]) -> Iterator[Evidence]:
    """Signals that the node is known to have and that gave no value lately, though the node itself did."""
    cells = column(rows, node)
    if len(cells) < ABSENT_TICKS or not np.isfinite(cells[-ABSENT_TICKS:]).all():
        return
    known = cells[-1, :, BASELINE_N] >= _KNOWN_AFTER
    for signal in np.flatnonzero(known & (cells[-ABSENT_TICKS:, :, SHARE] <= 0).all(0)).tolist():
        present = np.flatnonzero(np.nan_to_num(cells[:, signal, SHARE]) > 0)
        since = rows[int(present[-1])].time if len(present) else rows[0].time - rows[0].tick_ms
        when = f"since {clock(since)}" if len(present) else f"at least since {clock(since)}"
        text = f"{SIGNALS[signal]} of {node} has had no value {when}"
        yield Evidence(kind="missing", text=text, signal=SIGNALS[signal], time=since)
