"""Counting what a run wrote, also while it writes."""

from __future__ import annotations

from pathlib import Path

from jobs.run_files import Outputs
from records.frames import write_frame_file
from tests.jobs.rows import frame_row


def test_an_empty_folder_counts_nothing(tmp_path: Path) -> None:
    assert Outputs(tmp_path).count() == {
        "incidents": 0,
        "matches": 0,
        "dead_letters": 0,
        "audit": 0,
        "frames": 0,
    }


def test_lines_and_whole_rows_are_counted(tmp_path: Path) -> None:
    (tmp_path / "incidents.ndjson").write_text("{}\n{}\n")
    (tmp_path / "dead-letters.ndjson").write_text("{}\n{}")
    frames = tmp_path / "frames" / "frames.bin"
    frames.parent.mkdir()
    write_frame_file(frames, [frame_row(tick) for tick in range(3)])
    whole = frames.read_bytes()
    frames.write_bytes(whole[:-1])
    outputs = Outputs(tmp_path)
    counts = outputs.count()
    assert (counts["incidents"], counts["dead_letters"], counts["frames"]) == (2, 1, 2)
    frames.write_bytes(whole)
    with (tmp_path / "dead-letters.ndjson").open("a") as stream:
        stream.write("\n{}\n")
    counts = outputs.count()
    assert (counts["incidents"], counts["dead_letters"], counts["frames"]) == (2, 3, 3)
