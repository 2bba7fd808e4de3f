"""The automaton of a pattern, as Flink compiled it, as text and as Graphviz DOT.

Reads what `cep_patterns.gateway.automata` gives. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cep_patterns.model import (
    GroupModel,
    PartModel,
    PatternModel,
    StepModel,
    every_part,
    every_step,
    label,
)
from cep_patterns.short_forms import duration_text
from cep_patterns.unparse import unparse

_SHAPES: Final = {"final": "doublecircle", "stop": "octagon", "pending": "doubleoctagon"}
_STYLES: Final = {"take": "solid", "ignore": "dotted", "proceed": "dashed"}


def summary(pattern: PatternModel) -> list[str]:
    """The pattern in words: what a run follows, its steps with their conditions, its window."""
    within = "no window" if pattern.within_ms is None else f"within {duration_text(pattern.within_ms)}"
    lines = [f"{pattern.id}@{pattern.version}: a run follows one {pattern.key}; {within}; {_skip(pattern)}"]
    return [*lines, *_parts(pattern.steps, "  ")]


def _parts(parts: Sequence[PartModel], indent: str) -> Iterator[str]:
    for part in parts:
        if isinstance(part, GroupModel):
            yield f"{indent}group{_repeats(part)}"
            yield from _parts(part.group, indent + "  ")
        else:
            where = "any" if part.where is None else unparse(part.where)
            yield f"{indent}{part.name}: {where}{_repeats(part)}"


def _skip(pattern: PatternModel) -> str:
    kind, step = pattern.after_match.kind, pattern.after_match.step
    return f"after a match {kind.replace('_', ' ')}{f' {step}' if step else ''}"


def _repeats(part: PartModel) -> str:
    told: list[str] = []
    if part.contiguity != "followed_by":
        told.append(part.contiguity)
    if part.times is not None:
        low, high = part.times.from_, part.times.to
        told.append(f"{low} times" if low == high else f"{low} to {high or 'any'} times")
    told += [
        flag
        for flag in ("one_or_more", "optional", "greedy", "consecutive", "combinations")
        if getattr(part, flag, False)
    ]
    if part.until is not None:
        told.append(f"until {unparse(part.until)}")
    if isinstance(part, StepModel) and part.within_ms is not None:
        told.append(f"within {duration_text(part.within_ms)} of the sample before")
    return f"  ({', '.join(told)})" if told else ""


def text(automaton: Mapping[str, Any]) -> list[str]:
    """A line per state and, below it, per edge; in the order in which a match passes them."""
    edges = automaton["edges"]
    lines = []
    for state in _ordered(automaton):
        kind = "" if state["type"] == "normal" else f" ({state['type']})"
        lines.append(f"{state['name']}{kind}")
        for edge in edges:
            if edge["from"] == state["name"]:
                loop = "stays" if edge["to"] == edge["from"] else f"-> {edge['to']}"
                lines.append(f"  {edge['action']:<7} {loop}{_when(edge)}")
    return lines


def dot(automaton: Mapping[str, Any], pattern: PatternModel) -> str:
    """Graphviz text of the automaton: solid edges take a sample, dotted ones pass it over, dashed ones take
    none. `dot -Tsvg` draws it.
    """
    lines = [f"digraph {json.dumps(pattern.id)} {{", "  rankdir=LR; node [shape=circle];"]
    for state in _ordered(automaton):
        shape = _SHAPES.get(state["type"], "circle")
        bold = ", style=bold" if state["type"] == "start" else ""
        lines.append(f"  {json.dumps(state['name'])} [shape={shape}{bold}];")
    for edge in automaton["edges"]:
        words = json.dumps(f"{edge['action']} {condition(edge['when']) if edge['when'] else 'any'}")
        ends = f"{json.dumps(edge['from'])} -> {json.dumps(edge['to'])}"
        lines.append(f"  {ends} [label={words}, style={_STYLES[edge['action']]}];")
    lines.append(f"  label={_left(conditions(pattern))};")
    return "\n".join([*lines, "}"]) + "\n"


def conditions(pattern: PatternModel) -> list[str]:
    """A line per step with its condition, and per loop with what ends it."""
    names = {step.name: step.where for step in every_step(pattern.steps)}
    told = [f"{name}: {'any' if where is None else unparse(where)}" for name, where in names.items()]
    return told + [
        f"until {label(part)}: {unparse(part.until)}" for part in every_part(pattern.steps) if part.until
    ]


def _left(lines: Sequence[str]) -> str:
    """Lines as one label of DOT, each set to the left."""
    quoted = "".join(json.dumps(line)[1:-1] + "\\l" for line in lines)
    return f'"{quoted}"'


def _ordered(automaton: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The states by their distance from the start, those that are not reached last."""
    states = {each["name"]: each for each in automaton["states"]}
    queue = [name for name, each in states.items() if each["type"] == "start"]
    order: dict[str, None] = {}
    while queue:
        name = queue.pop(0)
        if name in order:
            continue
        order[name] = None
        queue += [edge["to"] for edge in automaton["edges"] if edge["from"] == name]
    return [states[name] for name in (*order, *(each for each in states if each not in order))]


def _when(edge: Mapping[str, Any]) -> str:
    return f"  {condition(edge['when'])}" if edge["when"] else "  any sample"


def condition(when: Mapping[str, Any] | None) -> str:
    """The condition of an edge in the words of the pattern: `high`, `not high`, `until high`."""
    if when is None:
        return "any"
    if "where" in when:
        return str(when["where"])
    if "until" in when:
        return f"until of {when['until']}"
    if "not" in when:
        return f"not {_bracketed(when['not'])}"
    for op in ("and", "or"):
        if op in when:
            return f" {op} ".join(_bracketed(each) for each in when[op])
    return str(when["other"])


def _bracketed(when: Mapping[str, Any] | None) -> str:
    told = condition(when)
    return f"({told})" if when and ({"and", "or"} & set(when)) else told
