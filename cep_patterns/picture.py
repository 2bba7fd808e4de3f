"""The automaton of a pattern as a picture: SVG, drawn without Graphviz.

States stand in columns, from left to right, each behind all that lead to it. An edge to the next column runs
between them, one that stays is a loop below its state, any other runs above all states. Pure; sizes in px.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from cep_patterns.automaton import condition, conditions
from cep_patterns.model import PatternModel

CHAR: Final = 6.8
"""Width of a character, generous."""
LINE: Final = 16
"""Height of a line of text."""
HEIGHT: Final = 32
"""Of a state's box."""
LOOP: Final = 26
"""How far the first loop hangs below its state."""
BOW: Final = 32
"""How far a second edge between two states sags below the first."""
PAD: Final = 24
ARROW: Final = 40
"""Least room for an edge between two columns, beside its words."""


@dataclass(frozen=True)
class Rect:
    """A box by its centre."""

    x: float
    y: float
    width: float
    height: float

    def meets(self, other: Rect) -> bool:
        """Whether both cover some place."""
        return (
            abs(self.x - other.x) * 2 < self.width + other.width
            and abs(self.y - other.y) * 2 < self.height + other.height
        )


@dataclass(frozen=True)
class State:
    """A state; `type` as Flink calls it: start, normal, pending, final, stop."""

    name: str
    type: str
    at: Rect


@dataclass(frozen=True)
class Edge:
    """An edge with its line, as the `d` of an SVG path, and the place of its words."""

    source: str
    target: str
    action: str
    words: str
    line: str
    at: Rect


@dataclass
class Picture:
    """What is drawn, and how large it is."""

    states: list[State]
    edges: list[Edge] = field(default_factory=list)
    width: float = 0
    height: float = 0


def layout(automaton: Mapping[str, Any]) -> Picture:
    """Where states, edges and words are; no two of states and words cover each other."""
    steps = columns(automaton)
    edges = [(each["from"], each["to"], each["action"], _words(each)) for each in automaton["edges"]]
    loops = _grouped((source, words) for source, target, _, words in edges if source == target)
    above = [each for each in edges if steps[each[1]] != steps[each[0]] + 1 and each[0] != each[1]]
    top = PAD + LINE * 2 * len(above)
    picture = Picture(_states(automaton, steps, edges, loops, top))
    for lane, edge in enumerate(above):
        _add(picture, edge, top - LINE * 2 * (lane + 1))
    for edge in edges:
        if edge not in above:
            _add(picture, edge, None)
    rects = [*(each.at for each in picture.states), *(each.at for each in picture.edges)]
    picture.width = max(each.x + each.width / 2 for each in rects) + PAD
    picture.height = max(each.y + each.height / 2 for each in rects) + PAD
    return picture


def columns(automaton: Mapping[str, Any]) -> dict[str, int]:
    """The column of each state, from 0: the longest way to it that does not go back."""
    ahead: dict[str, list[str]] = {each["name"]: [] for each in automaton["states"]}
    for edge in automaton["edges"]:
        ahead[edge["from"]].append(edge["to"])
    order: list[str] = []
    back: set[tuple[str, str]] = set()
    starts = [each["name"] for each in automaton["states"] if each["type"] == "start"]
    for name in (*starts, *ahead):
        _visit(name, ahead, order, back, [])
    column = dict.fromkeys(ahead, 0)
    for name in reversed(order):
        for target in ahead[name]:
            if (name, target) not in back:
                column[target] = max(column[target], column[name] + 1)
    return column


def _visit(
    name: str,
    ahead: Mapping[str, Sequence[str]],
    order: list[str],
    back: set[tuple[str, str]],
    way: list[str],
) -> None:
    """Notes a state behind all that it leads to, and which of its edges lead back on the way to it."""
    if name in order:
        return
    way.append(name)
    for target in ahead[name]:
        if target in way:
            back.add((name, target))
        else:
            _visit(target, ahead, order, back, way)
    way.pop()
    order.append(name)


_Plain = tuple[str, str, str, str]
"""Source, target, action, words."""


def _words(edge: Mapping[str, Any]) -> str:
    return f"{edge['action']} {condition(edge['when'])}"


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    ordered = sorted(pairs, key=lambda pair: pair[0])
    return {key: [words for _, words in group] for key, group in groupby(ordered, key=lambda pair: pair[0])}


def _wide(words: Iterable[str]) -> float:
    return max((len(each) * CHAR for each in words), default=0.0)


def _states(
    automaton: Mapping[str, Any],
    steps: Mapping[str, int],
    edges: Sequence[_Plain],
    loops: Mapping[str, Sequence[str]],
    top: float,
) -> list[State]:
    """Column by column; a column is as wide as its states and the words of their loops."""
    types = {each["name"]: each["type"] for each in automaton["states"]}
    placed: list[State] = []
    left = float(PAD)
    for column in range(max(steps.values()) + 1):
        names = [name for name in types if steps[name] == column]
        width = max(max(_wide([name]) + 20, _wide(loops.get(name, ()))) for name in names)
        y = top + HEIGHT / 2
        for name in names:
            at = Rect(left + width / 2, y, _wide([name]) + 20, HEIGHT)
            placed.append(State(name, types[name], at))
            y += HEIGHT + (LOOP + LINE * 2) * len(loops.get(name, ())) + LINE * 2
        on = [words for source, target, _, words in edges if steps[source] == column == steps[target] - 1]
        left += width + _wide(on) + ARROW
    return placed


def _add(picture: Picture, edge: _Plain, lane: float | None) -> None:
    """Adds an edge; `lane`: the height of one that runs above all states."""
    source, target, action, words = edge
    boxes = {each.name: each.at for each in picture.states}
    a, b = boxes[source], boxes[target]
    before = sum((each.source, each.target) == (source, target) for each in picture.edges)
    if lane is not None:
        line, at = _above(a, b, lane)
    elif source == target:
        line, at = _loop(a, before)
    else:
        line, at = _between(a, b, before)
    told = Edge(source, target, action, words, line, replace(at, width=_wide([words]), height=LINE))
    taken = [*boxes.values(), *(each.at for each in picture.edges)]
    picture.edges.append(replace(told, at=_free(told.at, taken)))


def _free(at: Rect, taken: Sequence[Rect]) -> Rect:
    """The first place at or below this one that nothing covers."""
    while any(at.meets(each) for each in taken):
        at = replace(at, y=at.y + LINE / 2)
    return at


def _loop(box: Rect, before: int) -> tuple[str, Rect]:
    depth = LOOP + before * (LOOP + LINE)
    bottom = box.y + box.height / 2
    half = min(box.width / 2 - 4, 14 + 6 * before)
    ends = f"{box.x - half:g} {bottom:g}", f"{box.x + half:g} {bottom:g}"
    low = bottom + depth
    line = f"M {ends[0]} C {box.x - half:g} {low:g} {box.x + half:g} {low:g} {ends[1]}"
    return line, Rect(box.x, bottom + depth * 0.75 + LINE / 2 + 2, 0, LINE)


def _between(a: Rect, b: Rect, before: int) -> tuple[str, Rect]:
    start, end = a.x + a.width / 2, b.x - b.width / 2
    middle, sag = (start + end) / 2, BOW * before
    line = f"M {start:g} {a.y:g} C {middle:g} {a.y + sag:g} {middle:g} {b.y + sag:g} {end:g} {b.y:g}"
    return line, Rect(middle, (a.y + b.y) / 2 + sag * 0.75 - LINE / 2 - 2, 0, LINE)


def _above(a: Rect, b: Rect, lane: float) -> tuple[str, Rect]:
    tops = a.y - a.height / 2, b.y - b.height / 2
    line = f"M {a.x:g} {tops[0]:g} C {a.x:g} {lane:g} {a.x:g} {lane:g} {(a.x + b.x) / 2:g} {lane:g}"
    line += f" S {b.x:g} {lane:g} {b.x:g} {tops[1]:g}"
    return line, Rect((a.x + b.x) / 2, lane - LINE / 2 - 2, 0, LINE)


_HEAD: Final = """\
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path d="M 0 0 L 8 4 L 0 8 z" fill="#334155"/></marker></defs>
<style>
text { font: 11px ui-monospace, monospace; fill: #0f172a; text-anchor: middle; }
.left { text-anchor: start; } .title { font-weight: bold; }
.edge { fill: none; stroke: #334155; marker-end: url(#tip); }
.ignore { stroke-dasharray: 1 4; } .proceed { stroke-dasharray: 6 4; }
.state { fill: #f1f5f9; stroke: #334155; } .start { stroke-width: 3; }
.final { fill: #dcfce7; stroke-width: 2; } .pending { fill: #fef9c3; } .stop { fill: #fee2e2; }
</style>
"""
_LEGEND: Final = (
    "solid: takes the sample; dotted: passes it over; dashed: takes none",
    "bold: start; green: match; yellow: match once its window ends; red: stops",
)


def svg(automaton: Mapping[str, Any], pattern: PatternModel) -> str:
    """The picture as an SVG document, with the steps' conditions below."""
    picture = layout(automaton)
    below = [*conditions(pattern), *_LEGEND]
    title = f"{pattern.id}@{pattern.version}"
    width = max(picture.width, _wide([title, *below]) + 2 * PAD)
    down = 2 * LINE
    height = down + picture.height + LINE * len(below) + PAD
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(title)}>']
    parts += [_HEAD, f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>']
    parts += [_text(title, PAD, PAD, "left title"), f'<g transform="translate(0 {down})">']
    parts += [f'<path class="edge {each.action}" d="{each.line}"/>' for each in picture.edges]
    parts += [_text(each.words, each.at.x, each.at.y + 4, "words") for each in picture.edges]
    parts += [_box(each) for each in picture.states]
    parts.append("</g>")
    for place, line in enumerate(below):
        parts.append(_text(line, PAD, down + picture.height + LINE * (place + 0.5), "left"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _box(state: State) -> str:
    at = state.at
    corner = f'x="{at.x - at.width / 2:g}" y="{at.y - at.height / 2:g}"'
    shape = f'<rect class="state {state.type}" {corner} width="{at.width:g}" height="{at.height:g}" rx="8"/>'
    return shape + _text(state.name, at.x, at.y + 4, "name")


def _text(text: str, x: float, y: float, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'
