"""The doctor: each piece that is missing or does not fit is named with its mend."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faultline import checks, exits
from faultline.checks import Asked
from faultline.main import app
from records.errors import FaultlineError, MachineError

ASKED = Asked()


def jar_file(path: Path, *, version: str = "0.1.0", entry: bool = True, connector: bool = True) -> Path:
    """A jar that holds what the doctor looks for."""
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr(
            "META-INF/maven/io.faultline/faultline/pom.properties",
            f"artifactId=faultline\nversion={version}\n",
        )
        if entry:
            jar.writestr("io/faultline/Entry.class", b"")
        if connector:
            jar.writestr("org/apache/flink/connector/kafka/source/KafkaSource.class", b"")
    return path


def java_file(path: Path, version: str) -> Path:
    """A JAVA_HOME whose java says it is `version`."""
    program = path / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return path


def test_this_interpreter_fits() -> None:
    assert checks.python(ASKED).startswith("3.11.")
    assert checks.packages(ASKED).startswith("apache-flink 2.2.1")
    assert checks.flink(ASKED).startswith("2.2.1, ")


def test_another_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 12, 1))
    with pytest.raises(MachineError, match=r"Python 3\.12\.1") as caught:
        checks.python(ASKED)

    assert "use Python 3.11" in caught.value.mend


def test_a_space_in_the_interpreters_path_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/my envs/bin/python")
    with pytest.raises(MachineError, match="/opt/my envs/bin/python has a space in it") as caught:
        checks.interpreter_path(ASKED)

    assert "without a space" in caught.value.mend


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "PACKAGES", ("numpy", "no-such-package"))
    with pytest.raises(MachineError, match="not installed: no-such-package"):
        checks.packages(ASKED)


def test_the_java_in_use_must_be_17(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_file(tmp_path, "11.0.2")))
    with pytest.raises(MachineError, match="is Java 11, not 17") as caught:
        checks.java(ASKED)

    assert "JAVA_HOME" in caught.value.mend


def test_a_jar_of_this_version_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTLINE_JAR", str(jar_file(tmp_path / "f.jar")))

    assert checks.jar(Asked(version="0.1.0")).endswith("version 0.1.0")
    assert checks.connector(ASKED) == "in the jar"


def test_a_jar_that_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "f.jar"
    monkeypatch.setenv("FAULTLINE_JAR", str(jar))
    with pytest.raises(FaultlineError, match="missing"):
        checks.jar(ASKED)
    jar.write_bytes(b"no zip")
    with pytest.raises(FaultlineError, match="is no jar"):
        checks.jar(ASKED)
    jar_file(jar, entry=False, connector=False)
    with pytest.raises(FaultlineError, match=r"holds no io/faultline/Entry\.class"):
        checks.jar(ASKED)
    with pytest.raises(FaultlineError, match="holds no Kafka connector"):
        checks.connector(ASKED)
    jar_file(jar, version="0.0.9")
    with pytest.raises(FaultlineError, match=r"is version 0\.0\.9, the Python packages are 0\.1\.0"):
        checks.jar(Asked(version="0.1.0"))


def test_the_projects_own_flink_configuration_fits() -> None:
    folder = Path(checks.__file__).parents[1] / "flink-conf"

    assert checks.add_opens(Asked(flink_conf=folder)) == f"in {folder / 'config.yaml'}"


@pytest.mark.parametrize(
    "text", ["", "env.java.opts.all: --add-opens=java.base/java.util=ALL-UNNAMED", "env: [x"]
)
def test_a_flink_configuration_without_the_opens_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(MachineError) as caught:
        checks.add_opens(Asked(flink_conf=tmp_path))

    assert caught.value.mend


def test_the_opens_may_stand_in_one_flat_key(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(f"env.java.opts.all: {' '.join(checks.ADD_OPENS)}\n")

    assert checks.add_opens(Asked(flink_conf=tmp_path)).startswith("in ")


def test_a_bundle_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FaultlineError, match=r"no manifest\.json") as caught:
        checks.model(Asked(model=str(tmp_path)))

    assert caught.value.mend


def test_a_broker_that_is_down_is_refused() -> None:
    with pytest.raises(MachineError, match="no Kafka broker at localhost:1") as caught:
        checks.kafka(Asked(bootstrap_servers="localhost:1"))

    assert "start the broker" in caught.value.mend


def test_what_hangs_on_a_missing_piece_is_not_told_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTLINE_JAR", str(tmp_path / "gone.jar"))
    findings = {finding.piece: finding for finding in checks.examine(Asked(model=str(tmp_path)))}

    assert not findings["jar"].ok
    assert not findings["model"].ok
    assert "kafka connector" not in findings
    assert "provider" not in findings


def test_the_command_ends_in_3_and_tells_every_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTLINE_JAR", str(tmp_path / "gone.jar"))
    done = CliRunner().invoke(app, ["doctor", "--json"])

    findings = {told["piece"]: told for told in map(json.loads, done.stdout.splitlines())}
    assert done.exit_code == exits.ENVIRONMENT
    assert findings["jar"]["mend"] == "correct FAULTLINE_JAR"
    assert findings["python"]["ok"] is True
    plain = CliRunner().invoke(app, ["doctor"])
    assert f"FAIL  jar: {tmp_path / 'gone.jar'}: the jar is missing" in plain.stdout
