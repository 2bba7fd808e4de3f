"""What is shipped to a cluster runs by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from jobs.shipping import PACKAGES, stage


def test_the_packages_are_shipped_with_their_data_and_without_leftovers(tmp_path: Path) -> None:
    staged = stage(tmp_path / "staged")
    assert sorted(path.name for path in staged.iterdir()) == sorted(PACKAGES)
    assert (staged / "records" / "signal_rules" / "names.yaml").is_file()
    assert list((staged / "cep_patterns" / "library").glob("*.yaml"))
    assert not list(staged.rglob("__pycache__"))


def test_the_shipped_job_is_found_and_reads_its_arguments(tmp_path: Path) -> None:
    staged = stage(tmp_path)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "jobs.main"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(staged)},
        cwd=tmp_path / "jobs",
        check=False,
    )
    assert done.returncode == 1
    assert "faultline: no configuration file" in done.stderr
    assert "mend: " in done.stderr
