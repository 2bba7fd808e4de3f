"""Loads patterns from YAML files and folders. Imports PyYAML and this package only.

A file holds one pattern or a list of them; in a folder every `*.yaml` that is no `*.test.yaml` is a pattern
file. A key that appears twice is an error: YAML itself would keep the last in silence.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cep_patterns.document import read_document
from cep_patterns.model import PatternModel
from cep_patterns.validate import Problem
from records.errors import PatternError

LIBRARY = Path(__file__).with_name("library")
"""The folder of the shipped patterns."""


_ABSENT = ": cannot be read: "
_NAME_ONE = "name a file that is there"
_CORRECT = "correct the pattern; `faultline pattern validate` shows the warnings, too"


@dataclass(frozen=True)
class Loaded:
    """What files hold: the patterns that can run, with their files, and every problem."""

    patterns: list[tuple[Path, PatternModel]]
    problems: list[Problem]

    @property
    def errors(self) -> list[Problem]:
        """The problems for which a pattern is refused."""
        return [problem for problem in self.problems if problem.severity == "error"]


def load_patterns(paths: Iterable[Path | str]) -> list[PatternModel]:
    """The patterns in files and folders; PatternError that lists every error where there is one."""
    loaded = read_patterns(paths)
    if loaded.errors:
        told = "\n".join(str(problem) for problem in loaded.errors)
        absent = all(_ABSENT in problem.message for problem in loaded.errors)
        raise PatternError(told, _NAME_ONE if absent else _CORRECT)
    return [pattern for _, pattern in loaded.patterns]


def load_some(paths: Iterable[Path | str]) -> list[PatternModel]:
    """As `load_patterns`; PatternError that names the path that holds no pattern, too."""
    places = [Path(path) for path in paths]
    patterns = load_patterns(places)
    for place in without_patterns(places):
        raise PatternError(f"{place}: no patterns", "name files that end in .yaml, or a folder of them")
    return patterns


def without_patterns(paths: Iterable[Path | str]) -> list[Path]:
    """The folders without a pattern file, and the files with an empty list."""
    return [path for path in map(Path, paths) if all(_is_empty(file) for file in _files(path))]


def _is_empty(file: Path) -> bool:
    try:
        return bool(read_yaml(file) == [])
    except PatternError:
        return False


def load_library() -> list[PatternModel]:
    """The shipped patterns."""
    return load_patterns([LIBRARY])


def read_patterns(paths: Iterable[Path | str]) -> Loaded:
    """The patterns in files and folders and their problems.

    What is wrong with one does not touch the others.
    """
    patterns: list[tuple[Path, PatternModel]] = []
    problems: list[Problem] = []
    seen: dict[str, Path] = {}
    for file in dict.fromkeys(file for path in paths for file in _files(Path(path))):
        try:
            documents = list(_documents(file))
        except PatternError as error:
            problems.append(Problem("error", error.message))
            continue
        for document in documents:
            pattern, found = read_document(document, str(file))
            problems += found
            if pattern is None:
                continue
            if pattern.id in seen:
                message = f"the id is taken by {seen[pattern.id]}"
                problems.append(Problem("error", message, pattern=pattern.id, file=str(file)))
                continue
            seen[pattern.id] = file
            patterns.append((file, pattern))
    return Loaded(patterns, problems)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return [each for each in sorted(path.glob("*.yaml")) if not each.name.endswith(".test.yaml")]
    return [path]


def _documents(file: Path) -> Iterator[object]:
    content = read_yaml(file)
    yield from content if isinstance(content, list) else [content]


def read_yaml(file: Path) -> Any:
    """The content of a YAML file; PatternError with file and line where it is none or a key appears twice."""
    try:
        return yaml.load(file.read_text(encoding="utf-8"), Loader=_Strict)
    except OSError as error:
        raise PatternError(f"{file}{_ABSENT}{error.strerror}", _NAME_ONE) from error
    except RecursionError as error:
        raise PatternError(f"{file}: no YAML: nested too deeply", "correct the file") from error
    except UnicodeDecodeError as error:
        raise PatternError(f"{file}: no text in UTF-8: {error.reason}", "save it as UTF-8") from error
    except yaml.YAMLError as error:
        raise PatternError(f"{file}: no YAML: {_in_words(error)}", "correct the file") from error


def _in_words(error: yaml.YAMLError) -> str:
    """What is wrong and where, as far as the reader knows."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    told = " ".join(filter(None, (error.context, error.problem)))
    mark = error.problem_mark or error.context_mark
    place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    if "single document" in told:
        return f"several documents{place}; write several patterns as a list"
    tab = "; YAML is indented with blanks, not tabs" if "'\\t'" in told else ""
    return f"{told}{place}{tab}"


class _Strict(yaml.SafeLoader):
    """Safe YAML in which no key appears twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value]
        for place, (key_node, _) in enumerate(node.value):
            if key_node.value in keys[:place]:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key_node.value!r} appears twice", key_node.start_mark
                )
        return super().construct_mapping(node, deep)
