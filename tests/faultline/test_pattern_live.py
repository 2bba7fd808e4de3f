"""`pattern publish | retire | status` with bad input: each names the mend and ends in its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.main import app
from tests.kit.processes import free_ports

PATTERN = "{id: %s, version: 1, key: %s, steps: [{name: s, where: value > 1}]}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pattern.yaml"
    path.write_text(PATTERN % ("p", "node"))
    return path


def typed(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["pattern", *map(str, words)])
    return done.exit_code, done.output


def nowhere() -> str:
    """Where no broker listens."""
    return f"localhost:{free_ports(1)[0]}"


def test_without_a_broker_each_ends_in_what_is_missing(file: Path) -> None:
    for words in (("publish", file), ("retire", "p"), ("status",)):
        code, said = typed(*words, "--bootstrap", nowhere())
        assert code == exits.ENVIRONMENT, said
        assert "no Kafka broker at" in said


@pytest.mark.parametrize("broker", ["localhost", "localhost:x", "a:1,", "PLAINTEXT://a:1"])
def test_a_broker_is_a_host_and_a_port(file: Path, broker: str) -> None:
    code, said = typed("publish", file, "--bootstrap", broker)
    assert code == exits.USAGE
    assert "is no broker" in said


@pytest.mark.parametrize("share", ["0", "-1", "1.5", "nan"])
def test_a_share_is_above_0_and_at_most_1(file: Path, share: str) -> None:
    code, said = typed("publish", file, "--bootstrap", nowhere(), "--share", share)
    assert code == exits.USAGE
    assert "not above 0 and at most 1" in said


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PATTERN % ("p", "nod"), "did you mean 'node'"),
        (f"[{PATTERN % ('p', 'node')}, {PATTERN % ('q', 'node')}]", "2 patterns"),
        ("[]", "0 patterns"),
        ("{id: p, version: 1, key: row, fields: {value: number}, steps: [{name: s}]}", "CEP.pattern"),
    ],
)
def test_a_file_that_is_no_one_pattern_of_the_job_is_refused(file: Path, text: str, reason: str) -> None:
    file.write_text(text)
    code, said = typed("publish", file, "--bootstrap", nowhere())
    assert (code, reason in said) == (exits.USAGE, True), said


def test_what_is_in_flight_drains_or_is_dropped(file: Path) -> None:
    code, said = typed("publish", file, "--bootstrap", nowhere(), "--in-flight", "wait")
    assert code == exits.USAGE
    assert "drain" in said
