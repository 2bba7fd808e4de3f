"""The lines of `faultline decode` for people. Imports this package only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from faultline.words import clock, number, plural


def in_words(line: Mapping[str, Any]) -> str:
    """A line of the answer for people."""
    kind = line["type"].replace("_", " ")
    return f"{line['record']:>3}  {kind:<11}  {' '.join(_parts(line))}".rstrip()


def _parts(line: Mapping[str, Any]) -> Iterable[str]:
    if line["type"] == "sample":
        yield from _sample_parts(line)
    elif line["type"] == "series":
        yield from _series_parts(line)
    elif line["type"] == "unmapped":
        yield f"{line['metric']}  {_often(line)}"
    elif line["type"] == "edge":
        yield f"{line['graph']}  {line['source']} -> {line['target']}  {clock(line['time'])}"
    else:
        detail = line.get("detail")
        yield line["reason"] + (f": {detail}" if detail else "")


def _name(line: Mapping[str, Any]) -> str:
    peer = f"{line['peer']} -> " if line.get("peer") else ""
    labels = ",".join(f"{name}={value}" for name, value in (line.get("labels") or {}).items())
    return f"{line['graph']}/{peer}{line['node']}  {line['metric']}" + (f"{{{labels}}}" if labels else "")


def _series_parts(line: Mapping[str, Any]) -> Iterable[str]:
    """What the series is taken for: signal, kind, unit with its factor to the base unit, the rule."""
    yield _name(line)
    if line["dropped"]:
        yield f" dropped  by {line['rule']}"
        return
    if line["makes"]:
        made = (f"{each['metric']} ({each['signal']})" for each in line["makes"] if each["term"] != "none")
        yield f"-> {', '.join(made)} "
    unit = line["unit"] or "no unit"
    factor = "" if line["factor"] == 1 else f" x {line['factor']:.10g}"
    yield f" {line['signal']}  {line['kind']}  {unit}{factor if line['unit_known'] else ' (unknown, x 1)'} "
    by = f"by {line['rule']}" if line["rule"] else "declared"
    yield by if line["mapped"] else "no rule" + (f"; its kind {by}" if line["rule"] else "")


def _often(line: Mapping[str, Any]) -> str:
    shape = "histogram, " if line["histogram"] else ""
    return f"{shape}{number(line['series'])} series, {plural(line['samples'], 'sample')}"


def to_map(unmapped: Sequence[Mapping[str, Any]]) -> str:
    """What no rule knows, most series first, as a rules file to begin with."""
    width = max(len(line["stub"]) for line in unmapped)
    stubs = (f"{line['stub']:<{width}}  # {_often(line)}" for line in unmapped)
    head = f"{plural(len(unmapped), 'name')} that no rule knows; to map, put into a rules file and correct:"
    keys = "# signal: what it measures; unit: s, ms, By, %, 1 ...; kind: gauge, counter, histogram"
    return "\n".join((head, *stubs, keys))


def _sample_parts(line: Mapping[str, Any]) -> Iterable[str]:
    yield _name(line)
    yield f"= {line['value']:.10g}" + (f" {line['unit']}" if line.get("unit") not in (None, "1") else "")
    yield f" {clock(line['time'])} "
    said: Sequence[Any] = [line.get(name) for name in ("signal", "kind", "side")]
    yield from (str(each) for each in said if each)
    if line.get("z") is not None:
        yield f"z {number(line['z'])}"
    yield from (f"trace {each['trace_id']}" for each in line.get("exemplars") or ())
