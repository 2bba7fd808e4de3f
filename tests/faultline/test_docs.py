"""The documents' commands.

A `yaml file=NAME` (or json) block is written to NAME; a `console` block is run, in the order of the page,
and must print what the page says (`...` stands for any lines) and end in 0, or in what `exit=N` says.
Every `faultline` line anywhere must name a command and options that exist.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from faultline.main import app

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.S | re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its words after that (`exit=1`), its text."""

    language: str
    words: tuple[str, ...]
    text: str

    def value(self, key: str) -> str | None:
        """What stands after `key=`."""
        return next((word.partition("=")[2] for word in self.words if word.startswith(f"{key}=")), None)

    def commands(self) -> list[str]:
        """The `faultline` lines of a console or sh block, without prompt and comment."""
        if self.language not in ("console", "sh"):
            return []
        prompt = "$ " if self.language == "console" else ""
        lines = [line for line in self.text.splitlines() if line.startswith(f"{prompt}faultline ")]
        return [line.removeprefix(prompt).partition("  #")[0].strip() for line in lines]

    def steps(self) -> Iterator[tuple[str, list[str]]]:
        """(command, lines it must print) of a console block."""
        for part in self.text.split("$ ")[1:]:
            command, *printed = part.rstrip("\n").split("\n")
            yield command.partition("  #")[0].strip(), printed


def blocks(file: Path) -> list[Block]:
    """The fenced blocks of a document."""
    found = BLOCK.finditer(file.read_text(encoding="utf-8"))
    return [Block(each[1], tuple(each[2].split()), each[3]) for each in found]


def documents() -> list[Path]:
    """README and everything under docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def named(file: Path) -> str:
    """The document's path for the test's name."""
    return str(file.relative_to(ROOT))


def matches(printed: str, wanted: list[str]) -> bool:
    """Whether the output is what the page says; `...` stands for any lines."""
    pattern = "\n".join(re.escape(line) if line != "..." else r"(?:.*\n?)*?" for line in wanted)
    return not wanted or re.fullmatch(pattern, printed.rstrip("\n")) is not None


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words name, and the words that are left for it."""
    command: Any = typer.main.get_command(app)
    while getattr(command, "commands", None):
        word = words.pop(0)
        assert word in command.commands, f"no command {word!r}"
        command = command.commands[word]
    return command, words


@pytest.mark.parametrize(
    "file", [file for file in documents() if "```console" in file.read_text()], ids=named
)
def test_the_pages_commands_do_what_it_says(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for block in blocks(file):
        target = block.value("file")
        if target is not None:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            Path(target).write_text(block.text, encoding="utf-8")
        for command, printed in block.steps() if block.language == "console" else ():
            done = CliRunner().invoke(app, shlex.split(command)[1:])
            assert done.exit_code == int(block.value("exit") or 0), f"{command}: {done.output}"
            assert matches(done.stdout, printed), f"{command}: {done.stdout}"


@pytest.mark.parametrize("file", documents(), ids=named)
def test_every_command_and_option_that_is_shown_exists(file: Path) -> None:
    for text in [text for block in blocks(file) for text in block.commands()]:
        command, words = command_of(shlex.split(text)[1:])
        options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        assert [word for word in words if word.startswith("--") and word not in options] == [], text


def test_every_command_is_documented() -> None:
    shown = (ROOT / "docs" / "reference-command.md").read_text(encoding="utf-8")
    root: Any = typer.main.get_command(app)

    assert [name for name in root.commands if f"## {name}\n" not in shown] == []


def test_documents_are_found_and_have_commands() -> None:
    assert len(documents()) >= 4
    assert sum(len(block.commands()) for file in documents() for block in blocks(file)) >= 20


def test_the_comparison_can_fail() -> None:
    assert matches("a\nb\nc\n", ["a", "...", "c"])
    assert matches("anything\n", [])
    assert not matches("a\nb\n", ["a"])
    assert not matches("a\n", ["a", "b"])
