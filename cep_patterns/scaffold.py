"""New patterns to begin with: for each family a commented file and its test, which pass as they are.

What differs between families is data here; the comments are the same for all. Pure: text out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

import yaml

from records.errors import UsageError

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Family:
    """What a family's new pattern watches: the pieces of its file, and of its test, as YAML."""

    about: str
    misses: str
    key: str
    steps: str
    within: str
    severity: str
    tests: str
    after_match: str = "skip_past_last"


_HIGH: Final = """- name: {name}
  where: {where}
  times: {times}             # so many in a row, since one value far out is mostly noise
  consecutive: true
"""
_SERIES: Final = (
    '{{series: \'{metric}{{node="cart",signal="{signal}",unit="{unit}"}}\', values: \'{values}\'}}'
)


def _sustained(about: str, signal: str, unit: str, where: str, values: tuple[str, str, str]) -> Family:
    """A family that wants two values in a row; `values`: of the match, the near miss, the silence."""
    metric = f"my_{signal}"
    match, near, quiet = (
        _SERIES.format(metric=metric, signal=signal, unit=unit, values=each) for each in values
    )
    return Family(
        about=about,
        misses="what lasts for one value only",
        key="series",
        steps=_HIGH.format(name="high", where=where, times=2),
        within="10m",
        severity="warning",
        tests=f"""- name: two values in a row
  kind: match
  input_series:
  - {match}
  expect:
  - {{at: 31m, node: cart, steps: {{high: [30m, 31m]}}}}
- name: one value only
  kind: near_miss
  input_series:
  - {near}
  expect: []
- name: as it always was
  kind: silence
  input_series:
  - {quiet}
  expect: []
""",
    )


FAMILIES: Final[dict[str, Family]] = {
    "saturation": _sustained(
        "A pool, queue or disk is nearly full, whatever it is used to.",
        "saturation",
        "%",
        'signal == "saturation" and unit == "%" and value > 90',
        ("50x29 95x1 50x3", "50x29 95 50x3", "[70 85 89]x12"),
    ),
    "latency": _sustained(
        "A node is far slower than it is used to.",
        "latency",
        "ms",
        'signal == "latency" and peer is None and z > 10 and rel > 0.5',
        ("[48 50 52]x10 300x1 50x3", "[48 50 52]x10 300 50x3", "[40 400 60 250 90]x10"),
    ),
    "errors": _sustained(
        "A node fails far more often than it is used to.",
        "errors",
        "1/s",
        'signal == "errors" and z >= 8 and rel > 0.5',
        ("0x29 2x1 0x3", "0x29 2 0x3", "[0.2 0 0.4 0.1]x12"),
    ),
    "traffic": _sustained(
        "A node gets far fewer requests than it is used to.",
        "traffic",
        "1/s",
        'signal == "traffic" and z < -6 and rel < -0.7',
        ("[98 100 102]x10 10x1 100x3", "[98 100 102]x10 10 100x3", "[100 0 0 20]x12"),
    ),
    "availability": _sustained(
        "Fewer requests succeed than a promise allows.",
        "availability",
        "%",
        'signal == "availability" and unit == "%" and value < 99',
        ("100x29 97x1 100x3", "100x29 97 100x3", "[99.5 100 99.9]x12"),
    ),
    "restarts": Family(
        about="A node starts again and again: three restarts within a quarter of an hour.",
        misses="a single restart, which a release causes as well",
        key="series",
        steps="""- name: started
  where: signal == "restarts" and value > 0
  times: 3             # not in a row: quiet values may lie between
""",
        within="15m",
        severity="critical",
        tests="""- name: three restarts
  kind: match
  input_series:
  - {series: 'my_restarts{node="cart",signal="restarts",unit="1"}', values: '0x4 1 0x2 1 0x2 1 0'}
  expect:
  - {at: 13m, node: cart, steps: {started: [5m, 9m, 13m]}}
- name: two restarts
  kind: near_miss
  input_series:
  - {series: 'my_restarts{node="cart",signal="restarts",unit="1"}', values: '0x4 1 0x2 1 0x20'}
  expect: []
- name: the third comes too late
  kind: timeout
  input_series:
  - {series: 'my_restarts{node="cart",signal="restarts",unit="1"}', values: '0x4 1 0x2 1 0x20 1'}
  expect: []
  timeouts:
  - {at: 20m, node: cart}
  - {at: 24m, node: cart}
  - {at: 46m, node: cart}
""",
    ),
    "silence": Family(
        about="A node that sent requests every minute sends nothing for five.",
        misses="a node that sends less often than every five minutes anyway",
        key="series",
        steps="""- {name: alive, where: signal == "traffic" and value > 0}
- name: again
  where: signal == "traffic"
  contiguity: not_followed_by      # what must not come; within decides it
""",
        within="5m",
        severity="critical",
        tests="""- name: nothing comes any more
  kind: match
  input_series:
  - {series: 'my_requests{node="cart",signal="traffic",unit="1/s"}', values: '10x3'}
  expect:
  - {at: 8m, node: cart, steps: {alive: [3m]}}
- name: a pause of four minutes is none, the end is one
  kind: match
  input_series:
  - {series: 'my_requests{node="cart",signal="traffic",unit="1/s"}', values: '10x3 _x3 10'}
  expect:
  - {at: 12m, node: cart, steps: {alive: [7m]}}
- name: a node without traffic falls silent
  kind: near_miss
  input_series:
  - {series: 'my_requests{node="cart",signal="traffic",unit="1/s"}', values: '0x5'}
  expect: []
- name: another signal says nothing about traffic
  kind: silence
  input_series:
  - {series: 'my_cpu{node="cart",signal="cpu",unit="%"}', values: '10x3'}
  expect: []
""",
        after_match="no_skip",
    ),
    "topology": Family(
        about="A node fails, and then one that calls it is slow.",
        misses="slowness that came first",
        key="graph",
        steps="""- {name: failing, where: pattern == "error-deviation"}
- name: slow
  where: pattern == "latency-deviation" and calls(node, first(failing).node)
""",
        within="10m",
        severity="critical",
        tests="""- name: the caller of a failing node is slow
  kind: match
  topology: [{source: web, target: cart}]
  input_series: &both
  - {series: 'errors{node="cart",signal="errors",unit="1/s"}', values: '0x29 2x2 0x3'}
  - {series: 'latency{node="web",signal="latency",unit="ms"}', values: '50x32 400+1x2 50x3'}
  expect:
  - {at: 35m, node: web}
- name: the slow node does not call the failing one
  kind: near_miss
  topology: [{source: cart, target: web}]
  input_series: *both
  expect: []
""",
        after_match="no_skip",
    ),
}
"""By name, what `faultline pattern new --family` offers."""

_PATTERN: Final = """id: {id}
version: 1                  # raise it with every change of meaning; `faultline pattern lock` holds you to it
maturity: experimental      # experimental | production | deprecated
owner: {owner}
description: >-
  {about}
misses:                     # what it is known not to see: the next reader's first question
- {misses}
key: {key}{key_comment}
# A condition may look at value, signal, metric, node, peer, unit, labels["x"]; at z, rel, baseline, spread,
# delta (what the series is used to); at earlier steps: first(s).value, last(s).value, count(s), avg(s.value).
steps:
{steps}within: {within}                 # from the first sample to the last
after_match: {after_match}{after_comment}
severity: {severity}
runbook: https://runbooks.example.org/{id}
"""
_AFTER: Final = {
    "skip_past_last": " # one match for samples that belong together",
    "no_skip": "        # every match, as soon as it is there",
}
_KEYS: Final = {
    "series": "                 # one run follows: series | node | graph",
    "graph": "                  # over the matches and edges of a whole graph; series | node | graph",
}
_TEST: Final = """# `faultline pattern test` runs this on the production engine.
# 100x3 is 100 and three times more, [1 2]x3 repeats, _ is a sample that is missing.
# `expect` lists all matches; no others may come.
{files}interval: 60s
tests:
{tests}"""
_BESIDE: Final = """# Patterns whose matches it looks at; what they find themselves is not compared.
beside: [{library}/error-deviation.yaml, {library}/latency-deviation.yaml]
"""


def scaffold(id_: str, family: str, *, owner: str, library: str) -> tuple[str, str]:
    """The pattern's file and its test's; `library`: the shipped patterns as seen from the new file's folder.

    UsageError where the id or the family is none.
    """
    if not _ID.fullmatch(id_):
        raise UsageError(
            f"{id_!r} is no id: letters, digits, '.', '_' and '-', at most 100",
            "choose another, as slow-checkout",
        )
    if family not in FAMILIES:
        raise UsageError(f"no family {family!r}", f"use one of {', '.join(FAMILIES)}")
    one = FAMILIES[family]
    pattern = _PATTERN.format(
        id=_scalar(id_),
        owner=_scalar(owner),
        about=one.about,
        misses=one.misses,
        key=one.key,
        key_comment=_KEYS[one.key],
        steps=one.steps,
        within=one.within,
        after_match=one.after_match,
        after_comment=_AFTER[one.after_match],
        severity=one.severity,
    )
    files = _BESIDE.format(library=library) if one.key == "graph" else ""
    return pattern, _TEST.format(files=files, tests=one.tests)


def _scalar(text: str) -> str:
    """The text as YAML reads it back: in quotes where it would be a number, a date or a truth value."""
    try:
        return text if yaml.safe_load(text) == text else json.dumps(text)
    except yaml.YAMLError:
        return json.dumps(text)
