"""Who calls whom, out of inputs that broke systems in the field, through `faultline decode`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faultline.test_decode_cases import decoded, of_type, read

CASES = (
    "topology-istio-two-reporters",
    "topology-jaeger-self-and-empty",
    "topology-servicegraph-virtual-user",
)


def links(lines: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
    return {(line["source"], line["target"], line["kind"]) for line in of_type(lines, "edge")}


def nodes(lines: list[dict[str, Any]]) -> set[str]:
    named = {line["node"] for line in of_type(lines, "sample")}
    peers = {line["peer"] for line in of_type(lines, "sample") if line["peer"]}
    return named | peers | {end for source, target, _ in links(lines) for end in (source, target)}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("options", [(), ("--normalised",)])
def test_calls_and_edges(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    case = read(name)
    expected = case["expected"]
    lines = decoded(case, tmp_path, *options)
    assert links(lines) == {tuple(each) for each in expected["edges"]}
    assert nodes(lines).isdisjoint(expected["never_nodes"])
    assert {line["graph"] for line in of_type(lines, "edge")} == {"shop"}
    if "ignored" in expected:
        assert Counter(line["reason"] for line in of_type(lines, "ignored")) == expected["ignored"]


@pytest.mark.parametrize("name", ["topology-istio-two-reporters", "topology-servicegraph-virtual-user"])
def test_an_edge_has_one_rate(name: str, tmp_path: Path) -> None:
    case = read(name)
    samples = of_type(decoded(case, tmp_path, "--normalised"), "sample")
    for wanted in case["expected"]["rates"]:
        values = wanted.pop("values")
        found = [line for line in samples if {key: line[key] for key in wanted} == wanted]
        rates = {(line["time"] - case["t0"]) // 1000: line["value"] for line in found}
        assert len(found) == len(rates) == len(values)
        assert rates == pytest.approx(values, rel=1e-6)


def test_a_graph_told_at_no_time_is_refused(tmp_path: Path) -> None:
    case = read("topology-jaeger-self-and-empty")
    del case["records"][0]["timestamp"]
    case["expected"]["dead_letters"] = [{"record": 0, "reason": "bad_time"}]
    lines = decoded(case, tmp_path)
    assert links(lines) == set()
    (letter,) = {line["reason"] for line in of_type(lines, "dead_letter")}
    assert letter == "bad_time"
