"""Meaning against writing: what is no change, what is one, and what the lock makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cep_patterns.expressions import parse_condition
from cep_patterns.lock import forbidden, lock_of, read_lock, stale, write_lock
from cep_patterns.meaning import differences, meaning_hash, normal
from cep_patterns.model import PatternModel
from cep_patterns.unparse import unparse
from cep_patterns.vocabulary import SAMPLE
from cep_patterns.yaml_loader import load_patterns
from records.errors import PatternError

BASE = """id: p
version: 1
key: series
description: words
steps:
- {name: a, where: 'signal == "cpu" and value > 95'}
- {name: b, where: value > first(a).value, contiguity: next, times: 2}
within: 5m
severity: warning
"""


def pattern(tmp_path: Path, *changes: tuple[str, str]) -> PatternModel:
    text = BASE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "p.yaml"
    file.write_text(text)
    (one,) = load_patterns([file])
    return one


@pytest.mark.parametrize(
    "change",
    [
        ("description: words", "description: other words"),
        ("id: p", "id: q"),
        ("version: 1", "version: 7"),
        ('signal == "cpu" and value > 95', '95 < value and "cpu" == signal'),
        ("value > 95", "not value <= 95"),
        ('signal == "cpu"', 'signal in ("cpu",)'),
        ("value > first(a).value", "first(a).value < value"),
        ("times: 2", "times: {from: 2, to: 2}"),
        ("within: 5m", "within: 300s"),
        ("{name: a,", "{name: a, times: 1,"),
        ("severity: warning", "severity: warning\nmaturity: production\nrunbook: https://r/1\nowner: me"),
    ],
)
def test_another_writing_is_no_change(tmp_path: Path, change: tuple[str, str]) -> None:
    before, after = pattern(tmp_path), pattern(tmp_path, change)
    assert differences(before, after) == []
    assert meaning_hash(before) == meaning_hash(after)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("within: 5m", "within: 6m"), "within: 5m -> 6m"),
        (
            ('signal == "cpu" and value > 95', "value >= 95"),
            'step a: where: signal == "cpu" and value > 95 -> value >= 95',
        ),
        (("contiguity: next, ", ""), "step b: contiguity: next -> followed_by"),
        (("times: 2", "times: {from: 2}"), "step b: times: 2 -> from 2"),
        (("times: 2", "times: 2, consecutive: true"), "step b: consecutive: no -> yes"),
        (("name: b", "name: c"), "step b: removed"),
        (("severity: warning", "severity: critical"), "severity: warning -> critical"),
        (("severity:", "after_match: skip_past_last\nseverity:"), "after_match: no_skip -> skip_past_last"),
        (("key: series", "key: node"), "key: series -> node"),
    ],
)  # fmt: skip
def test_a_change_of_meaning_is_named(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    before, after = pattern(tmp_path), pattern(tmp_path, change)
    assert told in differences(before, after)
    assert meaning_hash(before) != meaning_hash(after)


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("not (value > 1 and z < 2)", "value <= 1 or z >= 2"),
        ("not not value > 1", "value > 1"),
        ('signal == "cpu" or signal == "disk"', 'signal in ("cpu", "disk")'),
        ('metric in ("b", "a", "b")', 'metric in ("a", "b")'),
        ("value > 1 and value > 1", "value > 1"),
        ("value > 1 and (z > 2 and rel > 3)", "rel > 3 and value > 1 and z > 2"),
    ],
)
def test_the_normal_form(written: str, means: str) -> None:
    assert unparse(normal(parse_condition(written, (), SAMPLE))) == means


def test_another_meaning_needs_another_version(tmp_path: Path) -> None:
    first = lock_of([pattern(tmp_path)])
    changed = lock_of([pattern(tmp_path, ("within: 5m", "within: 6m"))])
    assert forbidden(first, changed) == ["p: its meaning changed and its version is still 1; raise it"]
    raised = lock_of([pattern(tmp_path, ("within: 5m", "within: 6m"), ("version: 1", "version: 2"))])
    assert forbidden(first, raised) == []
    assert forbidden(raised, first) == ["p: version 1 after 2; versions only rise"]
    assert "here is version 2" in stale(first, raised)[0]


def test_a_lock_is_written_and_read(tmp_path: Path) -> None:
    lock = lock_of([pattern(tmp_path)])
    assert stale(read_lock(tmp_path), lock) == ["p: is not in the lock"]
    write_lock(tmp_path, lock)
    assert read_lock(tmp_path) == lock
    assert stale(read_lock(tmp_path), {}) == ["p: is in the lock and no more here"]
    (tmp_path / "lock.json").write_text('{"p": {"version": 0}}')
    with pytest.raises(PatternError, match=r"lock\.json: no lock"):
        read_lock(tmp_path)
