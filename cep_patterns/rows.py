"""Tries a pattern on a list of rows, on the production engine and without Flink: for tests of one's own.

found = find(pattern, [{"kind": "up", "at": 0}, {"kind": "down", "at": 5}], time="at")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from cep_patterns.fitting import fit
from cep_patterns.model import PatternModel
from cep_patterns.pattern import Pattern
from cep_patterns.row_values import check, types_of, wire
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

    PatternError where rows cannot be used, a pattern does not fit them, is refused, or is given up since it
    would not end; JavaError where the engine cannot run.
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
    check(trial)
    model = fit(trial.pattern, types_of(trial.rows), "pattern", None)
    fields = model.fields or {}
    return {
        "name": name,
        "pattern": model.wire(),
        "out_of_orderness_ms": trial.out_of_orderness_ms,
        "partials_per_key": trial.partials_per_key,
        "rows": [
            {
                "key": repr([row[by] for by in trial.key]),
                "time": row[trial.time],
                "row": {field: wire(row.get(field)) for field in fields},
            }
            for row in trial.rows
        ],
    }
