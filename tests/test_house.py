"""What holds for every tracked file: size, length of modules, no left-overs, one version."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 400
MAX_BYTES = 1_000_000

#: Paths of one machine, and marks of unfinished work; in pieces so that this file passes its own check.
MACHINE = "|".join(f"/{folder}/" for folder in ("work", "root", "home/[a-z]+", "Users"))
MARKS = "|".join(
    rf"\b{a}{b}\b" for a, b in (("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("NotImplemented", "Error"))
)
LEFT_OVER = re.compile(f"{MACHINE}|{MARKS}|@Dis" + "abled")
TEXT = {
    ".py",
    ".java",
    ".md",
    ".yaml",
    ".yml",
    ".toml",
    ".xml",
    ".sh",
    ".txt",
    ".properties",
    ".html",
    ".j2",
    ".json",
}


def tracked() -> list[Path]:
    """Every tracked file that is there, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def left_overs(text: str) -> list[int]:
    """Numbers of the lines with a machine's path or a left-over mark."""
    return [number for number, line in enumerate(text.splitlines(), 1) if LEFT_OVER.search(line)]


def text_files() -> list[Path]:
    named = {"Makefile", "run"}
    return [path for path in tracked() if path.suffix in TEXT or path.name in named]


def test_no_machine_paths_or_left_over_marks() -> None:
    found = [
        f"{path}:{number}"
        for path in text_files()
        for number in left_overs((ROOT / path).read_text(encoding="utf-8"))
    ]
    assert found == []


def test_modules_are_short() -> None:
    code = [path for path in tracked() if path.suffix in {".py", ".java"}]
    assert code
    lengths = {str(path): (ROOT / path).read_text(encoding="utf-8").count("\n") for path in code}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_large_file_is_tracked() -> None:
    sizes = {str(path): (ROOT / path).stat().st_size for path in tracked()}
    assert {path: size for path, size in sizes.items() if size > MAX_BYTES} == {}


def test_one_version_everywhere() -> None:
    setup = re.search(r'^VERSION = "(.+)"$', (ROOT / "setup.py").read_text(), re.M)
    changelog = re.search(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    pom = re.search(
        r"<artifactId>faultline</artifactId>\s*<version>(.+)</version>", (ROOT / "jvm/pom.xml").read_text()
    )
    assert setup
    assert changelog
    assert pom
    assert setup[1] == changelog[1] == pom[1]


def test_every_dependency_is_pinned() -> None:
    wanted = re.findall(r'^    "([A-Za-z0-9_.-]+)[=<>]?.*",', (ROOT / "setup.py").read_text(), re.M)
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = {line.partition("==")[0].lower() for line in lines if "==" in line}
    assert wanted
    assert [name for name in wanted if name.lower() not in pinned] == []


@pytest.mark.parametrize(
    "line", ["see /" + "root/x", "# " + "TO" + "DO: later", "raise NotImplemented" + "Error"]
)
def test_the_left_over_check_can_fail(line: str) -> None:
    assert left_overs(f"fine\n{line}\n") == [2]
