"""Tries a pattern on a list of rows, on the production engine and without Flink: for tests of one's own.

found = find(pattern, [{"kind": "up", "at": 0}, {"kind": "down", "at": 5}], time="at")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from cep_patterns.fitting import fit
from cep_patterns.model import PatternModel
from cep_patterns.pattern import Pattern
from records.errors import JavaError, PatternError
from records.java import QUICK_START, run_main

MAIN_CLASS: Final = "io.faultline.cli.Rows"
PARTIALS_PER_KEY: Final = 1_000
_Row = Mapping[str, Any]


@dataclass(frozen=True)
class Trial:
    """A pattern and the rows that arrive, in this order.

    `time`: the field with the event time, ms. `key`: fields by which the rows are keyed; none is one key.
    `out_of_orderness_ms`: how far the watermark stays behind the latest row. At the end every window ends.
    """

    pattern: Pattern | PatternModel
    rows: Sequence[_Row]
    time: str = "time"
    key: Sequence[str] = ()
    out_of_orderness_ms: int = 0
    partials_per_key: int = PARTIALS_PER_KEY


@dataclass(frozen=True)
class Found:
    """A match or a timeout: the rows of each step, and the event time that decided it, ms."""

    kind: Literal["match", "timeout"]
    steps: Mapping[str, Sequence[_Row]]
    ready_at: int


@dataclass
class Outcome:
    """What one trial gave: matches and timeouts in order, and rows that were late."""

    found: list[Found] = field(default_factory=list)
    late: list[_Row] = field(default_factory=list)


def find(pattern: Pattern | PatternModel, rows: Sequence[_Row], **how: Any) -> list[Found]:
    """The matches and timeouts of one trial; `how` as in `Trial`."""
    return run_trials([Trial(pattern, rows, **how)])[0].found


def run_trials(trials: Sequence[Trial]) -> list[Outcome]:
    """What each trial gives, all in one JVM.

    PatternError where a pattern does not fit its rows or is refused; JavaError where the engine cannot run.
    """
    requests = [_request(str(number), trial) for number, trial in enumerate(trials)]
    outcomes = [Outcome() for _ in trials]
    done = 0
    for line in run_main(MAIN_CLASS, {"runs": requests}, jvm_options=QUICK_START):
        trial = trials[int(line["run"])]
        done += line["type"] == "done"
        _add(outcomes[int(line["run"])], trial, line)
    if done != len(trials):
        raise JavaError(f"{MAIN_CLASS} finished {done} of {len(trials)} trials", "rebuild: make jar")
    return outcomes


def _add(outcome: Outcome, trial: Trial, line: Mapping[str, Any]) -> None:
    kind = line["type"]
    if kind in ("match", "timeout"):
        steps = {name: [trial.rows[index] for index in taken] for name, taken in line["steps"].items()}
        outcome.found.append(Found(kind, steps, line["ready_at"]))
    elif kind == "late":
        outcome.late.append(trial.rows[line["index"]])
    elif kind == "refused":
        raise PatternError(str(line["reason"]), "correct the pattern")


def _request(name: str, trial: Trial) -> dict[str, Any]:
    _check(trial)
    model = fit(trial.pattern, _types(trial.rows), "pattern", None)
    return {
        "name": name,
        "pattern": model.wire(),
        "out_of_orderness_ms": trial.out_of_orderness_ms,
        "partials_per_key": trial.partials_per_key,
        "rows": [
            {"key": repr([row[by] for by in trial.key]), "time": row[trial.time], "row": dict(row)}
            for row in trial.rows
        ],
    }


def _check(trial: Trial) -> None:
    """Refuses rows without a time or a key: an empty answer would look like one."""
    if isinstance(trial.key, str):
        raise PatternError(
            f"key: a list of fields is wanted; this is {trial.key!r}", f'say key=["{trial.key}"]'
        )
    for number, row in enumerate(trial.rows):
        time = row.get(trial.time)
        if not isinstance(time, int) or isinstance(time, bool):
            message = f"row {number}: {trial.time}: the event time in whole ms is wanted; this is {time!r}"
            raise PatternError(message, "say which field has it: time=...")
        if missing := [by for by in trial.key if by not in row]:
            raise PatternError(f"row {number}: there is no field {missing[0]!r} to key by", "correct key")


def _types(rows: Iterable[_Row]) -> dict[str, str]:
    """What the fields of the rows are to a condition, by the first value that is not missing."""
    types: dict[str, str] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None:
                types.setdefault(name, _kind(value))
    return types


def _kind(value: object) -> str:
    kinds: list[tuple[type, str]] = [(bool, "truth"), (int, "number"), (float, "number"), (str, "text")]
    found = next((kind for type_, kind in kinds if isinstance(value, type_)), type(value).__name__)
    return found
