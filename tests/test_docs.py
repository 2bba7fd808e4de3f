"""What the documents tell a person to type exists: commands, options, make targets, linked files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from faultline.main import app

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def code_lines(text: str) -> Iterator[str]:
    """The lines of code blocks, fenced or indented, without their comments and prompts."""
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip().removeprefix("$ ").partition(" #")[0]


def commands(text: str, program: str) -> list[list[str]]:
    """The words after ``program`` of each line of code that runs it."""
    lines = [line for line in code_lines(text) if re.match(rf"(\S*/)?{program} ", line)]
    return [shlex.split(line.rstrip("\\"))[1:] for line in lines]


def unknown(words: list[str]) -> str | None:
    """The first word that the command does not know; None where it knows all."""
    command = typer.main.get_command(app)
    rest = list(words)
    while hasattr(command, "commands"):
        name = next((word for word in rest if not word.startswith("-")), "")
        if name not in command.commands:
            return name
        rest = rest[rest.index(name) + 1 :]
        command = command.commands[name]
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    return next(
        (w for w in rest if w.startswith("--") and w.partition("=")[0] not in {*known, "--help"}), None
    )


def of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_says_to_type_exists(document: Path) -> None:
    wrong = {" ".join(words): unknown(words) for words in commands(of(document), "faultline")}
    assert {typed: word for typed, word in wrong.items() if word is not None} == {}
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.M))
    assert {words[0] for words in commands(of(document), "make")} <= targets
    linked = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", of(document))
    assert [link for link in linked if not (document.parent / link).exists()] == []


def test_the_readme_shows_commands() -> None:
    assert len(commands(of(ROOT / "README.md"), "faultline")) >= 8
    assert ["run"] in commands(of(ROOT / "README.md"), "make")


@pytest.mark.parametrize(
    ("typed", "word"), [("job submitt", "submitt"), ("run --into x", "--into"), ("doctor", None)]
)
def test_the_check_can_fail(typed: str, word: str | None) -> None:
    assert unknown(typed.split()) == word
