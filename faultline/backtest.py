"""Judges the matches of single patterns against recorded faults. Pure: matches, faults and hours in.

- A match *counts for* a fault of its recording when it was ready from the fault's start to its end + 5
  minutes, both included, as an incident does (faultline.judge). The first one finds the fault.
- Matches that count for no fault are *false alarms*: those of a graph that follow one another within 5
  minutes, or 4 ticks, are one, as they would be in an incident. The rate is per fault-free hour.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from cep_patterns.gateway import Cost, Found
from faultline.judge import fault_free_hours, in_window
from jobs.jvm_config import SHORTEST_TICK_MS
from records.recordings import Recording
from records.samples import Fault

APART_MS: Final = 300_000
APART_TICKS: Final = 4
FEWEST: Final = 10_000
"""Samples of which the time that each takes says something: in a shorter run the JVM is still warming up."""


@dataclass(frozen=True)
class Day:
    """One recording with what the patterns found in it; `late`: samples that were left out as late."""

    name: str
    start: int
    end: int
    tick_ms: int
    faults: tuple[Fault, ...]
    found: tuple[Found, ...]
    costs: tuple[Cost, ...] = ()
    late: int = 0


@dataclass(frozen=True)
class FalseAlarm:
    """Matches without a fault, close together: `time` of the first and `last` match, ms, and their nodes."""

    recording: str
    time: int
    last: int
    nodes: tuple[str, ...]
    patterns: tuple[str, ...]
    matches: int


@dataclass(frozen=True)
class Finding:
    """What became of one fault: how long after its start it was found, ms, and by what; None for a miss.

    `on_node`: whether a match that counts for it was on the node that was faulty.
    """

    recording: str
    fault: Fault
    after_ms: int | None
    by: str | None
    on_node: bool


@dataclass(frozen=True)
class Score:
    """How a set of patterns did over recordings. Rates are None without a fault-free hour."""

    matches: int
    findings: tuple[Finding, ...]
    false_alarms: tuple[FalseAlarm, ...]
    fault_free_hours: float

    @property
    def found(self) -> int:
        """Faults that were found."""
        return sum(each.after_ms is not None for each in self.findings)

    @property
    def median_after_ms(self) -> int | None:
        """The median time to a find."""
        after = sorted(each.after_ms for each in self.findings if each.after_ms is not None)
        return after[(len(after) - 1) // 2] if after else None

    @property
    def false_per_hour(self) -> float | None:
        """False alarms per fault-free hour."""
        return len(self.false_alarms) / self.fault_free_hours if self.fault_free_hours > 0 else None


def day_of(
    recording: Recording, name: str, found: Iterable[Found], costs: Iterable[Cost] = (), late: int = 0
) -> Day:
    """The day of a recording, with the matches that patterns found in it.

    Timeouts are left out, and what only the end of the recording decided: there all nodes fall silent.
    """
    meta = recording.meta
    matches = tuple(each for each in found if each.kind == "match" and each.ready_at <= meta.end)
    faults = tuple(recording.faults())
    return Day(name, meta.start, meta.end, tick_of(recording), faults, matches, tuple(costs), late)


def tick_of(recording: Recording) -> int:
    """The tick with which a recording is read, ms: its interval, at least 10 s."""
    return max(SHORTEST_TICK_MS, recording.meta.interval)


def score(days: Sequence[Day], ids: Iterable[str]) -> Score:
    """How the patterns of these ids did together."""
    wanted = set(ids)
    findings: list[Finding] = []
    alarms: list[FalseAlarm] = []
    matches = 0
    hours = 0.0
    for day in days:
        own = [each for each in day.found if each.pattern in wanted]
        matches += len(own)
        findings += [_finding(day, fault, own) for fault in day.faults]
        alarms += _false_alarms(day, [each for each in own if not _counts(day, each)])
        graphs = {fault.graph for fault in day.faults} or {day.name}
        hours += fault_free_hours(day.faults, {min(graphs): (day.start, day.end)})
    return Score(matches, tuple(findings), tuple(alarms), hours)


def _counts(day: Day, found: Found) -> bool:
    return any(in_window(fault, found.ready_at) for fault in day.faults)


def _finding(day: Day, fault: Fault, found: Sequence[Found]) -> Finding:
    hits = sorted((each for each in found if in_window(fault, each.ready_at)), key=lambda each: each.ready_at)
    if not hits:
        return Finding(day.name, fault, None, None, False)
    first = hits[0]
    on_node = any(node_of(each) == fault.node for each in hits)
    return Finding(day.name, fault, first.ready_at - fault.start, first.pattern, on_node)


def node_of(found: Found) -> str:
    """The node of a match."""
    return found.key.split("/", 1)[-1]


def _false_alarms(day: Day, found: Sequence[Found]) -> list[FalseAlarm]:
    apart = max(APART_MS, APART_TICKS * day.tick_ms)
    groups: list[list[Found]] = []
    for each in sorted(found, key=lambda one: one.ready_at):
        if groups and each.ready_at - groups[-1][-1].ready_at <= apart:
            groups[-1].append(each)
        else:
            groups.append([each])
    return [
        FalseAlarm(
            day.name,
            group[0].ready_at,
            group[-1].ready_at,
            tuple(dict.fromkeys(node_of(each) for each in group)),
            tuple(dict.fromkeys(each.pattern for each in group)),
            len(group),
        )
        for group in groups
    ]


@dataclass(frozen=True)
class Cheapness:
    """What a pattern took: time of the automaton per sample, ns, None under `FEWEST` samples; share of all
    samples that the automaton had to see; most partial matches at once; how many were evicted.
    """

    ns_per_sample: float | None
    steps_per_sample: float
    partials_peak: int
    evicted: int


def cost_of(days: Sequence[Day], pattern: str) -> Cheapness | None:
    """What the pattern took of all recordings; None where the engine told nothing of it."""
    own = [cost for day in days for cost in day.costs if cost.pattern == pattern]
    samples = sum(each.samples for each in own)
    if not samples:
        return None
    return Cheapness(
        sum(each.time_ns for each in own) / samples if samples >= FEWEST else None,
        sum(each.automaton_steps for each in own) / samples,
        max(each.partials_peak for each in own),
        sum(each.evicted for each in own),
    )
