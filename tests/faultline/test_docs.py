"""The documents' commands: `console` blocks are run; every `faultline` line anywhere must at least parse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from faultline.main import app

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(console|sh)\n(.*?)^```$", re.S | re.M)


def documents() -> list[Path]:
    """README and everything under docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(kind: str) -> Iterator[tuple[str, str]]:
    """(place, command) of each `faultline` line in blocks of this kind, comments and prompt cut off."""
    for file in documents():
        for found in BLOCK.finditer(file.read_text(encoding="utf-8")):
            lines = found[2].replace("\\\n", " ").splitlines() if found[1] == kind else []
            for line in lines:
                text = line.removeprefix("$ ").partition("  #")[0].strip()
                if text.startswith("faultline ") and not (kind == "console" and not line.startswith("$ ")):
                    yield str(file.relative_to(ROOT)), text


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that the words name, and the words that are left for it."""
    command: Any = typer.main.get_command(app)
    while getattr(command, "commands", None):
        word = words.pop(0)
        assert word in command.commands, f"no command {word!r}"
        command = command.commands[word]
    return command, words


@pytest.mark.parametrize(("place", "text"), list(commands("console")))
def test_console_blocks_run(place: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, shlex.split(text)[1:])

    assert done.exit_code == 0, f"{place}: {text}: {done.output}"


@pytest.mark.parametrize(("place", "text"), [*commands("sh"), *commands("console")])
def test_every_command_and_option_that_is_shown_exists(place: str, text: str) -> None:
    command, words = command_of(shlex.split(text)[1:])
    options = {name for each in command.params for name in each.opts}

    assert [word for word in words if word.startswith("--") and word not in options] == [], f"{place}: {text}"


def test_every_command_is_documented() -> None:
    shown = (ROOT / "docs" / "reference-command.md").read_text(encoding="utf-8")
    root: Any = typer.main.get_command(app)

    assert [name for name in root.commands if f"## {name}\n" not in shown] == []


def test_documents_are_found_and_have_commands() -> None:
    assert len(documents()) >= 2
    assert list(commands("console"))
    assert len(list(commands("sh"))) >= 10
