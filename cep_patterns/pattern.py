"""Patterns in Python: the fluent counterpart of Flink's Java Pattern API. Makes the same document as YAML.

    Pattern.begin("start").where('signal == "cpu"').next("peak").where("value > 95").within("30s")

A Pattern is immutable: every method returns a new one, and changes the last step unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cep_patterns.document import read_document
from cep_patterns.model import PatternModel
from records.errors import PatternError
from records.matches import Severity

AfterMatchForm = str | Mapping[str, str]


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


@dataclass(frozen=True)
class Pattern:
    """Steps, a window and a skip strategy; `model` gives it an id and checks it."""

    steps: tuple[Mapping[str, Any], ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def begin(name: str, *, after_match: AfterMatchForm = "no_skip") -> Pattern:
        """A pattern that begins with step `name`."""
        return Pattern(({"name": name},), {"after_match": after_match})

    def next(self, name: str) -> Pattern:
        """Adds a step that the very next sample must take."""
        return self._step(name, "next")

    def followed_by(self, name: str) -> Pattern:
        """Adds a step; samples that do not fit may lie between."""
        return self._step(name, "followed_by")

    def followed_by_any(self, name: str) -> Pattern:
        """Adds a step; any samples may lie between, so each that fits makes a match of its own."""
        return self._step(name, "followed_by_any")

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

    def times(self, least: int, most: int | None = None) -> Pattern:
        """The step is taken `least` times, or `least` to `most` times."""
        return self._set(times={"from": least, "to": least if most is None else most})

    def times_or_more(self, least: int) -> Pattern:
        """The step is taken `least` times or more."""
        return self._set(times={"from": least, "to": None})

    def one_or_more(self) -> Pattern:
        """The step is taken once or more."""
        return self._set(one_or_more=True)

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

    def within(self, duration: str) -> Pattern:
        """The longest time from the first to the last sample of the whole pattern, such as 30s."""
        return Pattern(self.steps, {**self.options, "within": duration})

    def model(
        self,
        id: str,
        *,
        version: int = 1,
        key: Literal["series", "node"] = "series",
        severity: Severity = "warning",
        maturity: Literal["experimental", "production", "deprecated"] = "experimental",
        runbook: str | None = None,
        owner: str = "",
        description: str = "",
        misses: Sequence[str] = (),
    ) -> PatternModel:
        """The checked model under this id; PatternError that lists every error where there is one."""
        about = {"id": id, "version": version, "key": key, "severity": severity, "maturity": maturity}
        words = {"runbook": runbook, "owner": owner, "description": description, "misses": list(misses)}
        steps = [dict(step) for step in self.steps]
        pattern, problems = read_document({**about, **words, **self.options, "steps": steps})
        if pattern is None:
            errors = [str(problem) for problem in problems if problem.severity == "error"]
            raise PatternError("\n".join(errors), "correct the pattern")
        return pattern

    def _step(self, name: str, contiguity: str) -> Pattern:
        return Pattern((*self.steps, {"name": name, "contiguity": contiguity}), self.options)

    def _set(self, **more: object) -> Pattern:
        return Pattern((*self.steps[:-1], {**self.steps[-1], **more}), self.options)

    def _joined(self, word: Literal["and", "or"], condition: str) -> Pattern:
        before = self.steps[-1].get("where")
        return self._set(where=condition if before is None else f"({before}) {word} ({condition})")
