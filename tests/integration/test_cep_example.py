"""examples/cep_on_a_stream.py finds the same embedded and, submitted by ``flink run``, on a cluster."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from records.java import find_jar
from tests.kit.cluster import Cluster
from tests.kit.processes import read

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "cep_on_a_stream.py"
FOUND = [
    "fraud Row(tried_card='4711', tries=2, used_amount=900.0, used_country='US')",
    "unfinished Row(tried_card='1234', tried_count=1)",
]


def lines(told: str) -> list[str]:
    return sorted(line for line in told.splitlines() if line.startswith(("fraud", "unfinished", "late")))


def test_embedded() -> None:
    environ = {**os.environ, "PYFLINK_GATEWAY_DISABLED": "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(EXAMPLE)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    assert run.returncode == 0, run.stderr
    assert lines(run.stdout) == FOUND


def test_on_a_cluster(tmp_path: Path) -> None:
    with Cluster(tmp_path / "flink") as cluster:
        run = cluster.flink("run", "-py", str(EXAMPLE), "-j", str(find_jar()))
        assert run.returncode == 0, run.stderr + run.stdout
        log = cluster.logs / "taskmanager-0.out"
    assert lines(read(log)) == FOUND
