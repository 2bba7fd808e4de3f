"""The rules for one step or group by itself: its counts, its quantifiers, its window."""

from __future__ import annotations

from collections.abc import Iterator

from cep_patterns.model import GroupModel, PartModel, StepModel
from cep_patterns.short_forms import duration_text

MAX_TIMES = 1_000
MAX_STATES = 10_000
"""Each repetition of each step is a state of the automaton."""


def part_errors(part: PartModel, within_ms: int | None, last: bool) -> Iterator[str]:
    """Why Flink refuses the part, or would run it as nobody means it.

    `within_ms` is the window of the whole pattern; `last`: whether the part ends the pattern.
    """
    if part.times is not None:
        yield from _range(part.times.from_, part.times.to)
    if isinstance(part, GroupModel):
        yield from _group(part)
    elif part.negated:
        yield from _negation(part, last)
    yield from _counts(part)
    if isinstance(part, StepModel):
        yield from _greedy(part)
        if part.within_ms is not None and within_ms is not None and part.within_ms > within_ms:
            yield (
                f"within: {duration_text(part.within_ms)} is longer than the whole pattern may take, "
                f"{duration_text(within_ms)}"
            )


def _range(least: int, most: int | None) -> Iterator[str]:
    if least < 1:
        yield f"times: {least} takes no sample; the least is 1 (or say optional: true)"
    elif most is not None and most < least:
        yield f"times: from {least} to {most} is empty"
    elif max(least, most or 0) > MAX_TIMES:
        yield f"times: more than {MAX_TIMES} is more than a run can hold"


def _group(group: GroupModel) -> Iterator[str]:
    if group.negated:
        yield f"Flink has no {group.contiguity} for groups; forbid one step, or write two patterns"
    if all(can_be_empty(part) for part in group.group):
        yield "every step of the group is optional; make the group optional instead"


def _negation(step: StepModel, last: bool) -> Iterator[str]:
    named = ("times", "one_or_more", "optional", "greedy", "consecutive", "combinations", "until")
    for name in (name for name in named if getattr(step, name)):
        yield f"{name} does not go with {step.contiguity}: a step that must not come takes no quantifier"
    if step.where is None:
        yield f"{step.contiguity} without a condition would forbid every sample"
    if step.within_ms is not None and step.contiguity == "not_followed_by" and not last:
        yield "within of not_followed_by counts only where it ends the pattern; put it on the next step"


def _counts(part: PartModel) -> Iterator[str]:
    if part.negated:
        return
    if part.times is not None and part.one_or_more:
        yield "times and one_or_more exclude each other"
    if part.until is not None and not part.looping:
        yield "until belongs to a loop: one_or_more, or times without an end"
    if part.consecutive and part.combinations:
        yield "consecutive and combinations exclude each other"
    for name in ("consecutive", "combinations"):
        if getattr(part, name) and not part.counted:
            yield f"{name} belongs to a step with times or one_or_more"


def _greedy(step: StepModel) -> Iterator[str]:
    if not step.greedy or step.negated:
        return
    if not step.counted:
        yield "greedy belongs to a step with times or one_or_more"
    if step.combinations or step.contiguity == "followed_by_any":
        yield "greedy does not go with combinations or followed_by_any"


def can_be_empty(part: PartModel) -> bool:
    """Whether a match can do without a sample of the part."""
    if part.optional or part.negated:
        return True
    return isinstance(part, GroupModel) and all(can_be_empty(each) for each in part.group)


def states(part: PartModel) -> int:
    """About how many states of the automaton the part becomes."""
    one = sum(states(each) for each in part.group) if isinstance(part, GroupModel) else 1
    if part.times is None:
        return one * (2 if part.one_or_more else 1)
    return one * max(part.times.from_, part.times.to or part.times.from_ + 1)
