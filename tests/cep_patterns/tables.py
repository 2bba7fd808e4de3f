"""Reads the tables `pattern | events | matches` of docs/reference-patterns.md, and plays them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cep_patterns.pattern import AfterMatch, Pattern, WithinType
from cep_patterns.rows import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference-patterns.md"
_LINE = re.compile(r"^\| `(begin.*)` \| `(.*)` \| (.*) \|$", re.M)
_NAMES = {"begin": Pattern.begin, "AfterMatch": AfterMatch, "WithinType": WithinType}


@dataclass(frozen=True)
class Line:
    """One line of a table, under its heading."""

    heading: str
    pattern: str
    events: str
    matches: str


def lines(text: str) -> Iterator[Line]:
    """Every line of every such table."""
    for section in re.split(r"^#+ ", text, flags=re.M)[1:]:
        heading = section.partition("\n")[0]
        for pattern, events, matches in _LINE.findall(section):
            yield Line(heading, pattern, events, matches)


def pattern_of(code: str) -> Pattern:
    """The pattern that a line writes short: each step takes events of the kind that its name begins with."""
    made = eval(code, {"__builtins__": {}}, dict(_NAMES))  # the project's own page
    assert isinstance(made, Pattern)
    return Pattern(tuple(_filled(made.steps)), made.options)


def _filled(steps: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in steps:
        if "group" in step:
            yield {**step, "group": list(_filled(step["group"]))}
        else:
            kind = f'kind == "{step["name"][0]}"'
            where = f"{kind} and ({step['where']})" if "where" in step else kind
            yield {**step, "where": where}


def rows_of(events: str) -> list[dict[str, Any]]:
    """The rows of events such as `a b1 b2`, one second apart."""
    return [
        {"name": name, "kind": name[0], "n": int(name[1:] or 0), "time": second * 1_000}
        for second, name in enumerate(events.split())
    ]


def told(outcome: Outcome) -> str:
    """Matches and timeouts as the page tells them."""
    found = [
        ("timeout " if each.kind == "timeout" else "")
        + "{"
        + " ".join(row["name"] for rows in each.steps.values() for row in rows)
        + "}"
        for each in outcome.found
    ]
    return ", ".join(found) or "none"
