"""The cluster of the kit runs a Python job by ``flink run``, configured by flink-conf/ with own ports."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from tests.kit.cluster import Cluster, merged
from tests.kit.processes import read

JOB = Path(__file__).parent / "tiny_job.py"


def test_a_python_job_runs_on_it(tmp_path: Path) -> None:
    with Cluster(tmp_path / "flink") as cluster:
        run = cluster.flink("run", "-py", str(JOB))
        assert run.returncode == 0, run.stderr + run.stdout
        jobs = cluster.rest("/jobs/overview")["jobs"]
        assert [(job["name"], job["state"]) for job in jobs] == [("tiny", "FINISHED")]
        config = yaml.safe_load((cluster.conf / "config.yaml").read_text())
        log = cluster.logs / "taskmanager-0.out"
    assert [line for line in read(log).splitlines() if line in {"2", "4", "42"}] == ["2", "4", "42"]
    assert config["python"]["executable"] == sys.executable
    assert config["python"]["fn-execution"] == {"bundle": {"size": 1000, "time": 20}}
    assert cluster.rest("/overview") is None


def test_merging_keeps_what_is_not_named() -> None:
    base = {"a": {"b": 1, "c": 2}, "d": 3}
    assert merged(base, {"a": {"c": {"e": 4}}, "f": 5}) == {"a": {"b": 1, "c": {"e": 4}}, "d": 3, "f": 5}
    assert base == {"a": {"b": 1, "c": 2}, "d": 3}
