"""Writes a model as the document that reads as the same model: from JSON to YAML and to the fluent API."""

from __future__ import annotations

from typing import Any, Final

import yaml

from cep_patterns.model import AfterMatch, GroupModel, PartModel, PatternModel, Times
from cep_patterns.short_forms import duration_text
from cep_patterns.unparse import unparse

_FLAGS: Final = ("one_or_more", "optional", "greedy", "consecutive", "combinations")


def document_of(pattern: PatternModel) -> dict[str, Any]:
    """The pattern's document, without what is as it would be unsaid."""
    document: dict[str, Any] = {"id": pattern.id, "version": pattern.version}
    if pattern.maturity != "experimental":
        document["maturity"] = pattern.maturity
    for name in ("owner", "description", "misses"):
        if getattr(pattern, name):
            document[name] = getattr(pattern, name)
    document["key"] = pattern.key
    if pattern.fields is not None:
        document["fields"] = dict(pattern.fields)
    document["steps"] = [part_of(part) for part in pattern.steps]
    if pattern.within_ms is not None:
        document["within"] = duration_text(pattern.within_ms)
    if pattern.after_match.kind != "no_skip":
        document["after_match"] = after_match_of(pattern.after_match)
    if pattern.on_timeout != "nothing":
        document["on_timeout"] = pattern.on_timeout
    document["severity"] = pattern.severity
    if pattern.runbook is not None:
        document["runbook"] = pattern.runbook
    return document


def part_of(part: PartModel) -> dict[str, Any]:
    """The document of a step or group."""
    document: dict[str, Any] = {}
    if isinstance(part, GroupModel):
        document["group"] = [part_of(each) for each in part.group]
    else:
        document["name"] = part.name
        if part.where is not None:
            document["where"] = unparse(part.where)
    if part.contiguity != "followed_by":
        document["contiguity"] = part.contiguity
    if part.times is not None:
        document["times"] = times_of(part.times)
    for flag in _FLAGS:
        if getattr(part, flag, False):
            document[flag] = True
    if part.until is not None:
        document["until"] = unparse(part.until)
    if not isinstance(part, GroupModel) and part.within_ms is not None:
        document["within"] = duration_text(part.within_ms)
    return document


def times_of(times: Times) -> int | dict[str, int]:
    """`3`, `{from: 2, to: 3}` or `{from: 2}`."""
    if times.to is None:
        return {"from": times.from_}
    return times.from_ if times.from_ == times.to else {"from": times.from_, "to": times.to}


def after_match_of(after_match: AfterMatch) -> str | dict[str, str]:
    """`skip_to_next`, or `{skip_to_first: step}`."""
    return after_match.kind if after_match.step is None else {after_match.kind: after_match.step}


def yaml_of(pattern: PatternModel) -> str:
    """The pattern as YAML, a step a line where it fits."""
    return yaml.dump(document_of(pattern), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Writes steps in braces and lists with a dash each."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        inside = isinstance(mapping, dict) and not ({"id", "group"} & set(mapping))
        return super().represent_mapping(tag, mapping, flow_style=inside)
