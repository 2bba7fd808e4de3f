"""Judges incidents against recorded faults. Pure: incidents, faults and hours in, a judgement out.

Definitions, the same for the command, the report and docs/results.md:

- An incident *counts for* a fault of its graph when it was opened from the fault's start to its end + 5
  minutes, both included. Where that holds for several faults it counts for the one that started last; faults
  that started together share it.
- A fault is *found* when an incident counts for it; the first one opened is the one that is judged. Its
  delay is opened - start. A further incident for the same fault is a *repeat*: no second find, no false
  alarm.
- A fault that was not found may still have been *named*: an incident that was open before it began told a
  revision in its window that ranks its node first. It stays a miss; how many there were is told.
- An incident that counts for no fault is a *false alarm*. The rate is per fault-free hour: the recordings'
  time outside all windows [start, end + 5 min].
- The *rank* of a fault is the place of its node in the newest ranking that the incident which found it told
  while it was open and no later than the fault's end + 5 minutes. AC@k is the share of faults with rank <= k:
  among all faults (a fault not found is a miss), and among those found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from faultline.history import History
from records.incidents import ENDED
from records.samples import Fault

GRACE_MS: Final = 300_000
"""How long after its end a fault can still be found: the windows of the metrics outlast it."""
SOON_MS: Final = 300_000
"""A fault found within this time of its start was found soon."""
_HOUR_MS: Final = 3_600_000


@dataclass(frozen=True)
class Verdict:
    """What became of one fault: the incident that found it, and where its node ranked; None where it was
    missed.
    """

    fault: Fault
    incident_id: str | None
    delay_ms: int | None
    rank: int | None
    signal_right: bool | None
    named_by: str | None = None
    """An incident that was open already and named the node; only where the fault was missed."""

    @property
    def found(self) -> bool:
        """Whether an incident counts for the fault."""
        return self.incident_id is not None


@dataclass(frozen=True)
class Summary:
    """The judgement in numbers; shares are None where there is nothing to share out."""

    faults: int
    found: int
    found_soon: int
    right: int
    ac1: float | None
    ac3: float | None
    ac1_found: float | None
    ac3_found: float | None
    false_alarms: int
    repeats: int
    named: int
    fault_free_hours: float
    false_alarms_per_hour: float | None
    median_delay_ms: int | None


@dataclass(frozen=True)
class Judgement:
    """The verdict on each fault, in order of start, and on each incident: fault indices, empty for a false
    alarm.
    """

    verdicts: tuple[Verdict, ...]
    incidents: Mapping[str, tuple[int, ...]]
    repeats: frozenset[str]
    summary: Summary

    def to_json(self) -> dict[str, Any]:
        """The judgement as plain data."""
        faults = [
            {
                **verdict.fault.model_dump(exclude_none=True),
                "incident_id": verdict.incident_id,
                "delay_ms": verdict.delay_ms,
                "rank": verdict.rank,
                "signal_right": verdict.signal_right,
                "named_by": verdict.named_by,
            }
            for verdict in self.verdicts
        ]
        return {"summary": asdict(self.summary), "faults": faults}


def judge(
    incidents: Sequence[History], faults: Iterable[Fault], spans: Mapping[str, tuple[int, int]]
) -> Judgement:
    """Judges `incidents` against `faults`; `spans` gives the first and last time of each graph's recording,
    ms.
    """
    ordered = sorted(faults, key=lambda each: (each.start, each.graph, each.node))
    counted = {each.incident_id: counts_for(each, ordered) for each in incidents}
    judged: dict[int, History] = {}
    repeats = set()
    for incident in sorted(incidents, key=lambda each: each.opened):
        new = [index for index in counted[incident.incident_id] if index not in judged]
        if counted[incident.incident_id] and not new:
            repeats.add(incident.incident_id)
        judged.update(dict.fromkeys(new, incident))
    verdicts = tuple(
        _verdict(fault, judged[index]) if index in judged else _missed(fault, incidents)
        for index, fault in enumerate(ordered)
    )
    alarms = sum(1 for found in counted.values() if not found)
    hours = fault_free_hours(ordered, spans)
    return Judgement(verdicts, counted, frozenset(repeats), _summary(verdicts, alarms, len(repeats), hours))


def counts_for(incident: History, faults: Sequence[Fault]) -> tuple[int, ...]:
    """Indices of the faults the incident counts for: those that started last among those whose window it
    hits.
    """
    hit = [
        index
        for index, fault in enumerate(faults)
        if fault.graph == incident.graph and in_window(fault, incident.opened)
    ]
    latest = max((faults[index].start for index in hit), default=None)
    return tuple(index for index in hit if faults[index].start == latest)


def in_window(fault: Fault, time: int) -> bool:
    """Whether what came at `time`, ms, can count for the fault."""
    return fault.start <= time <= fault.end + GRACE_MS


def accuracy_at(ranks: Sequence[int | None], k: int) -> float | None:
    """AC@k: the share of `ranks` (from 1; None is not named) that are at most `k`; None where there are
    none.
    """
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks) if ranks else None


def fault_free_hours(faults: Sequence[Fault], spans: Mapping[str, tuple[int, int]]) -> float:
    """Hours of the recordings outside every window [start, end + 5 min] of their own faults."""
    windows: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for fault in faults:
        windows[fault.graph].append((fault.start, fault.end + GRACE_MS))
    free = sum(end - start - _covered(windows[graph], start, end) for graph, (start, end) in spans.items())
    return free / _HOUR_MS


def _covered(windows: Iterable[tuple[int, int]], start: int, end: int) -> int:
    """Length of the union of `windows` within start..end, ms."""
    covered, reached = 0, start
    for low, high in sorted(windows):
        low, high = max(low, reached), min(high, end)
        covered += max(0, high - low)
        reached = max(reached, high)
    return covered


def _missed(fault: Fault, incidents: Iterable[History]) -> Verdict:
    named = [
        each.incident_id
        for each in incidents
        if each.graph == fault.graph and each.opened < fault.start and _names(each, fault)
    ]
    return Verdict(fault, None, None, None, None, named[0] if named else None)


def _names(incident: History, fault: Fault) -> bool:
    """Whether a revision told in the fault's window, while the incident was open, ranks its node first."""
    return any(
        cause.rank == 1 and cause.node == fault.node
        for event in incident.revisions
        if event.status not in ENDED and in_window(fault, event.time)
        for cause in event.root_causes
    )


def _verdict(fault: Fault, incident: History) -> Verdict:
    answer = incident.answer_by(fault.end + GRACE_MS)
    named = next((each for each in answer.root_causes if each.node == fault.node), None)
    right = None if named is None or fault.signal is None else named.signal == fault.signal
    rank = None if named is None else named.rank
    return Verdict(fault, incident.incident_id, incident.opened - fault.start, rank, right)


def _summary(verdicts: Sequence[Verdict], alarms: int, repeats: int, hours: float) -> Summary:
    found = [each for each in verdicts if each.found]
    ranks = [each.rank for each in verdicts]
    ranks_found = [each.rank for each in found]
    delays = sorted(each.delay_ms for each in found if each.delay_ms is not None)
    return Summary(
        faults=len(verdicts),
        found=len(found),
        found_soon=sum(delay <= SOON_MS for delay in delays),
        right=sum(rank == 1 for rank in ranks),
        ac1=accuracy_at(ranks, 1),
        ac3=accuracy_at(ranks, 3),
        ac1_found=accuracy_at(ranks_found, 1),
        ac3_found=accuracy_at(ranks_found, 3),
        false_alarms=alarms,
        repeats=repeats,
        named=sum(each.named_by is not None for each in verdicts),
        fault_free_hours=hours,
        false_alarms_per_hour=alarms / hours if hours > 0 else None,
        median_delay_ms=delays[(len(delays) - 1) // 2] if delays else None,
    )
