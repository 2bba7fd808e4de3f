"""Options that are spans of time, as every command of patterns takes them. Reads them inside functions."""

from __future__ import annotations

from typing import Annotated

import typer


def duration_ms(text: str | int) -> int:
    """The milliseconds of an option such as 30s or 1m30s; typer's BadParameter where it is no duration."""
    from cep_patterns.document import duration_of

    if isinstance(text, int):
        return text
    try:
        return duration_of(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def span_ms(text: str | int) -> int:
    """As `duration_ms`, above 0."""
    found = duration_ms(text)
    if found <= 0:
        raise typer.BadParameter(f"above 0 is wanted; this is {text!r}")
    return found


Lateness = Annotated[
    int, typer.Option(parser=duration_ms, metavar="DURATION", help="How late a sample may come.")
]
Tick = Annotated[
    int, typer.Option(parser=span_ms, metavar="DURATION", help="The tick of the baseline behind z.")
]
