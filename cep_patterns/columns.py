"""Reads what a match of rows is to be told as: columns, each an expression over the rows of its steps.

    "first(start).value as began, last(peak).time, count(peak)"

Pure: text in, typed trees out. Imports `ast` and this package's expressions only.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cep_patterns import tree
from cep_patterns.expressions import Parser, one_line
from cep_patterns.fitting import type_of
from cep_patterns.vocabulary import NAMED, ConditionError, Typed, Vocabulary, wrong
from records.errors import PatternError

_OPEN = "([{"
_CLOSE = ")]}"


@dataclass(frozen=True)
class Column:
    """A field of the rows that matches become, and its value as the JVM reads it."""

    name: str
    value: tree.Expr

    def wire(self) -> dict[str, object]:
        """JSON values."""
        return {"name": self.name, "value": self.value.model_dump(mode="json", by_alias=True)}


def read_columns(
    wanted: str | Mapping[str, str], steps: Sequence[str], vocabulary: Vocabulary
) -> list[Column]:
    """The columns of a text, or of a mapping of names to expressions, in their order.

    `steps`: those that take rows. In a text a column is named by `as`, or else after what it shows:
    `last(peak).value` is peak_value, `count(peak)` is peak_count. PatternError that names the column.
    """
    _check_text(wanted)
    pairs = list(wanted.items()) if isinstance(wanted, Mapping) else [_named(each) for each in _split(wanted)]
    if not pairs:
        raise PatternError("select: no column is asked for", 'write for example "last(peak).value"')
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PatternError(f"select: two columns are called {twice}", "name one of them: `... as other`")
    return [Column(name, _value(name, text, steps, vocabulary)) for name, text in pairs]


def _check_text(wanted: object) -> None:
    if not isinstance(wanted, str | Mapping):
        raise PatternError(
            f"select: columns as text or as a mapping, or a function, are wanted; this is {type_of(wanted)}",
            'write for example "last(peak).value"',
        )
    pairs = wanted.items() if isinstance(wanted, Mapping) else ()
    wrong = next((pair for pair in pairs if not all(isinstance(each, str) for each in pair)), None)
    if wrong is not None:
        raise PatternError(
            f"select: column {wrong[0]!r}: {wrong[1]!r}: names and expressions are text",
            'write for example {"end": "last(peak).value"}',
        )


def _split(text: str) -> Iterator[str]:
    """The parts of a text between commas that are not inside brackets."""
    line = " ".join(text.split())
    depth, start = 0, 0
    for token in _tokens(line):
        depth += (token.string in _OPEN) - (token.string in _CLOSE) if token.type == tokenize.OP else 0
        if token.string == "," and depth == 0:
            yield line[start : token.start[1]].strip()
            start = token.end[1]
    if line[start:].strip():
        yield line[start:].strip()


def _named(text: str) -> tuple[str, str]:
    """Name and expression of a column that may end in `as name`."""
    tokens = [token for token in _tokens(text) if token.string]
    if len(tokens) > 2 and tokens[-2].string == "as" and tokens[-1].type == tokenize.NAME:
        return tokens[-1].string, text[: tokens[-2].start[1]].strip()
    return _own_name(text), text


def _tokens(line: str) -> list[tokenize.TokenInfo]:
    try:
        return [t for t in tokenize.generate_tokens(io.StringIO(line).readline) if t.string.strip()]
    except (tokenize.TokenError, SyntaxError) as error:
        raise PatternError(f"select: {line}: not a list of expressions", "close every bracket") from error


def _own_name(text: str) -> str:
    """What a column without `as` is called."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    if isinstance(node, ast.Name):
        return node.id
    field = f"_{node.attr}" if isinstance(node, ast.Attribute) else ""
    call = node.value if isinstance(node, ast.Attribute) else node
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and len(call.args) == 1:
        of = call.args[0]
        if isinstance(of, ast.Name):
            return f"{of.id}{field}" if field else f"{of.id}_{call.func.id}"
        if isinstance(of, ast.Attribute) and isinstance(of.value, ast.Name) and not field:
            return f"{of.value.id}_{of.attr}_{call.func.id}"
    raise PatternError(f"select: {text}: the column needs a name", f"write `{text} as name`")


def _value(name: str, text: str, steps: Sequence[str], vocabulary: Vocabulary) -> tree.Expr:
    try:
        line = one_line(text)
        parsed = ast.parse(line, mode="eval")
        return _Values(tuple(steps), vocabulary).value(parsed.body)
    except SyntaxError as error:
        raise PatternError(f"select: column {name}: not an expression: {error.msg}: {text}") from error
    except ConditionError as error:
        raise PatternError(f"select: column {name}: {error}: {text}") from error


class _Values(Parser):
    """Expressions that see a whole match, and so no row but by its step."""

    def value(self, node: ast.expr) -> tree.Expr:
        typed = self._any(node, 0)
        if typed.kind == "nothing":
            raise wrong(node, f"{NAMED['nothing']} is no value to ask for")
        return typed.expr

    def _name(self, node: ast.Name, depth: int) -> Typed:
        if node.id in self._vocabulary.fields:
            raise wrong(node, f"say of which row, as in last(step).{node.id}")
        return super()._name(node, depth)
