"""Reads the JSON form of Flink's dynamic CEP (FLIP-200: nodes, edges, quantifiers, conditions) as a document.

Conditions of type EXPRESSION and AVIATOR are taken where they are expressions of this language, but for `&&`,
`||`, `!` and `nil`; those that name a Java class or a script are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from cep_patterns.short_forms import kind_of
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


def document_of_graph(graph: object, key: str = "series") -> dict[str, Any]:
    """The document of a pattern in FLIP-200's form; PatternError names the node that cannot be taken over."""
    graph = _mapping(graph, "the pattern")
    skip = _mapping(graph.get("afterMatchStrategy") or {"type": "NO_SKIP"}, "afterMatchStrategy")
    steps = _steps(graph)
    document: dict[str, Any] = {"id": str(graph.get("name", "")), "version": 1, "key": key, "steps": steps}
    kind = _one_of(skip.get("type"), _SKIPS, "afterMatchStrategy")
    named = kind in ("skip_to_first", "skip_to_last")
    document["after_match"] = {kind: skip.get("patternName")} if named else kind
    window = _mapping(graph.get("window") or {}, "window")
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
    where = str(graph.get("name", "pattern"))
    nodes = {str(node.get("name")): node for node in _mappings(graph.get("nodes"), f"nodes of {where}")}
    edges = {str(edge.get("source")): edge for edge in _mappings(graph.get("edges"), f"edges of {where}")}
    targets = {str(edge.get("target")) for edge in edges.values()}
    firsts = [name for name in nodes if name not in targets]
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
        part["where"] = _condition(_mapping(node["condition"], f"condition of {name}"), name)
    if contiguity and contiguity != "followed_by":
        part["contiguity"] = contiguity
    return part | _quantifier(_mapping(node.get("quantifier") or {}, f"quantifier of {name}"), name)


def _quantifier(quantifier: Mapping[str, Any], name: str) -> dict[str, Any]:
    given = quantifier.get("properties") or quantifier.get("details") or ["SINGLE"]
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise _refused(f"quantifier of {name}", "properties: a list of words is wanted")
    properties = set(given)
    times = _mapping(quantifier.get("times") or {}, f"times of {name}")
    found: dict[str, Any] = {}
    if "LOOPING" in properties:
        least = times.get("from", 1)
        found |= {"one_or_more": True} if least == 1 else {"times": {"from": least}}
    elif "TIMES" in properties and times:
        found["times"] = {"from": times.get("from"), "to": times.get("to")}
    inside = _INSIDE.get(str(quantifier.get("consumingStrategy")))
    if found and inside:
        found[inside] = True
    found |= {flag.lower(): True for flag in ("OPTIONAL", "GREEDY") if flag in properties}
    if quantifier.get("untilCondition"):
        until = _mapping(quantifier["untilCondition"], f"untilCondition of {name}")
        found["until"] = _condition(until, name)
    if times.get("windowTime"):
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


def _duration(raw: object) -> str:
    time = _mapping(raw, "window")
    return f"{time.get('size')}{_one_of(time.get('unit'), _UNITS, 'window')}"


def _mapping(raw: object, place: str) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise _refused(place, f"an object is wanted; this is {kind_of(raw)}")
    return raw


def _mappings(raw: object, place: str) -> list[Mapping[str, Any]]:
    if not isinstance(raw, list | None):
        raise _refused(place, f"a list is wanted; this is {kind_of(raw)}")
    return [_mapping(each, place) for each in raw or ()]


def _one_of(word: object, known: Mapping[str, str], place: str) -> str:
    if not isinstance(word, str) or word not in known:
        raise _refused(place, f"{word!r} is not one of {', '.join(known)}")
    return known[word]


def _refused(place: str, message: str) -> PatternError:
    return PatternError(f"{place}: {message}", "correct the JSON")
