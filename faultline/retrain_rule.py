"""When a retraining is due: a rule such as `labels=50,age=7d`, held against the verdicts that no bundle was
trained on. Imports the error tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from records.errors import UsageError

if TYPE_CHECKING:
    from onnx_models.bundle import Manifest
    from records.feedback import Feedback

EXAMPLE: Final = "write labels=50, age=7d, or both: labels=50,age=7d"


@dataclass(frozen=True)
class Rule:
    """At least so many `labels` that are new, and at least `age` ms since the last retraining; 0: any."""

    labels: int = 0
    age: int = 0


@dataclass(frozen=True)
class Seen:
    """What bundles have seen: verdicts up to `until`, and when the last one was retrained, ms; 0: never."""

    until: int = 0
    at: int = 0


def parse_rule(text: str) -> Rule:
    """The rule in `labels=50,age=7d`; UsageError that names what is wrong in it."""
    from jobs.durations import parse_duration

    found: dict[str, int] = {}
    for part in text.split(","):
        key, _, value = (each.strip() for each in part.partition("="))
        if key in found:
            raise UsageError(f"--when {text}: {key} is said twice", EXAMPLE)
        if key == "labels" and value.isascii() and value.isdecimal() and int(value) > 0:
            found[key] = int(value)
        elif key == "age":
            try:
                found[key] = parse_duration(value)
            except ValueError as error:
                raise UsageError(f"--when {text}: {error}", EXAMPLE) from error
        else:
            raise UsageError(f"--when {text}: {part.strip()!r} is no condition", EXAMPLE)
    return Rule(**found)


def seen(manifests: Iterable[Manifest]) -> Seen:
    """What bundles of one name have seen, those that were not published included."""
    marks = [one.trained_on.get("archive", {}) for one in manifests]
    until = max((int(mark.get("until", 0)) for mark in marks), default=0)
    return Seen(until, max((int(mark.get("at", 0)) for mark in marks), default=0))


def waits(rule: Rule, verdicts: Iterable[Feedback], known: Seen, now: int) -> str | None:
    """What is missing before the rule holds at `now` (ms), in words; None where it holds.

    A verdict is new if it was given after those that a bundle was trained on; an incident counts once.
    """
    from jobs.durations import show_duration

    fresh = len({each.incident_id for each in verdicts if each.time > known.until})
    missing = [] if fresh >= max(1, rule.labels) else [f"{fresh} of {max(1, rule.labels)} labels"]
    if known.at and now - known.at < rule.age:
        hours = max(0, now - known.at) // 3_600_000 * 3_600_000
        missing.append(f"retrained {show_duration(hours)} ago, not {show_duration(rule.age)}")
    return ", ".join(missing) or None
