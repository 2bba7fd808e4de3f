"""Patterns in Python: the fluent counterpart of Flink's Java Pattern API. Makes the same document as YAML.

    Pattern.begin("start").where('signal == "cpu"').next("peak").where("value > 95").within("30s")

A Pattern is immutable: every method returns a new one, and changes the last step unless it says otherwise. A
Pattern in place of a step's name is a group: `Pattern.begin(one).followed_by(other).one_or_more()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from cep_patterns.document import read_document
from cep_patterns.dump import document_of
from cep_patterns.model import Key, OnTimeout, PatternModel
from cep_patterns.short_forms import kind_of
from cep_patterns.vocabulary import FieldKind
from records.errors import PatternError
from records.matches import Severity

AfterMatchForm = str | Mapping[str, str]
WithinForm = Literal["first_and_last", "previous_and_current"]
Duration = str | timedelta


class AfterMatch:
    """The skip strategies, for Pattern.begin: where the next match may begin."""

    no_skip: AfterMatchForm = "no_skip"
    skip_to_next: AfterMatchForm = "skip_to_next"
    skip_past_last: AfterMatchForm = "skip_past_last"

    @staticmethod
    def skip_to_first(step: str) -> AfterMatchForm:
        """Drop the partial matches that began before the first sample of `step`."""
        return {"skip_to_first": step}

    @staticmethod
    def skip_to_last(step: str) -> AfterMatchForm:
        """Drop the partial matches that began before the last sample of `step`."""
        return {"skip_to_last": step}


class WithinType:
    """What Pattern.within measures: the whole pattern, or from the sample before a step to the step's own."""

    FIRST_AND_LAST: WithinForm = "first_and_last"
    PREVIOUS_AND_CURRENT: WithinForm = "previous_and_current"


@dataclass(frozen=True)
class Pattern:
    """Steps, a window and a skip strategy; `model` gives it an id and checks it."""

    steps: tuple[Mapping[str, Any], ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def begin(first: str | Pattern, *, after_match: AfterMatchForm = "no_skip") -> Pattern:
        """A pattern that begins with a step of this name, or with a group."""
        return Pattern((_part(first),), {"after_match": after_match})

    @staticmethod
    def of(pattern: PatternModel) -> Pattern:
        """The fluent form of a model; `Pattern.of(m).model(m.id, ...)` has the same steps."""
        document = document_of(pattern)
        kept = ("within", "after_match", "on_timeout")
        options = {"after_match": "no_skip", **{key: document[key] for key in kept if key in document}}
        return Pattern(tuple(document["steps"]), options)

    def next(self, following: str | Pattern) -> Pattern:
        """Adds a step or group that the very next sample must take."""
        return self._step(following, "next")

    def followed_by(self, following: str | Pattern) -> Pattern:
        """Adds a step or group; samples that do not fit may lie between."""
        return self._step(following, "followed_by")

    def followed_by_any(self, following: str | Pattern) -> Pattern:
        """Adds a step or group; any samples may lie between, so each that fits makes a match of its own."""
        return self._step(following, "followed_by_any")

    def not_next(self, name: str) -> Pattern:
        """Adds what the very next sample must not be."""
        return self._step(name, "not_next")

    def not_followed_by(self, name: str) -> Pattern:
        """Adds what must not come before the next step, or before the end of the window."""
        return self._step(name, "not_followed_by")

    def where(self, condition: str) -> Pattern:
        """Adds a condition; several are joined by `and`."""
        return self._joined("and", condition)

    def or_where(self, condition: str) -> Pattern:
        """Adds a condition that is joined to those before by `or`."""
        return self._joined("or", condition)

    def times(self, least: int, most: int | None = None, *, within: Duration | None = None) -> Pattern:
        """The step is taken `least` times, or `least` to `most` times."""
        return self._set(times={"from": least, "to": least if most is None else most}, **_within(within))

    def times_or_more(self, least: int, *, within: Duration | None = None) -> Pattern:
        """The step is taken `least` times or more."""
        return self._set(times={"from": least, "to": None}, **_within(within))

    def one_or_more(self, *, within: Duration | None = None) -> Pattern:
        """The step is taken once or more."""
        return self._set(one_or_more=True, **_within(within))

    def optional(self) -> Pattern:
        """The step may be left out."""
        return self._set(optional=True)

    def greedy(self) -> Pattern:
        """The loop takes as many samples as it can."""
        return self._set(greedy=True)

    def consecutive(self) -> Pattern:
        """No sample that does not fit may lie inside the loop."""
        return self._set(consecutive=True)

    def allow_combinations(self) -> Pattern:
        """The loop may leave out samples that fit."""
        return self._set(combinations=True)

    def until(self, condition: str) -> Pattern:
        """The loop ends at the first sample for which `condition` holds."""
        return self._set(until=condition)

    def within(self, duration: Duration, within_type: WithinForm = "first_and_last") -> Pattern:
        """The longest time, such as 30s or a timedelta, its end excluded.

        From the first to the last sample of the whole pattern, or with PREVIOUS_AND_CURRENT from the sample
        before the last step to the last step's own.
        """
        if within_type == WithinType.PREVIOUS_AND_CURRENT:
            return self._set(**_within(duration))
        if within_type != WithinType.FIRST_AND_LAST:
            message = f"within: {within_type!r} is no type of a window"
            raise PatternError(message, "say WithinType.FIRST_AND_LAST or WithinType.PREVIOUS_AND_CURRENT")
        return Pattern(self.steps, {**self.options, **_within(duration)})

    def on_timeout(self, what: OnTimeout) -> Pattern:
        """`match`: a partial match that ran out of time counts as a match, of kind timeout."""
        return Pattern(self.steps, {**self.options, "on_timeout": what})

    def model(
        self,
        id: str,
        *,
        version: int = 1,
        key: Key = "series",
        fields: Mapping[str, FieldKind] | None = None,
        severity: Severity = "warning",
        maturity: Literal["experimental", "production", "deprecated"] = "experimental",
        runbook: str | None = None,
        owner: str = "",
        description: str = "",
        misses: Sequence[str] = (),
    ) -> PatternModel:
        """The checked model under this id; PatternError that lists every error where there is one.

        `fields`: for key row, the fields of the row with their types: number, text or truth.
        """
        about = {"id": id, "version": version, "key": key, "severity": severity, "maturity": maturity}
        words = {"runbook": runbook, "owner": owner, "description": description, "misses": list(misses)}
        declared = {} if fields is None else {"fields": dict(fields)}
        steps = [dict(step) for step in self.steps]
        pattern, problems = read_document({**about, **words, **declared, **self.options, "steps": steps})
        if pattern is None:
            errors = [str(problem) for problem in problems if problem.severity == "error"]
            raise PatternError("\n".join(errors), "correct the pattern")
        return pattern

    def _step(self, following: str | Pattern, contiguity: str) -> Pattern:
        return Pattern((*self.steps, {**_part(following), "contiguity": contiguity}), self.options)

    def _set(self, **more: object) -> Pattern:
        return Pattern((*self.steps[:-1], {**self.steps[-1], **more}), self.options)

    def _joined(self, word: Literal["and", "or"], condition: str) -> Pattern:
        before = self.steps[-1].get("where")
        return self._set(where=condition if before is None else f"({before}) {word} ({condition})")


def _part(step: str | Pattern) -> dict[str, Any]:
    if isinstance(step, str):
        return {"name": step}
    if not isinstance(step, Pattern):
        message = f"a step's name or a pattern is wanted; this is {kind_of(step)}"
        raise PatternError(message, 'say Pattern.begin("name")')
    for option, unsaid in (("within", None), ("on_timeout", None), ("after_match", "no_skip")):
        if step.options.get(option, unsaid) != unsaid:
            message = f"{option} of a pattern that is used as a group has no effect"
            raise PatternError(message, f"say {option} of the whole pattern")
    return {"group": [dict(each) for each in step.steps]}


def _within(duration: Duration | None) -> dict[str, str]:
    if isinstance(duration, timedelta):
        ms = duration / timedelta(milliseconds=1)
        return {"within": f"{int(ms) if ms == int(ms) else ms}ms"}
    return {} if duration is None else {"within": duration}
