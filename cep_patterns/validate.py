"""What a pattern's structure must satisfy, and what its writer should know. Pure: a model in, problems out.

Where Flink's Pattern API refuses, so does this, before the job sees the pattern, and names a way to write it
where there is one. Conditions and keys are checked where they are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from cep_patterns.advice import advice
from cep_patterns.model import (
    GroupModel,
    PartModel,
    PatternModel,
    StepModel,
    every_part,
    every_step,
    label,
)
from cep_patterns.problems import Problem, error
from cep_patterns.quantifiers import MAX_STATES, can_be_empty, part_errors, states
from cep_patterns.select import never_matches

__all__ = ["Problem", "validate"]


def validate(pattern: PatternModel) -> list[Problem]:
    """Every problem of the pattern's structure; without an error it can run."""
    found = [
        *_names(pattern),
        *_each_part(pattern),
        *_sequences(pattern),
        *_end(pattern),
        *_skip(pattern),
        *_whole(pattern),
    ]
    if not any(problem.severity == "error" for problem in found):
        found += advice(pattern)
    return found


def _whole(pattern: PatternModel) -> Iterator[Problem]:
    reason = never_matches(pattern)
    if reason is not None:
        yield error(reason)
    if sum(states(part) for part in pattern.steps) > MAX_STATES:
        message = f"the repetitions multiply to more than {MAX_STATES} states"
        yield error(f"{message}; repeat less often, or in fewer groups inside groups")


def _names(pattern: PatternModel) -> Iterator[Problem]:
    for name, count in Counter(step.name for step in every_step(pattern.steps)).items():
        if count > 1:
            yield error(f"the name is used {count} times; a step's name must be its own", name)


def _each_part(pattern: PatternModel) -> Iterator[Problem]:
    for part in every_part(pattern.steps):
        for message in part_errors(part, pattern.within_ms, part is pattern.steps[-1]):
            yield error(message, label(part))


def _sequences(pattern: PatternModel) -> Iterator[Problem]:
    yield from _sequence(pattern.steps, "a pattern")
    for part in every_part(pattern.steps):
        if isinstance(part, GroupModel):
            yield from _sequence(part.group, "a group")
            yield from _group_end(part.group[-1])
    if all(part.optional or part.negated for part in pattern.steps):
        yield error("every step is optional: the pattern would match nothing at all", label(pattern.steps[0]))


def _sequence(parts: Sequence[PartModel], what: str) -> Iterator[Problem]:
    first = parts[0]
    if isinstance(first, StepModel) and first.negated:
        yield error(f"{what} cannot begin with what must not come", first.name)
    for before, part in pairwise(parts):
        if part.negated and before.optional:
            yield error(
                f"{part.contiguity} after the optional step {label(before)} is not defined; "
                f"write two patterns, one with {label(before)} and one without",
                label(part),
            )
        if part.optional and isinstance(before, StepModel) and before.greedy:
            yield error(
                f"an optional step after the greedy step {before.name} is not defined; "
                "drop greedy, or write two patterns",
                label(part),
            )


def _group_end(last: PartModel) -> Iterator[Problem]:
    if isinstance(last, StepModel) and last.negated:
        yield error(f"{last.contiguity} cannot end a group; put it behind the group", last.name)


def _end(pattern: PatternModel) -> Iterator[Problem]:
    last = pattern.steps[-1]
    window = pattern.within_ms or (last.within_ms if isinstance(last, StepModel) else None)
    if last.contiguity == "not_followed_by" and window is None:
        yield error(
            "not_followed_by at the end needs within, of the pattern or of the step: nothing else decides it",
            label(last),
        )
    for index, part in enumerate(pattern.steps[:-1]):
        if part.negated and all(can_be_empty(later) for later in pattern.steps[index + 1 :]):
            message = "every step after it is optional: what must not come is then not bounded"
            yield error(message, label(part))


def _skip(pattern: PatternModel) -> Iterator[Problem]:
    target = pattern.after_match.step
    if target is None:
        return
    kind = pattern.after_match.kind
    steps = {part.name: part for part in pattern.steps if isinstance(part, StepModel)}
    if target in {step.name for step in every_step(pattern.steps)} - set(steps):
        message = f"after_match: {kind}: Flink cannot skip to a step inside a group; name one outside"
        yield error(f"{message}, such as {', '.join(steps) or 'none here: use skip_past_last'}", target)
    elif target not in steps:
        there = ", ".join(steps)
        yield error(f"after_match: {kind}: there is no step {target!r}; there are {there}", target)
    elif steps[target].negated:
        yield error(f"after_match: {kind}: a step that must not come has no sample to skip to", target)
