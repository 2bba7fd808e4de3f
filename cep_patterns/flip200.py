"""Reads the JSON form of Flink's dynamic CEP (FLIP-200: nodes, edges, quantifiers, conditions) as a document.

Conditions of type EXPRESSION and AVIATOR are taken where they are expressions of this language, but for `&&`,
`||`, `!` and `nil`; those that name a Java class or a script are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from records.errors import PatternError

_EDGES: Final = {
    "STRICT": "next",
    "SKIP_TILL_NEXT": "followed_by",
    "SKIP_TILL_ANY": "followed_by_any",
    "NOT_NEXT": "not_next",
    "NOT_FOLLOW": "not_followed_by",
}
_SKIPS: Final = {
    "NO_SKIP": "no_skip",
    "SKIP_TO_NEXT": "skip_to_next",
    "SKIP_PAST_LAST_EVENT": "skip_past_last",
    "SKIP_TO_FIRST": "skip_to_first",
    "SKIP_TO_LAST": "skip_to_last",
}
_UNITS: Final = {"DAYS": "d", "HOURS": "h", "MINUTES": "m", "SECONDS": "s", "MILLISECONDS": "ms"}
_INSIDE: Final = {"STRICT": "consecutive", "SKIP_TILL_ANY": "combinations"}
_WORDS: Final = {"&&": " and ", "||": " or ", "nil": "None", "null": "None", "true": "True", "false": "False"}
_TOKENS: Final = re.compile(r"""'[^']*'|"[^"]*"|&&|\|\||!(?!=)|\b(?:nil|null|true|false)\b""")


def document_of_graph(graph: Mapping[str, Any], key: str = "series") -> dict[str, Any]:
    """The document of a pattern in FLIP-200's form; PatternError names the node that cannot be taken over."""
    skip = graph.get("afterMatchStrategy") or {"type": "NO_SKIP"}
    steps = _steps(graph)
    document: dict[str, Any] = {"id": str(graph.get("name", "")), "version": 1, "key": key, "steps": steps}
    kind = _one_of(skip.get("type"), _SKIPS, "afterMatchStrategy")
    named = kind in ("skip_to_first", "skip_to_last")
    document["after_match"] = {kind: skip.get("patternName")} if named else kind
    window = graph.get("window")
    if window:
        if window.get("type", "FIRST_AND_LAST") == "FIRST_AND_LAST":
            document["within"] = _duration(window.get("time") or window)
        else:
            _give_gap(steps, _duration(window.get("time") or window))
    return document


def _give_gap(steps: list[dict[str, Any]], gap: str) -> None:
    """A window between events belongs to the last step, as in `within` behind a whole Java pattern."""
    if "group" in steps[-1]:
        raise _refused("window", "PREVIOUS_AND_CURRENT behind a group has no effect in Flink")
    steps[-1]["within"] = gap


def _steps(graph: Mapping[str, Any]) -> list[dict[str, Any]]:
    nodes = {str(node.get("name")): node for node in graph.get("nodes") or []}
    edges = {str(edge.get("source")): edge for edge in graph.get("edges") or []}
    targets = {str(edge.get("target")) for edge in edges.values()}
    firsts = [name for name in nodes if name not in targets]
    where = str(graph.get("name", "pattern"))
    if len(firsts) != 1 or len(edges) != len(nodes) - 1:
        raise _refused(where, "its nodes are not one chain of edges")
    steps, name, contiguity = [], firsts[0], None
    while True:
        steps.append(_part(nodes[name], contiguity))
        edge = edges.get(name)
        if edge is None:
            break
        name, contiguity = str(edge.get("target")), _one_of(edge.get("type"), _EDGES, f"edge of {name}")
        if name not in nodes:
            raise _refused(where, f"an edge leads to {name!r}, which is no node")
    if len(steps) != len(nodes):
        raise _refused(where, "its nodes are not one chain of edges")
    return steps


def _part(node: Mapping[str, Any], contiguity: str | None) -> dict[str, Any]:
    name = str(node.get("name"))
    part: dict[str, Any] = {"name": name}
    if node.get("type") == "COMPOSITE" or "nodes" in node:
        part = {"group": _steps(node)}
    elif node.get("condition"):
        part["where"] = _condition(node["condition"], name)
    if contiguity and contiguity != "followed_by":
        part["contiguity"] = contiguity
    return part | _quantifier(node.get("quantifier") or {}, name)


def _quantifier(quantifier: Mapping[str, Any], name: str) -> dict[str, Any]:
    properties = set(quantifier.get("properties") or quantifier.get("details") or ["SINGLE"])
    times = quantifier.get("times")
    found: dict[str, Any] = {}
    if "LOOPING" in properties:
        least = (times or {}).get("from", 1)
        found |= {"one_or_more": True} if least == 1 else {"times": {"from": least}}
    elif "TIMES" in properties and times:
        found["times"] = {"from": times.get("from"), "to": times.get("to")}
    if found and quantifier.get("consumingStrategy") in _INSIDE:
        found[_INSIDE[quantifier["consumingStrategy"]]] = True
    found |= {flag.lower(): True for flag in ("OPTIONAL", "GREEDY") if flag in properties}
    if quantifier.get("untilCondition"):
        found["until"] = _condition(quantifier["untilCondition"], name)
    if times and times.get("windowTime"):
        found["within"] = _duration(times["windowTime"])
    return found


def _condition(condition: Mapping[str, Any], name: str) -> str:
    kind = str(condition.get("type", "")).upper()
    if kind not in ("EXPRESSION", "AVIATOR"):
        told = condition.get("className") or kind or "no type"
        raise _refused(name, f"its condition is code ({told}); write it as an expression")
    return _TOKENS.sub(_word, str(condition.get("expression", ""))).strip()


def _word(found: re.Match[str]) -> str:
    text = found.group()
    return " not " if text == "!" else _WORDS.get(text, text)


def _duration(time: Mapping[str, Any]) -> str:
    return f"{time.get('size')}{_one_of(time.get('unit'), _UNITS, 'window')}"


def _one_of(word: object, known: Mapping[str, str], place: str) -> str:
    if word not in known:
        raise _refused(place, f"{word!r} is not one of {', '.join(known)}")
    return known[str(word)]


def _refused(place: str, message: str) -> PatternError:
    return PatternError(f"{place}: {message}", "correct the JSON")
