"""Which bundles serve, as a pure function: `step(state, outcome)`; kept by each subtask of `incidents`.

Every worker loads and proves what a record of the control topic names and tells the outcome to all
subtasks of `incidents`; a record is in force once all workers are ready, and refused once one is not. As
each worker tells its outcomes in the order of the records, all subtasks decide alike. Owns these bytes,
which lie in checkpoints. Imports records and orjson.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import orjson

from jobs.incident_state import open_versioned
from records.model_control import ModelAck, ModelRecord, ModelsLive

VERSION: Final = 1
_READERS: Final = (1,)


@dataclass(frozen=True)
class Outcome:
    """What a worker made of a record.

    `name`: of the record as it was sent; `record`: None where it was deleted or could not be read; `reason`:
    why it is refused, None where its bundles are ready; `load_ms`: how long that took.
    """

    name: str
    record: ModelRecord | None
    subtask: int
    subtasks: int
    reason: str | None
    load_ms: float


@dataclass(frozen=True)
class ModelState:
    """`record`: in force, None for the configuration's bundle; `waiting`: outcomes of undecided records."""

    record: ModelRecord | None = None
    waiting: tuple[Outcome, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What became of a record, once all workers have told."""

    state: Literal["live", "refused", "passed_over"]
    record: ModelRecord | None
    reason: str | None
    load_ms: float


def step(state: ModelState, outcome: Outcome) -> tuple[ModelState, Decision | None]:
    """The next state, and the decision where this outcome was the last that was missing."""
    of_others = tuple(each for each in state.waiting if each.name != outcome.name)
    told = {each.subtask: each for each in state.waiting if each.name == outcome.name}
    told[outcome.subtask] = outcome
    if len(told) < outcome.subtasks:
        return replace(state, waiting=(*of_others, *told.values())), None
    state = replace(state, waiting=of_others)
    load_ms = max(each.load_ms for each in told.values())
    refusals = [each.reason for each in told.values() if each.reason is not None]
    if refusals:
        return state, Decision("refused", outcome.record, refusals[0], load_ms)
    record = outcome.record
    if record is not None and state.record is not None and _too_late(record, state.record):
        return state, Decision("passed_over", record, "another record is in force by now", load_ms)
    return replace(state, record=record), Decision("live", record, None, load_ms)


def _too_late(record: ModelRecord, now: ModelRecord) -> bool:
    """Whether what the job says is about a record that is no longer in force.

    Two workers may decide in the same moment. That one takes back counts more than that the other promoted.
    """
    if record.replaces is None or now.request in (record.replaces, record.request):
        return False
    return record.action != "rollback" or not now.promotes(record.replaces)


def restated(state: ModelState, decision: Decision) -> ModelRecord | None:
    """The record in force, where the control topic must be told it again: the job's own lies over it."""
    told = decision.record
    if decision.state == "live" or told is None or told.by != "job" or state.record is None:
        return None
    return state.record.restated(told.request)


@dataclass(frozen=True)
class Teller:
    """Who tells the audit: a subtask of a job; `own`: name and version of the configuration's bundle."""

    job: str
    own: str
    subtask: int
    subtasks: int

    def ack(self, decision: Decision) -> dict[str, Any]:
        """The line about a decision."""
        ack = ModelAck(
            state=decision.state,
            reason=decision.reason,
            load_ms=round(decision.load_ms, 1),
            **self._of(decision.record, None),
        )
        return ack.model_dump()

    def live(self, state: ModelState, started: int) -> dict[str, Any]:
        """The line after a start, ms UTC."""
        return ModelsLive(started=started, **self._of(state.record, self.own)).model_dump()

    def _of(self, record: ModelRecord | None, own: str | None) -> dict[str, Any]:
        candidate = record and record.candidate
        return {
            "job": self.job,
            "subtask": self.subtask,
            "subtasks": self.subtasks,
            "live": record.live.label if record and record.live else own,
            "candidate": candidate and candidate.bundle.label,
            "stage": candidate and candidate.stage,
            "share": candidate.share if candidate else 1.0,
            "request": record and record.request,
            "time": record and record.time,
        }


def write_outcome(outcome: Outcome) -> bytes:
    """The outcome as bytes."""
    return orjson.dumps({"v": VERSION, **_plain(outcome)}, option=orjson.OPT_SORT_KEYS)


def read_outcome(data: bytes) -> Outcome:
    """The outcome in `data`; StateError where it was written by a release that is not known here."""
    return _outcome(open_versioned(data, "outcome of a model's record", _READERS))


def write_state(state: ModelState) -> bytes:
    """The state as bytes."""
    fields = {"record": _dumped(state.record), "waiting": [_plain(each) for each in state.waiting]}
    return orjson.dumps({"v": VERSION, **fields}, option=orjson.OPT_SORT_KEYS)


def read_state(data: bytes) -> ModelState:
    """The state in `data`; StateError where it was written by a release that is not known here."""
    fields = open_versioned(data, "models that serve", _READERS)
    return ModelState(record_of(fields["record"]), tuple(_outcome(each) for each in fields["waiting"]))


def record_of(fields: dict[str, Any] | None) -> ModelRecord | None:
    """The record in its plain fields."""
    return None if fields is None else ModelRecord.model_validate(fields)


def _dumped(record: ModelRecord | None) -> dict[str, Any] | None:
    return None if record is None else record.model_dump()


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {**vars(outcome), "record": _dumped(outcome.record)}


def _outcome(fields: dict[str, Any]) -> Outcome:
    return Outcome(**{**fields, "record": record_of(fields["record"])})
