"""New patterns of every family pass their own tests as they are, on the production engine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cep_patterns.scaffold import FAMILIES, scaffold
from cep_patterns.testing import run_tests
from cep_patterns.yaml_loader import LIBRARY, read_patterns
from records.errors import UsageError


def test_every_family_passes_at_once(tmp_path: Path) -> None:
    library = os.path.relpath(LIBRARY, tmp_path)
    for family in FAMILIES:
        pattern, test = scaffold(f"new-{family}", family, owner="sre", library=library)
        (tmp_path / f"new-{family}.yaml").write_text(pattern)
        (tmp_path / f"new-{family}.test.yaml").write_text(test)
    assert read_patterns([tmp_path]).problems == []
    outcomes = run_tests([tmp_path])
    assert {each.file.name for each in outcomes} == {f"new-{family}.test.yaml" for family in FAMILIES}
    assert [(each.name, each.differences) for each in outcomes if not each.passed] == []


@pytest.mark.parametrize("id_", ["5", "1e5", "true", "null", "2026-01-01", "on"])
def test_an_id_that_yaml_would_read_as_something_else_is_quoted(tmp_path: Path, id_: str) -> None:
    text, _ = scaffold(id_, "latency", owner="a: b", library=".")
    (tmp_path / "new.yaml").write_text(text)
    ((_, pattern),) = read_patterns([tmp_path]).patterns
    assert (pattern.id, pattern.owner) == (id_, "a: b")


@pytest.mark.parametrize(("id_", "family"), [("a b", "latency"), ("", "latency"), ("a", "speed")])
def test_what_is_no_id_or_family_is_refused(id_: str, family: str) -> None:
    with pytest.raises(UsageError):
        scaffold(id_, family, owner="sre", library=".")
