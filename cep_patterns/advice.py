"""What the writer of a correct pattern should know: when its matches come late, what is never let go."""

from __future__ import annotations

from collections.abc import Iterator

from cep_patterns.model import GroupModel, PartModel, PatternModel, StepModel, every_part, label
from cep_patterns.problems import Problem, warning
from cep_patterns.short_forms import duration_text


def advice(pattern: PatternModel) -> Iterator[Problem]:
    """The warnings of a pattern without errors."""
    yield from _no_effect(pattern.steps)
    for part in every_part(pattern.steps):
        if isinstance(part, GroupModel):
            yield from _no_effect(part.group)
    if not _bounded(pattern) and not _strict(pattern) and not _single(pattern):
        yield warning("without within a half-finished match is kept until it completes, even for ever")
    if pattern.after_match.kind != "no_skip" and not _in_lockstep(pattern):
        yield warning(_withheld(pattern))
    yield from _gaps(pattern)
    yield from _doubling(pattern)
    if pattern.on_timeout == "match" and pattern.within_ms is None and not _has_gap(pattern):
        yield warning("on_timeout: match without any within: nothing ever times out")


def _no_effect(parts: list[PartModel]) -> Iterator[Problem]:
    if parts[0].contiguity != "followed_by":
        yield warning(f"contiguity {parts[0].contiguity} has no effect on the first step", label(parts[0]))


def _withheld(pattern: PatternModel) -> str:
    bound = (
        "for ever"
        if pattern.within_ms is None
        else f"up to {pattern.within_ms} ms (within {duration_text(pattern.within_ms)})"
    )
    return (
        f"after_match {pattern.after_match.kind} withholds a match while an older start is undecided, "
        f"{bound}; no_skip reports at once"
    )


def _gaps(pattern: PatternModel) -> Iterator[Problem]:
    """Where Flink looks at the window between steps less often than its reader may think."""
    first = next(every_part(pattern.steps))
    for part in every_part(pattern.steps):
        if isinstance(part, GroupModel) or part.within_ms is None:
            continue
        if part.looping:
            message = "within of a loop bounds the wait for the samples it needs, not for more"
            yield warning(f"{message}; end the loop by until, or use within of the pattern", part.name)
        elif part.counted:
            message = "Flink does not check within before the last sample of a step with times"
            yield warning(f"{message}; write the last one as a step of its own", part.name)
        elif part is first:
            yield warning("within has no effect on the first step: nothing comes before it", part.name)
        elif part.optional:
            message = "within of an optional step ends with the first sample that does not fit"
            yield warning(message, part.name)


def _doubling(pattern: PatternModel) -> Iterator[Problem]:
    for part in every_part(pattern.steps):
        if part.looping and part.combinations:
            message = "a loop over combinations has twice as many half-finished matches with each sample"
            advised = "a key holds limits.partials_per_key of them, the oldest go; say times: {from, to}"
            yield warning(f"{message}; {advised}", label(part))


def _has_gap(pattern: PatternModel) -> bool:
    return any(isinstance(part, StepModel) and part.within_ms for part in every_part(pattern.steps))


def _bounded(pattern: PatternModel) -> bool:
    """Whether every wait ends by itself."""
    if pattern.within_ms is not None:
        return True
    first, *rest = pattern.steps
    return all(
        isinstance(part, StepModel)
        and not part.counted
        and (part is first or (part.within_ms is not None and not part.optional))
        for part in (first, *rest)
        if not (part.contiguity == "not_followed_by" and part is not pattern.steps[-1])
    )


def _single(pattern: PatternModel) -> bool:
    only = pattern.steps[0]
    return len(pattern.steps) == 1 and isinstance(only, StepModel) and not only.counted


def _in_lockstep(pattern: PatternModel) -> bool:
    """Whether an older run always ends before a younger one, so that no match ever waits."""
    part = pattern.steps[0]
    one = len(pattern.steps) == 1 and _fixed(part) and not part.combinations
    return (one and isinstance(part, StepModel)) or _strict(pattern)


def _strict(pattern: PatternModel) -> bool:
    """Whether every run is decided sample by sample: strict steps of fixed length only."""
    return all(
        isinstance(part, StepModel)
        and _fixed(part)
        and (part.times is None or part.consecutive or part.times.to == 1)
        and (index == 0 or part.contiguity == "next")
        for index, part in enumerate(pattern.steps)
    )


def _fixed(part: PartModel) -> bool:
    count = part.times is None or part.times.from_ == part.times.to
    return count and not (part.optional or part.negated or part.one_or_more)
