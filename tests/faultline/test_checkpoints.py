"""Where a lost job's checkpoints are looked for, and which of them it goes on from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from faultline.checkpoints import folder_of, newest
from jobs.config import JobConfig
from records.errors import MachineError, UsageError


def config(**more: Any) -> JobConfig:
    source = {"type": "kafka", "bootstrap_servers": "b:1", "topic": "t"}
    return JobConfig.model_validate(
        {"sources": [source], "sinks": {"kafka": {"bootstrap_servers": "b:1"}}, **more}
    )


def checkpoint(folder: Path, job: str, number: int, taken: int, *, complete: bool = True) -> Path:
    """A checkpoint that was complete, or begun, at that moment (s)."""
    made = folder / job / f"chk-{number}"
    made.mkdir(parents=True)
    file = made / ("_metadata" if complete else "0a1b")
    file.touch()
    os.utime(file, (taken, taken))
    return made


def test_the_newest_complete_one_counts_whichever_submission_it_is_of(tmp_path: Path) -> None:
    checkpoint(tmp_path, "a" * 32, 900, 100)
    wanted = checkpoint(tmp_path, "b" * 32, 7, 200)
    checkpoint(tmp_path, "b" * 32, 8, 300, complete=False)
    (tmp_path / ("b" * 32) / "shared").mkdir()
    for named in (str(tmp_path), tmp_path.as_uri()):
        found = newest(named)
        assert (found.uri, found.taken) == (wanted.as_uri(), 200_000)


def test_a_folder_without_one_is_wrong_use(tmp_path: Path) -> None:
    checkpoint(tmp_path, "a" * 32, 1, 1, complete=False)
    with pytest.raises(UsageError, match="no complete checkpoint") as caught:
        newest(str(tmp_path))
    assert "--from-savepoint" in caught.value.mend


def test_a_folder_that_only_flink_can_read_is_told() -> None:
    with pytest.raises(MachineError, match="s3://bucket/faultline: only Flink") as caught:
        newest("s3://bucket/faultline")
    assert "DIR/JOB-ID/chk-N" in caught.value.mend


def test_each_job_has_a_folder_of_its_own() -> None:
    assert folder_of(config(name="shop eu/1"), "s3://bucket/x/") == "s3://bucket/x/shop_eu_1"
    assert folder_of(config(), "file:///c") == "file:///c/faultline"
    assert folder_of(config(checkpoint={"dir": "/mnt/own"}), "file:///c") == "/mnt/own"
    assert folder_of(config(), None) is None
