"""`faultline recording cut` of a recording as it is typed, and wrong use; topics: tests/integration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.kafka import Record
from faultline.main import app
from faultline.topic import ENOUGH, Seen, beyond
from tests.faultline.run_folder_kit import at, recording


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The small fixed recording, 90 minutes; its fault lasts from minute 60 to 70."""
    return recording(tmp_path / "whole").path


def cut(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["recording", "cut", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def test_a_span_is_cut_and_told(whole: Path, tmp_path: Path) -> None:
    code, stdout, stderr = cut(
        whole, "--from", "-30m", "--to", "2026-01-01T01:15:00Z", "--out", tmp_path / "c"
    )

    assert (code, stderr) == (exits.OK, f"cutting {whole}\n")
    assert stdout.startswith(
        f"{tmp_path / 'c'}: Cut of cart-cpu, 2026-01-01 00:59:00 to 2026-01-01 01:15:00 UTC. "
    )
    assert stdout.endswith("edges, 1 fault\n")
    assert CliRunner().invoke(app, ["recording", "check", str(tmp_path / "c")]).exit_code == exits.OK


def test_json_tells_what_is_in_it(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "c"
    _, stdout, _ = cut(whole, "--from", at(65), "--node", "cart", "--name", "mine", "--out", out, "--json")
    told = json.loads(stdout)

    assert (told["recording"], told["name"], told["start"]) == (str(out), "mine", at(65))
    assert (told["samples"], told["edges"], told["faults"]) == (75, 3, 1)


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (("--from", "2027-01-01"), exits.FINDINGS, "lies outside"),
        (("--to", "2025-01-01"), exits.FINDINGS, "lies outside"),
        (("--from", "-1m", "--to", "-5m"), exits.USAGE, "the end comes before the beginning"),
        (("--from", "noon"), exits.USAGE, "'noon' is no time"),
        (("--graph", "other"), exits.USAGE, "holds graph 'shop', not 'other'"),
        (("--node", "nobody"), exits.FINDINGS, "of nobody holds no sample"),
        (("--topic", "t"), exits.USAGE, "and not both"),
    ],
)
def test_what_cannot_be_cut_is_told_and_leaves_nothing(
    whole: Path, tmp_path: Path, more: tuple[str, ...], code: int, told: str
) -> None:
    got = cut(whole, "--out", tmp_path / "c", *more)

    assert got[:2] == (code, "")
    assert told in got[2]
    assert "mend: " in got[2]
    assert not (tmp_path / "c").exists()


def test_neither_recording_nor_topic_is_wrong_use(tmp_path: Path) -> None:
    assert cut("--out", tmp_path / "c")[0] == exits.USAGE


def test_a_folder_that_holds_something_is_left_alone(whole: Path) -> None:
    code, _, stderr = cut(whole, "--out", whole)

    assert code == exits.USAGE
    assert "is not empty" in stderr
    assert len(list(whole.iterdir())) == 4


def test_what_is_no_recording_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, stderr = cut(tmp_path / "empty", "--out", tmp_path / "c")

    assert code == exits.FINDINGS
    assert "recording.json" in stderr


def test_a_partition_well_beyond_the_span_is_read_no_further() -> None:
    batch = [Record(n % 2, n, None, None, b"", {}) for n in range(2 * ENOUGH)] + [
        Record(2, 0, None, None, b"", {})
    ]

    assert beyond(batch, {0: 901, 1: 900, 2: 5_000}, 900) == {0}
    assert beyond(batch[: 2 * ENOUGH - 1], {0: 901, 1: 901}, 900) == {0}
    assert beyond(batch, {}, 900) == set(), "records without points say nothing"


def test_the_interval_is_the_usual_distance_of_a_series_values() -> None:
    seen = Seen()
    assert seen.interval() is None
    for node in ("a", "b"):
        for time in (0, 15, 30, 45, 30, 60, 120):
            seen.take_sample({"graph": "g", "node": node, "metric": "m", "time": time})

    assert seen.interval() == 15
    assert (seen.first, seen.last) == (0, 120)
