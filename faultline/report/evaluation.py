"""The page of an evaluation: what `faultline model evaluate` found, with plots. Pure: a study in, a view out;
evaluation.html.j2 writes it down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from faultline.words import clock, plural

if TYPE_CHECKING:
    from gnn.evaluation.metrics import Accuracy, Interval, Trust
    from gnn.evaluation.study import Failure, Group, Slice, Study, Versus

MODEL: Final = "model"
WIDTH: Final = 460.0
_LABELS, _RIGHT, _TOP, _BOTTOM, _ROW = 176.0, 14.0, 8.0, 24.0, 21.0
_SIDE, _EDGE = 240.0, 34.0
_OFFSET: Final = 4.0
SLICES: Final = {
    "kind": "by kind of fault",
    "size": "by size of the graph",
    "missing": "by share of missing values",
    "shows": "by whether the fault shows",
    "ticks": "by ticks after the fault shows",
    "traced": "the same where its own node deviates by then",
    "delay": "by time after the fault shows",
}


@dataclass(frozen=True)
class Mark:
    """A mean and its interval, placed: px along the axis, px down; `own`: it is the model's."""

    x: float
    left: float
    right: float
    y: float
    own: bool
    title: str


@dataclass(frozen=True)
class Line:
    """A row of a plot: its label, px down, its marks."""

    label: str
    y: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Plot:
    """Shares between 0 and 1 with intervals, a row each; `rival`: what the second mark of a row is."""

    caption: str
    rival: str
    lines: tuple[Line, ...]
    height: float
    ticks: tuple[tuple[float, str], ...]
    width: float = WIDTH
    labels: float = _LABELS
    top: float = _TOP


@dataclass(frozen=True)
class Point:
    """A tenth of the confidence, placed; `size`: px, by the number of answers."""

    x: float
    y: float
    size: float
    title: str


@dataclass(frozen=True)
class Reliability:
    """Confidence across, share right up; `ticks`: (px across, px up, label)."""

    points: tuple[Point, ...]
    ticks: tuple[tuple[float, float, str], ...]
    side: float = _SIDE
    edge: float = _EDGE


@dataclass(frozen=True)
class Cells:
    """A row of the table: name, node cells, pair cells; `own`: it is the model."""

    name: str
    cells: tuple[str, ...]
    own: bool


@dataclass(frozen=True)
class SetView:
    """One set."""

    name: str
    about: str
    table: tuple[Cells, ...]
    lines: tuple[str, ...]
    plots: tuple[Plot, ...]
    reliability: Reliability
    failures: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class EvaluationView:
    """The page."""

    title: str
    subtitle: str
    verdict: str | None
    bad: bool
    counts: tuple[tuple[str, str], ...]
    sets: tuple[SetView, ...]


def evaluation_view(study: Study) -> EvaluationView:
    """The page of a study."""
    faults = sum(group.faults for group in study.groups)
    trees = study.trees
    told = "left out" if trees is None else f"{trees['systems']} systems, {trees['nodes']:,} nodes"
    return EvaluationView(
        title=study.bundle["name"],
        subtitle=f"sha256 {study.bundle['sha256'][:16]}",
        verdict=verdict_of(study),
        bad=bool(study.worse),
        counts=(
            ("sets", str(len(study.groups))),
            ("faults", f"{faults:,}"),
            ("trees trained on", told),
        ),
        sets=tuple(_set(group) for group in study.groups),
    )


def verdict_of(study: Study) -> str | None:
    """How the bundle stands against the other, in a sentence; None where there is none."""
    if study.against is None or study.together is None:
        return None
    worse = ", ".join(study.worse)
    verdict = f"worse beyond noise ({worse})" if worse else "not worse beyond noise"
    return f"{verdict}; all sets together {versus_line(study.together)}"


def _set(group: Group) -> SetView:
    rows = [(row.name, [(row.name, row.node.ac1)]) for row in group.rows]
    plots = [_plot("AC@1", "", rows)]
    for by, caption in SLICES.items():
        parts = [each for each in group.slices if each.by == by]
        if len(parts) > 1:
            plots.append(_plot(f"AC@1 {caption}", group.best.other, _slice_rows(parts, group.best.other)))
    return SetView(
        name=group.name,
        about=heading(group),
        table=tuple(
            Cells(row.name, (*cells(row.node), *pair_cells(row.pair)), row.name == MODEL)
            for row in group.rows
        ),
        lines=tuple(findings(group)),
        plots=tuple(plots),
        reliability=reliability(group.trust),
        failures=tuple(failure_cells(each) for each in group.failures),
    )


def _slice_rows(parts: Iterable[Slice], rival: str) -> list[tuple[str, list[tuple[str, Interval]]]]:
    return [
        (f"{each.value} ({each.cases})", [(name, each.ac1[name]) for name in (MODEL, rival)])
        for each in parts
    ]


def _plot(caption: str, rival: str, rows: Sequence[tuple[str, Sequence[tuple[str, Interval]]]]) -> Plot:
    lines = []
    for number, (label, marks) in enumerate(rows):
        y = _TOP + (number + 0.5) * _ROW
        first = y - _OFFSET * (len(marks) - 1) / 2
        placed = [_mark(name, value, first + _OFFSET * place) for place, (name, value) in enumerate(marks)]
        lines.append(Line(label, y, tuple(placed)))
    height = _TOP + len(rows) * _ROW + _BOTTOM
    return Plot(caption, rival, tuple(lines), height, tuple((_x(k / 4), f"{k / 4:.2g}") for k in range(5)))


def _mark(name: str, value: Interval, y: float) -> Mark:
    title = f"{name}: {with_interval(value)}"
    return Mark(_x(value.mean), _x(value.low), _x(value.high), y, name == MODEL, title)


def _x(share: float) -> float:
    return _LABELS + min(1.0, max(0.0, share)) * (WIDTH - _LABELS - _RIGHT)


def reliability(trust: Trust) -> Reliability:
    """The calibration, placed."""
    span = _SIDE - 2 * _EDGE
    most = max((each.cases for each in trust.bins), default=1)
    points = tuple(
        Point(
            _EDGE + each.confidence * span,
            _SIDE - _EDGE - each.right * span,
            3 + 7 * math.sqrt(each.cases / most),
            f"{plural(each.cases, 'answer')}: confidence {each.confidence:.2f}, right {each.right:.2f}",
        )
        for each in trust.bins
    )
    ticks = tuple(
        (_EDGE + k / 4 * span, _SIDE - _EDGE - k / 4 * span, f"{k / 4:.2g}") for k in range(0, 5, 2)
    )
    return Reliability(points, ticks)


def heading(group: Group) -> str:
    """How many faults a set has, and what is not seen of them."""
    text = plural(group.faults, "fault")
    if group.hidden:
        text += f", of which {group.hidden} never show"
    return text + (f"; {group.unseen} more at nodes without any series" if group.unseen else "")


def cells(accuracy: Accuracy) -> tuple[str, ...]:
    """AC@1, AC@3, AC@5, Avg@5 as text."""
    return (
        with_interval(accuracy.ac1),
        f"{accuracy.ac3.mean:.2f}",
        f"{accuracy.ac5.mean:.2f}",
        with_interval(accuracy.avg5),
    )


def pair_cells(accuracy: Accuracy | None) -> tuple[str, str, str]:
    """AC@1, AC@3 and Avg@5 of node and signal as text; `-` where signals are not ranked or not known."""
    if accuracy is None:
        return "-", "-", "-"
    return with_interval(accuracy.ac1), f"{accuracy.ac3.mean:.2f}", f"{accuracy.avg5.mean:.2f}"


def with_interval(value: Interval) -> str:
    """`0.58 (0.49-0.66)`."""
    return f"{value.mean:.2f} ({value.low:.2f}-{value.high:.2f})"


def findings(group: Group) -> list[str]:
    """What follows from a set's table, in lines."""
    trust = group.trust
    hidden = f"; mean {group.hidden_confidence:.2f} where nothing shows" if group.hidden else ""
    lines = [
        *(versus_line(each) for each in (group.best, *group.graph)),
        f"confidence: calibration error {trust.error:.2f}, mean {trust.confidence:.2f},"
        f" right {trust.right:.2f}{hidden}",
    ]
    for by in ("ticks", "delay"):
        late = [each for each in group.slices if each.by == by]
        if late:
            told = ", ".join(f"{each.value} {each.ac1[MODEL].mean:.2f}" for each in late)
            lines.append(f"AC@1 {SLICES[by]}: {told} ({plural(late[0].cases, 'fault')})")
    if not math.isnan(group.signal.mean):
        lines.append(f"signal of the true node right: {with_interval(group.signal)}")
    if group.against is not None:
        lines.append(versus_line(group.against))
    if group.twin is not None:
        twin, other = group.twin.difference, group.twin.other
        lines.append(
            f"than on the same faults of {other}: AC@1 {signed(twin.ac1)} ({plural(twin.cases, 'fault')})"
        )
    return lines


def late_rows(group: Group) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """AC@1 by ticks after the fault shows, and of those faults whose own node deviates by then: the head of a
    table, and a row for each that was asked; no rows where nothing shows.
    """
    late = [each for each in group.slices if each.by in ("ticks", "traced")]
    named = [("" if each.by == "ticks" else "traced, ") + f"{each.value} ({each.cases})" for each in late]
    head = ("AC@1 after the fault shows", *named)
    names = [row.name for row in group.rows] if late else []
    return head, [(name, *(f"{each.ac1[name].mean:.2f}" for each in late)) for name in names]


def versus_line(versus: Versus) -> str:
    """`against NAME: AC@1 +0.12 (+0.03 to +0.21), Avg@5 ...`."""
    told = versus.difference
    level = "" if told.level == 0.95 else f" at {told.level:.1%}"
    return f"against {versus.other}: AC@1 {signed(told.ac1)}, Avg@5 {signed(told.avg5)}{level}"


def signed(value: Interval) -> str:
    """`+0.12 (+0.03 to +0.21)`."""
    return f"{value.mean:+.2f} ({value.low:+.2f} to {value.high:+.2f})"


def failure_cells(failure: Failure) -> tuple[str, ...]:
    """Where and when, the fault, where it ranked, how sure the model was, what it told instead."""
    shown = "" if failure.shows else ", never shows"
    return (
        f"{failure.source} {clock(failure.start)}",
        f"{failure.node} {failure.signal or '-'} ({failure.kind}{shown})",
        f"{failure.rank} of {failure.nodes}",
        f"{failure.confidence:.2f}",
        ", ".join(f"{each.node} {each.signal} {each.score:.2f}" for each in failure.told),
    )
