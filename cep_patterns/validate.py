"""What a pattern's structure must satisfy, and what its writer should know. Pure: a model in, problems out.

Owns the rules; where Flink's Pattern API refuses, so does this, before the job sees the pattern. Conditions
and keys are checked where they are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from cep_patterns.model import PatternModel, StepModel
from cep_patterns.select import never_matches


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a pattern (`error`: it is refused), or worth knowing (`warning`)."""

    severity: Literal["error", "warning"]
    message: str
    step: str | None = None
    pattern: str | None = None
    file: str | None = None

    def __str__(self) -> str:
        """`FILE: pattern ID: step NAME: message`, as far as each is known."""
        parts = (
            self.file,
            f"pattern {self.pattern}" if self.pattern else None,
            f"step {self.step}" if self.step else None,
            self.message,
        )
        return ": ".join(part for part in parts if part)


def validate(pattern: PatternModel) -> list[Problem]:
    """Every problem of the pattern's structure; without an error it can run."""
    found = [
        *_names(pattern),
        *_each_step(pattern),
        *_sequence(pattern),
        *_end(pattern),
        *_skip(pattern),
        *_series(pattern),
    ]
    if not any(problem.severity == "error" for problem in found):
        found += _advice(pattern)
    return found


def _series(pattern: PatternModel) -> Iterator[Problem]:
    reason = never_matches(pattern)
    if reason is not None:
        yield _error(reason)


def _error(message: str, step: str | None = None) -> Problem:
    return Problem("error", message, step)


def _names(pattern: PatternModel) -> Iterator[Problem]:
    for name, count in Counter(step.name for step in pattern.steps).items():
        if count > 1:
            yield _error(f"the name is used {count} times; a step's name must be its own", name)


def _each_step(pattern: PatternModel) -> Iterator[Problem]:
    for step in pattern.steps:
        yield from (_error(message, step.name) for message in _quantifiers(step))
        if step.times is not None:
            yield from (_error(message, step.name) for message in _range(step.times.from_, step.times.to))


def _range(least: int, most: int | None) -> Iterator[str]:
    if least < 1:
        yield f"times: {least} takes no sample; the least is 1 (or say optional: true)"
    elif most is not None and most < least:
        yield f"times: from {least} to {most} is empty"
    elif max(least, most or 0) > 1_000:
        yield "times: more than 1000 is more than a run can hold"


def _quantifiers(step: StepModel) -> Iterator[str]:
    if step.negated:
        named = ("times", "one_or_more", "optional", "greedy", "consecutive", "combinations", "until")
        for name in (name for name in named if getattr(step, name)):
            yield f"{name} does not go with {step.contiguity}: a step that must not come takes no quantifier"
        if step.where is None:
            yield f"{step.contiguity} without a condition would forbid every sample"
        return
    if step.times is not None and step.one_or_more:
        yield "times and one_or_more exclude each other"
    if step.until is not None and not step.looping:
        yield "until belongs to a loop: one_or_more, or times without an end"
    if step.consecutive and step.combinations:
        yield "consecutive and combinations exclude each other"
    for name in ("greedy", "consecutive", "combinations"):
        if getattr(step, name) and not step.counted:
            yield f"{name} belongs to a step with times or one_or_more"
    if step.greedy and (step.combinations or step.contiguity == "followed_by_any"):
        yield "greedy does not go with combinations or followed_by_any"


def _sequence(pattern: PatternModel) -> Iterator[Problem]:
    first = pattern.steps[0]
    if first.negated:
        yield _error("a pattern cannot begin with what must not come", first.name)
    for before, step in pairwise(pattern.steps):
        if step.negated and before.optional:
            yield _error(f"{step.contiguity} after the optional step {before.name} is not defined", step.name)
        if step.optional and before.greedy:
            yield _error(f"an optional step after the greedy step {before.name} is not defined", step.name)
    if all(step.optional or step.negated for step in pattern.steps):
        yield _error("every step is optional: the pattern would match nothing at all", first.name)


def _end(pattern: PatternModel) -> Iterator[Problem]:
    last = pattern.steps[-1]
    if last.contiguity == "not_followed_by" and pattern.within_ms is None:
        yield _error("not_followed_by at the end needs within: nothing else ever decides it", last.name)
    if last.contiguity == "not_next":
        yield _error("not_next cannot end a pattern; use not_followed_by with within", last.name)
    for index, step in enumerate(pattern.steps[:-1]):
        if step.negated and all(later.optional for later in pattern.steps[index + 1 :]):
            yield _error("every step after it is optional: what must not come is then not bounded", step.name)


def _skip(pattern: PatternModel) -> Iterator[Problem]:
    target = pattern.after_match.step
    if target is None:
        return
    kind = pattern.after_match.kind
    steps = {step.name: step for step in pattern.steps}
    if target not in steps:
        yield _error(
            f"after_match: {kind}: there is no step {target!r}; there are {', '.join(steps)}", target
        )
    elif steps[target].negated:
        yield _error(f"after_match: {kind}: a step that must not come has no sample to skip to", target)
    elif target in _can_begin(pattern) and not (kind == "skip_to_last" and _always_several(steps[target])):
        yield _error(
            f"after_match: {kind}: the match can begin with this step and would be found for ever", target
        )


def _can_begin(pattern: PatternModel) -> set[str]:
    """The steps that can take the first sample of a match."""
    names = set()
    for step in pattern.steps:
        names.add(step.name)
        if not step.optional:
            break
    return names


def _always_several(step: StepModel) -> bool:
    return step.times is not None and step.times.from_ > 1 and not step.optional


def _advice(pattern: PatternModel) -> Iterator[Problem]:
    steps = pattern.steps
    if steps[0].contiguity != "followed_by":
        message = f"contiguity {steps[0].contiguity} has no effect on the first step"
        yield Problem("warning", message, steps[0].name)
    if pattern.within_ms is None and not _strict(pattern) and not _single(pattern):
        yield Problem(
            "warning", "without within a half-finished match is kept until it completes, even for ever"
        )
    if pattern.after_match.kind != "no_skip" and not _in_lockstep(pattern):
        until = "for ever" if pattern.within_ms is None else f"up to {pattern.within_ms} ms (within)"
        message = (
            f"after_match {pattern.after_match.kind} withholds a match while an older start is undecided"
        )
        yield Problem("warning", f"{message}, {until}; no_skip reports at once")


def _single(pattern: PatternModel) -> bool:
    return len(pattern.steps) == 1 and not pattern.steps[0].counted


def _in_lockstep(pattern: PatternModel) -> bool:
    """Whether an older run always ends before a younger one, so that no match ever waits."""
    step = pattern.steps[0]
    one = len(pattern.steps) == 1 and _fixed(step) and not step.combinations
    return one or _strict(pattern)


def _strict(pattern: PatternModel) -> bool:
    """Whether every run is decided sample by sample: strict steps of fixed length only."""
    return all(
        _fixed(step)
        and (step.times is None or step.consecutive or step.times.to == 1)
        and (index == 0 or step.contiguity == "next")
        for index, step in enumerate(pattern.steps)
    )


def _fixed(step: StepModel) -> bool:
    count = step.times is None or step.times.from_ == step.times.to
    return count and not (step.optional or step.negated or step.one_or_more)
