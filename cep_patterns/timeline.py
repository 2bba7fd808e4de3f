"""Says what partial matches made of samples: what was taken, what was almost taken, and what failed.

Reads what the engine traced (see `io.faultline.cep.Tracer`) and the pattern's own text. Samples that met the
same answer in the same place are one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cep_patterns import tree
from cep_patterns.gateway import Found, RunResult
from cep_patterns.model import PatternModel, every_step
from cep_patterns.unparse import unparse

MAX_LINES: Final = 40
_NAMES: Final = frozenset(
    {"signal", "metric", "node", "graph", "peer", "unit", "pattern", "kind", "severity"}
)

Clock = Callable[[int], str]


@dataclass
class _Entry:
    """Samples of one series that met the same answer in one place, in order of time."""

    first: int
    last: int
    who: str
    answer: str
    depth: int
    near: bool
    ends: bool = False
    values: list[float] = field(default_factory=list)
    seen: dict[str, list[Any]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)


def conjuncts(where: tree.Expr | None) -> list[tree.Expr]:
    """The parts of a condition that must all hold, in the order in which they are written."""
    if isinstance(where, tree.Logic) and where.op == "and":
        return [part for each in where.args for part in conjuncts(each)]
    return [] if where is None else [where]


def leaves(expr: tree.Expr) -> Iterator[tree.Expr]:
    """What a condition looks at, in the order in which it is written."""
    if isinstance(expr, (tree.Field, tree.Label, tree.Element, tree.Count, tree.Summary)):
        yield expr
    elif isinstance(expr, tree.Compare):
        yield from leaves(expr.left)
        yield from leaves(expr.right)
    elif isinstance(expr, tree.OneOf):
        yield from leaves(expr.left)
    elif isinstance(expr, tree.Not):
        yield from leaves(expr.arg)
    elif isinstance(expr, (tree.Logic, tree.Arithmetic, tree.Call)):
        for each in expr.args:
            yield from leaves(each)


def timeline(pattern: PatternModel, result: RunResult, clock: Clock) -> list[str]:
    """The lines of one pattern over one run, in order of time; the nearest miss first.

    `clock` says a time (ms UTC) to a person.
    """
    entries = [each for each in _entries(pattern, result.trace) if each.near]
    told = [(each.first, _line(each, clock)) for each in entries]
    told += [(each.ready_at, _found(each, clock)) for each in result.found if each.pattern == pattern.id]
    lines = [line for _, line in sorted(told, key=lambda each: each[0])]
    if len(lines) > MAX_LINES:
        half = MAX_LINES // 2
        lines = [*lines[:half], f"... {len(lines) - MAX_LINES} more ...", *lines[-half:]]
    closest = _closest(entries, clock)
    nothing = "no sample was of a kind that the pattern looks at" if result.samples else "there was no sample"
    return [*([closest] if closest else []), *lines] or [nothing]


def _entries(pattern: PatternModel, trace: Sequence[Mapping[str, Any]]) -> list[_Entry]:
    parts = {step.name: conjuncts(step.where) for step in every_step(pattern.steps)}
    open_: dict[tuple[str, str, str], _Entry] = {}
    entries: list[_Entry] = []
    for line in trace:
        if line["pattern"] != pattern.id:
            continue
        entry = _entry(line, parts)
        place = str((line["state"], line["taken"]))
        key = (entry.who, place, entry.answer)
        before = open_.get(key)
        others = [each for each in open_ if each[:2] == key[:2] and each != key]
        for each in others:
            del open_[each]
        if before is None:
            open_[key] = entry
            entries.append(entry)
        else:
            _merge(before, entry)
    return entries


def _entry(line: Mapping[str, Any], parts: Mapping[str, Sequence[tree.Expr]]) -> _Entry:
    time = line["time"]
    who = " ".join(filter(None, (line["node"], line.get("series"))))
    entry = _Entry(time, time, who, "", sum(len(times) for times in line["taken"].values()), True)
    if line.get("value") is not None:
        entry.values.append(line["value"])
    has = _has(line["taken"])
    came = [each["step"] for each in line["forbids"] if each["holds"]]
    takes = [each for each in line["wants"] if each["holds"] and not each.get("until")]
    if came:
        entry.answer = f"{', '.join(came)} must not come and did: ends {has}"
        entry.failed, entry.ends = came, True
    elif takes:
        entry.answer = f"taken as {', '.join(each['step'] for each in takes)}{_after(has)}"
    else:
        _refused(entry, line, parts, has)
    return entry


def _refused(
    entry: _Entry, line: Mapping[str, Any], parts: Mapping[str, Sequence[tree.Expr]], has: str
) -> None:
    """No step takes the sample: which part of which condition failed."""
    names = []
    by_name = True
    for want in line["wants"]:
        names.append(want["step"])
        if want.get("until"):
            entry.failed.append("until holds")
            by_name = False
        for fail in want["fails"]:
            part = parts[want["step"]][fail["part"]]
            text = unparse(part)
            entry.failed.append(text)
            for leaf, value in zip(leaves(part), fail["seen"], strict=True):
                entry.seen.setdefault(unparse(leaf), []).append(value)
        by_name &= any(_is_name(parts[want["step"]][fail["part"]]) for fail in want["fails"])
    step = " or ".join(dict.fromkeys(names))
    failed = ", ".join(dict.fromkeys(entry.failed))
    if not line["taken"]:
        entry.answer = f"no {step}: {failed}"
        entry.near = not by_name
    elif line["strict"]:
        entry.answer = f"no {step}: {failed}; the next sample had to be it: ends {has}"
        entry.ends = True
    else:
        entry.answer = f"no {step}: {failed}; waits on{_after(has)}"
        entry.near = not by_name


def _is_name(part: tree.Expr) -> bool:
    """Whether the part only says which series are meant."""
    return all(
        isinstance(leaf, tree.Label) or (isinstance(leaf, tree.Field) and leaf.field in _NAMES)
        for leaf in leaves(part)
    )


def _has(taken: Mapping[str, Sequence[int]]) -> str:
    """The samples of a partial match, each time as {t...}, to be said by a clock."""
    return ", ".join(f"{step} {' '.join(f'<{time}>' for time in times)}" for step, times in taken.items())


def _after(has: str) -> str:
    return f" after {has}" if has else ""


def _merge(into: _Entry, entry: _Entry) -> None:
    into.last = entry.last
    into.values += entry.values
    for name, values in entry.seen.items():
        into.seen.setdefault(name, []).extend(values)


def _line(entry: _Entry, clock: Clock) -> str:
    span = clock(entry.first) if entry.first == entry.last else f"{clock(entry.first)}..{clock(entry.last)}"
    value = f" = {_range(entry.values)}" if entry.values else ""
    return f"{span:<12} {entry.who}{value}: {_timed(entry.answer, clock)}{_seen(entry, clock)}"


def _seen(entry: _Entry, clock: Clock) -> str:
    told = []
    for name, values in entry.seen.items():
        if name.endswith("time") and all(isinstance(each, int | float) for each in values):
            values = [clock(int(each)) for each in dict.fromkeys((values[0], values[-1]))]
            told.append(f"{name} is {' to '.join(values)}")
        elif name != "value":
            told.append(f"{name} is {_range(values)}")
    return f" ({', '.join(told)})" if told else ""


def _range(values: Sequence[Any]) -> str:
    numbers = [each for each in values if isinstance(each, int | float) and not isinstance(each, bool)]
    texts = list(
        dict.fromkeys("missing" if each is None else str(each) for each in values if each not in numbers)
    )
    told = []
    if numbers:
        low, high = min(numbers), max(numbers)
        told.append(f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}")
    return " or ".join([*told, *texts[:3]])


def _timed(text: str, clock: Clock) -> str:
    head, *rest = text.split("<")
    parts = [head]
    for each in rest:
        number, closed, after = each.partition(">")
        told = closed and number.isdigit()
        parts.append(f"{clock(int(number))}{after}" if told else f"<{each}")
    return "".join(parts)


def _found(found: Found, clock: Clock) -> str:
    steps = ", ".join(
        f"{name} {' '.join(clock(time) for time in times)}" for name, times in found.steps.items() if times
    )
    return f"{clock(found.ready_at):<12} {found.key}: {found.kind.upper()} {steps}"


def _closest(entries: Sequence[_Entry], clock: Clock) -> str | None:
    """The miss that came furthest; of those, one that ended there, and with the fewest failed parts."""
    missed = [each for each in entries if each.failed]
    if not missed:
        return None
    best = max(missed, key=lambda each: (each.depth, each.ends, -len(set(each.failed)), -each.first))
    return f"closest: {' '.join(_line(best, clock).split())}"
