"""The series notation of pattern tests, after promtool.

`metric{node="cart"}` and `0.1x8 0.9x8 _ stale 1+2x3`.

    1 2.5 -3      values, one per interval
    1x3           1, and 3 more
    1+2x3         1, and 3 more, each 2 larger; 1-2x3 each 2 smaller
    _  _x3        no sample; 3 times no sample
    stale         no sample: the exporter said that the series ended
    [1 2 1]x3     the values in brackets 3 times, for a rhythm

Labels graph, node, peer, side, signal, unit and kind are the sample's own fields; all others are its labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_OWN: Final = ("graph", "node", "peer", "side", "signal", "unit", "kind")
_SERIES: Final = re.compile(r"\s*([A-Za-z_:][A-Za-z0-9_.:]*)\s*(?:\{(.*)\})?\s*")
_LABEL: Final = re.compile(r'\s*([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_ITEM: Final = re.compile(rf"({_NUMBER})(?:([+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))?(?:x(\d+))?")
_GAP: Final = re.compile(r"_(?:x(\d+))?")
_GROUP: Final = re.compile(r"\[([^\[\]]*)\]x(\d+)")
MAX_VALUES: Final = 100_000


class NotationError(ValueError):
    """A text that is no series notation."""


def parse_series(text: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """(metric, the sample's own fields, labels) of `metric{node="cart",pod="a"}`."""
    found = _SERIES.fullmatch(text)
    if found is None:
        raise NotationError(f'{text!r} is no series; write metric{{node="cart"}}')
    metric, inside = found.group(1), found.group(2) or ""
    own: dict[str, str] = {}
    labels: dict[str, str] = {}
    position = 0
    while inside[position:].strip():
        label = _LABEL.match(inside, position)
        if label is None:
            raise NotationError(f'{inside[position:]!r} in {text!r} is no label; write name="value"')
        name, value = label.group(1), label.group(2).replace('\\"', '"').replace("\\\\", "\\")
        if name in own or name in labels:
            raise NotationError(f"label {name!r} appears twice in {text!r}")
        (own if name in _OWN else labels)[name] = value
        position = label.end()
    return metric, own, labels


def expand_values(text: str) -> list[float | None]:
    """The value at each interval from the start; None where there is no sample."""
    values: list[float | None] = []
    for part in _parts(text):
        values += part
        if len(values) > MAX_VALUES:
            raise NotationError(f"more than {MAX_VALUES} values")
    return values


def _parts(text: str) -> Iterator[list[float | None]]:
    position = 0
    while rest := text[position:].lstrip():
        position = len(text) - len(rest)
        group = _GROUP.match(rest)
        token = group.group(0) if group else rest.split(maxsplit=1)[0]
        yield _repeated(expand_values(group.group(1)), group.group(2)) if group else _token(token)
        position += len(token)
        if position < len(text) and not text[position].isspace():
            raise NotationError(f"{text[position:]!r}: a blank is wanted between values")


def _token(token: str) -> list[float | None]:
    if token == "stale":
        return [None]
    if gap := _GAP.fullmatch(token):
        return _repeated([None], gap.group(1) or "1")
    item = _ITEM.fullmatch(token)
    if item is None or (item.group(2) and not item.group(3)):
        raise NotationError(f"{token!r} is no value; there are 1, 1x3, 1+2x3, _, _x3, stale and [1 2]x3")
    first, step, more = float(item.group(1)), float(item.group(2) or 0), _count(item.group(3) or "0")
    return [first + step * number for number in range(more + 1)]


def _repeated(values: list[float | None], times: str) -> list[float | None]:
    if len(values) * _count(times) > MAX_VALUES:
        raise NotationError(f"more than {MAX_VALUES} values")
    return values * int(times)


def _count(digits: str) -> int:
    if len(digits) > len(str(MAX_VALUES)) or int(digits) > MAX_VALUES:
        raise NotationError(f"x{digits[:20]}: more than {MAX_VALUES} values")
    return int(digits)
