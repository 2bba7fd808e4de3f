"""One model, whichever way: YAML, the fluent API, JSON; and whatever the document, an answer."""

from __future__ import annotations

from typing import Any

import orjson
import yaml
from hypothesis import HealthCheck, given, settings

from cep_patterns.document import read_document
from cep_patterns.dump import document_of, yaml_of
from cep_patterns.model import PatternModel, every_step
from cep_patterns.pattern import Pattern
from cep_patterns.yaml_loader import load_library
from tests.cep_patterns.strategies import documents


def same_every_way(pattern: PatternModel) -> None:
    fluent = Pattern.of(pattern).model(
        pattern.id,
        version=pattern.version,
        key=pattern.key,
        severity=pattern.severity,
        maturity=pattern.maturity,
        runbook=pattern.runbook,
        owner=pattern.owner,
        description=pattern.description,
        misses=pattern.misses,
    )
    assert fluent == pattern
    again, found = read_document(yaml.safe_load(yaml_of(pattern)))
    assert again == pattern, found
    read = PatternModel.model_validate(orjson.loads(orjson.dumps(pattern.wire())))
    assert read.wire() == pattern.wire()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents())
def test_what_is_accepted_is_the_same_every_way(document: dict[str, Any]) -> None:
    pattern, found = read_document(document)
    if pattern is None:
        assert any(problem.severity == "error" and problem.message for problem in found)
    else:
        same_every_way(pattern)


def test_half_of_what_is_drawn_is_accepted() -> None:
    drawn: list[bool] = []

    @settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(documents())
    def count(document: dict[str, Any]) -> None:
        drawn.append(read_document(document)[0] is not None)

    count()
    assert sum(drawn) > len(drawn) / 10


def test_the_library_is_the_same_every_way() -> None:
    patterns = load_library()
    assert patterns
    for pattern in patterns:
        same_every_way(pattern)


def test_yaml_is_short() -> None:
    text = "id: p\nversion: 1\nkey: series\nsteps: [{name: a, where: value > 1, times: 3}]\nwithin: 1m30s\n"
    pattern, _ = read_document(yaml.safe_load(text))
    assert pattern is not None
    assert "times: 3" in yaml_of(pattern)
    assert document_of(pattern)["within"] == "1m30s"
    assert [step.name for step in every_step(pattern.steps)] == ["a"]
