"""How the command speaks: data on stdout, everything else on stderr; tables for a terminal and for a pipe.

Imports typer; rich only when a terminal is there to use it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

if TYPE_CHECKING:
    from rich.style import StyleType

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
"""The option that every command has."""


class Progress(Protocol):
    """Told by a long command what it is doing; shown on stderr."""

    def __call__(self, text: str, /) -> None: ...


def say(text: str = "") -> None:
    """A line of data, on stdout."""
    typer.echo(text)


def say_json(value: Any) -> None:
    """A value as one line of JSON, on stdout; numbers that are not finite become null."""
    import orjson

    typer.echo(orjson.dumps(value, default=str).decode())


def note(text: str) -> None:
    """A line about what is going on, on stderr."""
    typer.echo(text, err=True)


def complain(text: str) -> None:
    """An error, on stderr, with the word in red on a terminal."""
    typer.echo(typer.style("error: ", fg=typer.colors.RED, bold=True) + text, err=True)


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress line on stderr: one that moves on a terminal, a line for each change of text elsewhere."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:

        def tell(text: str, /) -> None:
            status.update(text)

        yield tell


class _Lines:
    """Progress without a terminal: each text once, so that a log does not fill with repetitions."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, text: str, /) -> None:
        if text != self._last:
            note(text)
        self._last = text


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], styles: Mapping[str, str] | None = None
) -> None:
    """A table on stdout: rich on a terminal, plain aligned text elsewhere; cells are text, never markup."""
    cells = [[_one_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _rich_table(columns, cells, styles or {})
    else:
        for line in plain_table(columns, cells):
            say(line)


def plain_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table whose columns are as wide as their widest cell, two blanks apart."""
    every = [list(columns), *(list(row) for row in rows)]
    widths = [max(len(row[index]) for row in every) for index in range(len(columns))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in every
    ]


def _rich_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], styles: Mapping[str, StyleType]
) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        shown.add_column(name, style=styles.get(name), overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    Console().print(shown)


def _one_line(text: str) -> str:
    """The text without line breaks and control characters: names come from the data."""
    return "".join(each if each.isprintable() else " " for each in text)
