"""Rules: what a metric measures, by its name and labels.

Loads the shipped rules and a user's, which come first. The JVM applies them, and `first_match` says what it
will do. Imports PyYAML and records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from records.errors import ConfigError
from records.rule_model import Rule, compiled
from records.validation import explain

FOLDER: Final = Path(__file__).with_name("signal_rules")
SHIPPED: Final = tuple(
    FOLDER / f"{name}.yaml"
    for name in (
        "noise",
        "traces",
        "otel_services",
        "otel_infrastructure",
        "runtimes",
        "kubernetes",
        "hosts",
        "proxies",
        "databases",
        "queues",
        "cloud",
        "telegraf",
        "names",
    )
)
"""The shipped rules, in their order."""

Source = Path | str | Sequence[Mapping[str, Any]]
"""Rules of a user: a file, or the rules themselves."""

_EMPTY: Final[dict[str, Any]] = Rule.model_construct(metric="").model_dump(by_alias=True)
_MEND: Final = "correct the rule; docs/how-to/map-your-metrics.md shows each key"


def load_rules(sources: Iterable[Source] = ()) -> list[dict[str, Any]]:
    """The user's rules, then the shipped ones, as the JVM reads them.

    ConfigError names file, line, rule and key.
    """
    return [rule for source in (*sources, *SHIPPED) for rule in _rules(source)]


def shipped_problems() -> list[str]:
    """What is wrong with the shipped rules: they are read without being checked, since there are many."""
    problems = []
    for file in SHIPPED:
        for raw in _read(file):
            try:
                Rule.model_validate(raw)
            except ValidationError as error:
                problems.append(f"{raw['place']}: {'; '.join(explain(error, Rule))}")
    return problems


def _rules(source: Source) -> list[dict[str, Any]]:
    if isinstance(source, Path | str):
        return _read(Path(source))
    return [
        _rule(raw, f"the configuration's rules: rule {number}", f"rules:{number}")
        for number, raw in enumerate(source, start=1)
    ]


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        content, lines = _content(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}", "name a file that is there") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: no YAML: {' '.join(str(error).split())}", "correct the file") from error
    if not isinstance(content, list):
        raise ConfigError(
            f"{file}: a list of rules is wanted", "write one rule per line: - {metric: ..., signal: ...}"
        )
    return [
        _shipped(raw, f"{file.name}:{line}")
        if file in SHIPPED
        else _rule(raw, f"{file}:{line}: rule {number}", f"{file.name}:{line}")
        for number, (raw, line) in enumerate(zip(content, lines, strict=True), start=1)
    ]


def _content(text: str) -> tuple[object, list[int]]:
    """What the text holds, and the line of each entry where that is a list."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        content = None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()
    entries = node.value if isinstance(node, yaml.SequenceNode) else []
    return content, [entry.start_mark.line + 1 for entry in entries]


def _shipped(raw: dict[str, Any], place: str) -> dict[str, Any]:
    also = [
        {**each, "where": each["where"] if isinstance(each["where"], list) else [each["where"]]}
        for each in raw.get("also", ())
    ]
    return {**_EMPTY, **raw, "also": also, "place": place}


def _rule(raw: object, words: str, place: str) -> dict[str, Any]:
    try:
        rule = Rule.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{words}: {'; '.join(explain(error, Rule))}", _MEND) from error
    return {**rule.model_dump(mode="json", by_alias=True), "place": place}


def first_match(
    rules: Sequence[Mapping[str, Any]], metric: str, labels: Mapping[str, str] | None = None
) -> Mapping[str, Any] | None:
    """What the rules say of a series of this name and these labels, or None.

    The first rule that says a signal, drops or combines; unit and kind as corrected by those before it that
    do none of it. Of a histogram only its parts are looked at, not what is derived of it.
    """
    spelled = {name.replace(".", "_"): value for name, value in (labels or {}).items()}
    said: dict[str, Any] = {}
    for rule in rules:
        if _matches(rule, metric, spelled):
            said = {"unit": said.get("unit") or rule["unit"], "kind": said.get("kind") or _kind(rule, metric)}
            if rule["signal"] is not None or rule["drop"] or rule["combine"] is not None:
                return {**rule, **said}
    return {**_EMPTY, **said} if said else None


def _kind(rule: Mapping[str, Any], metric: str) -> str | None:
    """Of a series that the rule matches: what is no part of its histogram is a gauge."""
    if rule["kind"] != "histogram":
        return None if rule["kind"] is None else str(rule["kind"])
    return "gauge" if _base(metric) == metric else "counter"


def _matches(rule: Mapping[str, Any], metric: str, labels: Mapping[str, str]) -> bool:
    names = {metric, metric.replace(".", "_")}
    if rule["kind"] == "histogram":
        names |= {_base(name) for name in names}
    if not any(compiled(rule["metric"]).fullmatch(name) for name in names):
        return False
    wanted = ((name.replace(".", "_"), text) for name, text in rule["labels"].items())
    return all(name in labels and compiled(text).fullmatch(labels[name]) for name, text in wanted)


def _base(metric: str) -> str:
    """The histogram's name where `metric` is that of one of its parts."""
    base, _, part = metric.rpartition("_")
    return base if base and part in ("count", "sum", "bucket") else metric


def stub(metric: str, *, histogram: bool = False) -> str:
    """A rule for this metric, to be pasted into a file and to be corrected there."""
    escaped = re.sub(r"[\\^$*+?()\[\]{}|]", r"\\\g<0>", metric.replace(".", "_")).replace("'", "''")
    return f"- {{metric: '{escaped}', signal: other{', kind: histogram' if histogram else ''}}}"
