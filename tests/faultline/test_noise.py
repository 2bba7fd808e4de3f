"""What started programs print goes into the log, what the command prints does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import subprocess, sys
from pathlib import Path
from faultline.noise import apart
with apart(Path(sys.argv[1])):
    subprocess.run(["sh", "-c", sys.argv[2]])
    print("mine")
    print("my progress", file=sys.stderr)
print("after", flush=True)
subprocess.run(["sh", "-c", "echo theirs again"])
"""


def run(log: Path, shell: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(log), shell]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=600, check=True)


def test_others_are_kept_apart(tmp_path: Path) -> None:
    done = run(tmp_path / "flink.log", "echo theirs; echo Traceback >&2")

    assert done.stdout.splitlines() == ["mine", "after", "theirs again"]
    assert done.stderr == "my progress\n"
    assert (tmp_path / "flink.log").read_text() == "theirs\nTraceback\n"


def test_an_empty_log_is_removed(tmp_path: Path) -> None:
    run(tmp_path / "flink.log", "true")

    assert not (tmp_path / "flink.log").exists()
