"""Inputs that broke systems in the field, through `faultline decode` as a person would run it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from cep_patterns.gateway import Run, Settings, run_patterns
from cep_patterns.yaml_loader import load_patterns
from faultline.main import app
from records.samples import Sample

CASES = Path(__file__).with_name("cases")
DECODED = ("decode-prom-nonfinite", "decode-influx-escapes", "decode-null-and-empty-value")


def read(name: str) -> dict[str, Any]:
    case: dict[str, Any] = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    return case


def decoded(case: dict[str, Any], folder: Path, *options: str) -> list[dict[str, Any]]:
    """The lines of `faultline decode` over the records, with a configuration made of the case's settings."""
    source = {"type": "kafka", "bootstrap_servers": "k:9092", "topic": "t", "format": case["format"]}
    config = {"sources": [{**source, **case["source"]}], "sinks": {"files": {"dir": "out"}}}
    if "rules" in case:
        (folder / "rules.yaml").write_text(yaml.safe_dump(case["rules"]))
        config["rules"] = "rules.yaml"
    (folder / "job.yaml").write_text(yaml.safe_dump(config))
    (folder / "records.yaml").write_text(yaml.safe_dump(case["records"]))
    files = ("--records", str(folder / "records.yaml"), "--config", str(folder / "job.yaml"))
    done = CliRunner().invoke(app, ["decode", "--format", case["format"], "--json", *files, *options])
    assert done.exit_code == (1 if case["expected"].get("dead_letters") else 0), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_type(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["type"] == kind]


@pytest.mark.parametrize("name", DECODED)
def test_what_is_read_refused_and_ignored(name: str, tmp_path: Path) -> None:
    case = read(name)
    lines, expected = decoded(case, tmp_path), case["expected"]
    for sample, wanted in zip(of_type(lines, "sample"), expected["samples"], strict=True):
        labels = wanted.pop("labels", {})
        assert {key: sample[key] for key in wanted} == wanted
        assert labels.items() <= sample["labels"].items()
        assert sample["graph"] == "shop"
    for kind, key in (("ignored", "ignored"), ("dead_letter", "dead_letters")):
        told = Counter((line["record"], line["reason"]) for line in of_type(lines, kind))
        assert told == Counter((each["record"], each["reason"]) for each in expected[key])
    for each in expected["dead_letters"]:
        if "line" in each:
            (letter,) = [line for line in of_type(lines, "dead_letter") if line["record"] == each["record"]]
            assert letter["detail"].startswith(f"line {each['line']}: ")
    assert of_type(lines, "edge") == []


def test_the_kind_comes_from_the_name_and_can_be_corrected(tmp_path: Path) -> None:
    case = read("counter-kind-from-name")
    kinds = {line["metric"]: line["kind"] for line in decoded(case, tmp_path)}
    assert kinds == {each["metric"]: each["kind"] for each in case["expected"]["kinds"]}


def test_counters_become_rates_and_gauges_stay(tmp_path: Path) -> None:
    case = read("counter-kind-from-name")
    samples = of_type(decoded(case, tmp_path, "--normalised"), "sample")
    values = {(line["metric"], (line["time"] - case["t0"]) // 1000): line["value"] for line in samples}
    wanted = case["expected"]["rates"]
    for each in wanted["values"]:
        assert values[wanted["metric"], each["at"]] == pytest.approx(each["value"], rel=1e-6)
    gauges = {"jvm_threads_count": (44, 41), "process_start_time_seconds": (1_767_220_000,) * 2}
    for metric, (first, second) in gauges.items():
        assert (values[metric, 0], values[metric, 30]) == (first, second)
    assert values["rpc_duration_seconds_created", 30] == 1_767_220_000.5


def test_a_sample_from_the_future_makes_no_other_late(tmp_path: Path) -> None:
    case = read("config-future-timestamp")
    lines, expected = decoded(case, tmp_path), case["expected"]
    refused = [(line["record"], line["reason"]) for line in of_type(lines, "dead_letter")]
    assert refused == [(each["record"], each["reason"]) for each in expected["dead_letters"]]
    keys = ("graph", "node", "metric", "value", "time")
    samples = [Sample(**{key: line[key] for key in keys}) for line in of_type(lines, "sample")]
    patterns = load_patterns([CASES / "slow-three.yaml"])
    result = run_patterns(patterns, [Run("case", samples)], Settings(out_of_orderness_ms=10_000))["case"]
    assert result.late == []
    (match,) = result.found
    (wanted,) = expected["matches"]
    assert (match.kind, match.key) == ("match", wanted["key"])
    times = {name: [(time - case["t0"]) // 1000 for time in at] for name, at in match.steps.items()}
    assert times == wanted["steps"]
