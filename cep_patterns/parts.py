"""Reads the steps and groups of a pattern's document, with their conditions.

A condition may look at the steps before it, at its own, and inside a repeated group at all steps of the
group: those of the round before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from cep_patterns.expressions import parse_condition
from cep_patterns.model import GroupModel, PartModel, StepModel
from cep_patterns.short_forms import RefusedError, duration_ms, kind_of, made, mapping, times, unknown
from cep_patterns.tree import Expr
from cep_patterns.vocabulary import ConditionError, Vocabulary

_DEEPEST: Final = 20
"""Groups in groups that the JVM takes."""
_SHOWN: Final = 120
"""Characters of a condition that an error shows."""
_REPEATS: Final = ("contiguity", "times", "one_or_more", "optional", "consecutive", "combinations", "until")
STEP_KEYS: Final = ("name", "where", *_REPEATS, "greedy", "within")
GROUP_KEYS: Final = ("group", *_REPEATS)
_NOT_OF_GROUPS: Final = {
    "name": "a group has no name; its steps have",
    "where": "a group takes no condition; put it on its steps",
    "greedy": "Flink has no greedy groups; make the last loop inside greedy, or end the group by until",
    "within": "Flink does not look at within of a group; put it on the group's steps",
}


class _ToldError(RefusedError):
    """A group is not made because of a part that was refused before."""


class PartsReader:
    """Reads the parts of one pattern; `refuse` takes what is wrong with one while the others are read."""

    def __init__(self, vocabulary: Vocabulary, refuse: Callable[[RefusedError], None]) -> None:
        self._vocabulary = vocabulary
        self._refuse = refuse

    def read(self, raw: object, key: str = "steps", seen: tuple[str, ...] = ()) -> list[PartModel]:
        """The parts in the list `raw`; `seen` are the steps whose samples are there before the first."""
        if not isinstance(raw, list) or not raw:
            raise RefusedError(f"{key}: a list of at least one step is wanted")
        if key == "steps":
            _check_depth(raw)
        parts: list[PartModel] = []
        for number, each in enumerate(raw, start=1):
            name = _label(each, number)
            try:
                parts.append(self._part(each, name, seen))
            except _ToldError:
                pass
            except RefusedError as refused:
                self._refuse(RefusedError(refused.message, refused.step or name, refused.column))
            seen += tuple(_taking([each]))
        return parts

    def _part(self, raw: object, name: str, seen: tuple[str, ...]) -> PartModel:
        document = mapping(raw, "a step")
        return self._group(document, name, seen) if "group" in document else self._step(document, name, seen)

    def _step(self, document: Mapping[str, Any], name: str, seen: tuple[str, ...]) -> StepModel:
        wrong = list(unknown(document, STEP_KEYS))
        fields = {key: document[key] for key in STEP_KEYS if key in document}
        visible = seen if _negated(document) else (*seen, name)
        wrong += self._read_keys(fields, visible)
        if "within" in fields:
            fields["within_ms"] = fields.pop("within")
        self._tell(wrong, name)
        return made(StepModel, fields)

    def _tell(self, wrong: Iterable[RefusedError], name: str) -> None:
        """Tells all that is wrong with one part, and leaves it."""
        told = list(wrong)
        for refused in told:
            self._refuse(RefusedError(refused.message, refused.step or name, refused.column))
        if told:
            raise _ToldError("a part is wrong")

    def _group(self, document: Mapping[str, Any], name: str, seen: tuple[str, ...]) -> GroupModel:
        for key in document:
            if key in _NOT_OF_GROUPS:
                raise RefusedError(_NOT_OF_GROUPS[str(key)])
        wrong = list(unknown(document, GROUP_KEYS))
        fields = {key: document[key] for key in GROUP_KEYS if key in document}
        visible = tuple(dict.fromkeys((*seen, *_taking([document]))))
        again = "times" in document or "one_or_more" in document
        wrong += self._read_keys(fields, visible)
        inside = fields["group"]
        fields["group"] = self.read(inside, "group", visible if again else seen)
        self._tell(wrong, name)
        if len(fields["group"]) < len(inside):
            raise _ToldError("a part of the group is wrong")
        return made(GroupModel, fields)

    def _read_keys(self, fields: dict[str, Any], visible: tuple[str, ...]) -> Iterator[RefusedError]:
        """Reads the short forms of a part's keys in place; what is wrong with each."""
        readers: dict[str, Callable[[Any], Any]] = {
            "where": partial(self._condition, "where", visible),
            "until": partial(self._condition, "until", visible),
            "times": times,
            "within": partial(_keyed, "within", duration_ms),
        }
        for key, read in readers.items():
            if fields.get(key) is not None:
                try:
                    fields[key] = read(fields[key])
                except RefusedError as refused:
                    yield refused

    def _condition(self, key: str, steps: tuple[str, ...], raw: object) -> Expr | None:
        if raw is True:
            return None
        if not isinstance(raw, str):
            raise RefusedError(f"{key}: a condition is text; this is {kind_of(raw)}")
        try:
            return parse_condition(raw, steps, self._vocabulary)
        except ConditionError as error:
            message = f"{key}: {error}: {_around(raw.strip(), error.column)}"
            raise RefusedError(message, column=error.column) from error


def _around(text: str, column: int) -> str:
    """The condition, or what of a long one stands around a column (from 1)."""
    if len(text) <= _SHOWN:
        return text
    begin = max(0, min(column - 1 - _SHOWN // 2, len(text) - _SHOWN))
    end = begin + _SHOWN
    return ("..." if begin else "") + text[begin:end] + ("..." if end < len(text) else "")


def _keyed(key: str, read: Callable[[object], Any], value: object) -> Any:
    try:
        return read(value)
    except RefusedError as refused:
        raise RefusedError(f"{key}: {refused.message}") from refused


def _check_depth(parts: object, depth: int = 0) -> None:
    """Refuses groups that are deeper than may be, and so groups that hold themselves."""
    if depth > _DEEPEST:
        raise RefusedError(f"groups nested deeper than {_DEEPEST}")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, Mapping) and "group" in part:
            _check_depth(part["group"], depth + 1)


def _negated(document: Mapping[str, Any]) -> bool:
    return str(document.get("contiguity", "")).startswith("not_")


def _taking(parts: object) -> Iterator[str]:
    """The names of the steps in raw parts that take samples, wrong parts left out."""
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, Mapping):
            if "group" in part:
                yield from _taking(part["group"])
            elif isinstance(part.get("name"), str) and not _negated(part):
                yield part["name"]


def _label(raw: object, number: int) -> str:
    if isinstance(raw, Mapping) and "group" in raw:
        return f"group of {next(_taking(raw['group']), f'number {number}')}"
    name = raw.get("name") if isinstance(raw, Mapping) else None
    return name if isinstance(name, str) else f"number {number}"
