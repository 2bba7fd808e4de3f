"""How the command speaks: data on stdout, everything else on stderr; tables for a terminal and for a pipe.

Imports typer; rich only when a terminal is there to use it.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol

import typer

if TYPE_CHECKING:
    from rich.style import StyleType

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
"""The option that every command has."""


LAST_WIDTH: Final = 30
"""Least width of the last column, which is text, of a table on a terminal."""
PAUSE_S: Final = 5.0
"""Least time between two lines of one stage's progress where there is no terminal."""


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
    """Progress without a terminal: a changed text, at most every few seconds, so that a log does not fill."""

    def __init__(self) -> None:
        self._last = ""
        self._told = -PAUSE_S

    def __call__(self, text: str, /) -> None:
        now = time.monotonic()
        kind = text.partition(":")[0]
        if text != self._last and (now - self._told >= PAUSE_S or kind != self._last.partition(":")[0]):
            note(text)
            self._last, self._told = text, now


def table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], styles: Mapping[str, str] | None = None
) -> None:
    """A table on stdout: rich on a terminal, plain aligned text elsewhere; cells are text, never markup.

    On a terminal too narrow for it the last column stands under each line.
    """
    cells = [[_one_line(cell) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        lines = plain_table(columns, cells)
    elif _width(columns, cells) > shutil.get_terminal_size().columns:
        lines = narrow_table(columns, cells)
    else:
        _rich_table(columns, cells, styles or {})
        return
    for line in lines:
        say(line)


def _width(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The width that a table needs, the last column wrapped at `LAST_WIDTH`."""
    first = plain_table(columns[:-1], [row[:-1] for row in rows])
    return max(len(line) for line in first) + 2 * len(columns) + LAST_WIDTH


def narrow_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A plain table whose last column stands under each line."""
    head, *lines = plain_table(columns[:-1], [row[:-1] for row in rows])
    below = [f"  {row[-1]}" for row in rows]
    return [head, *(each for pair in zip(lines, below, strict=True) for each in pair if each.strip())]


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
