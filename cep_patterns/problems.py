"""What is wrong with a pattern, or worth knowing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a pattern (`error`: it is refused), or worth knowing (`warning`).

    `column` counts from 1 in the text of the condition that is wrong.
    """

    severity: Literal["error", "warning"]
    message: str
    step: str | None = None
    pattern: str | None = None
    file: str | None = None
    column: int | None = None

    def __str__(self) -> str:
        """`FILE: pattern ID: step NAME: message`, as far as each is known."""
        place = self.step if self.step and self.step.startswith("group ") else f"step {self.step}"
        parts = (
            self.file,
            f"pattern {self.pattern}" if self.pattern else None,
            place if self.step else None,
            self.message,
        )
        return ": ".join(part for part in parts if part)


def error(message: str, step: str | None = None) -> Problem:
    """A problem for which the pattern is refused."""
    return Problem("error", message, step)


def warning(message: str, step: str | None = None) -> Problem:
    """A problem that the writer should know."""
    return Problem("warning", message, step)
