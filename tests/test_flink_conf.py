"""flink-conf/ is data that other parts rely on: it loads, and what Flink needs on JDK 17 is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from jobs.config_loading import load_config

CONF = Path(__file__).resolve().parent.parent / "flink-conf"
POM = CONF.parent / "jvm" / "pom.xml"


def test_the_jobs_configuration_loads() -> None:
    config = load_config(CONF / "job.yaml", environment={})
    assert config.bundle_time_ms <= 100
    assert config.sinks.kafka is not None
    assert not config.bounded


def test_the_examples_in_it_load_too(tmp_path: Path) -> None:
    text = (CONF / "job.yaml").read_text(encoding="utf-8")
    shown, count = re.subn(r"^( *)#(?=[a-z]|- |   )", r"\1", text, flags=re.MULTILINE)
    assert count == 20
    (tmp_path / "job.yaml").write_text(shown, encoding="utf-8")
    config = load_config(tmp_path / "job.yaml", environment={})
    assert config.graph_ticks == {"shop": 15_000}
    assert config.spread_ticks
    assert config.sinks.files is not None
    assert len(config.sources) == 3
    assert config.control.topic == "faultline.control.v1"
    assert [each.node for each in config.quiet] == ["batch-*", "*"]


def test_the_cluster_opens_to_flink_what_the_java_tests_open() -> None:
    config = yaml.safe_load((CONF / "config.yaml").read_text(encoding="utf-8"))
    opened = set(config["env"]["java"]["opts"]["all"].split())
    wanted = set(re.findall(r"--add-opens=\S+?=ALL-UNNAMED", POM.read_text(encoding="utf-8")))
    assert wanted
    assert wanted <= opened


@pytest.mark.parametrize("name", ["log4j-console", "log4j", "log4j-cli"])
def test_each_kind_of_process_has_its_logging(name: str) -> None:
    assert "rootLogger.level = INFO" in (CONF / f"{name}.properties").read_text(encoding="utf-8")
