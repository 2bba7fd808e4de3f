"""Finding and running Java: a program that answers, one that fails, and each piece that can be missing."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from records import java
from records.errors import JavaError

ECHO = """
public class Echo {
  public static void main(String[] args) throws Exception {
    String text = new String(System.in.readAllBytes(), "UTF-8");
    if (text.contains("fail")) {
      System.out.println("{\\"first\\": true}");
      System.err.println("it broke");
      System.exit(4);
    }
    if (text.contains("garbage")) { System.out.println("no json"); }
    for (int i = 0; i < 3; i++) { System.out.println("{\\"n\\": " + i + ", \\"got\\": " + text + "}"); }
  }
}
"""


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a jar")
    (folder / "Echo.java").write_text(ECHO)
    subprocess.run(["javac", "Echo.java"], cwd=folder, check=True)
    subprocess.run(["jar", "cf", "echo.jar", "Echo.class"], cwd=folder, check=True)
    return folder / "echo.jar"


@pytest.fixture(autouse=True)
def _named_jar(jar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTLINE_JAR", str(jar))


def fake_java(folder: Path, version: str) -> Path:
    """A JAVA_HOME whose java only tells a version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return folder


def test_a_program_gets_the_request_and_streams_its_lines() -> None:
    lines = list(java.run_main("Echo", {"text": "grün", "list": [1]}))
    assert lines == [{"n": n, "got": {"text": "grün", "list": [1]}} for n in range(3)]


def test_a_request_longer_than_a_pipe_does_not_hang() -> None:
    lines = list(java.run_main("Echo", {"text": "x" * 300_000}))
    assert len(lines) == 3


def test_a_program_that_fails_tells_why_after_its_lines() -> None:
    lines = java.run_main("Echo", {"text": "fail"})
    assert next(lines) == {"first": True}
    with pytest.raises(JavaError, match="ended with code 4: it broke"):
        next(lines)


def test_a_line_that_is_no_json_is_an_error() -> None:
    with pytest.raises(JavaError, match="no JSON"):
        list(java.run_main("Echo", {"text": "garbage"}))


def test_an_old_jar_names_the_mend() -> None:
    with pytest.raises(JavaError) as caught:
        list(java.run_main("io.faultline.cli.Nothing", {}))
    assert "make jar" in caught.value.mend


def test_a_missing_jar_names_the_mend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FAULTLINE_JAR", str(tmp_path / "none.jar"))
    with pytest.raises(JavaError, match=r"none\.jar: the jar is missing") as caught:
        java.find_jar()
    assert "FAULTLINE_JAR" in caught.value.mend


def test_without_the_variable_the_jar_lies_beside_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAULTLINE_JAR")
    monkeypatch.setattr(java, "__file__", "/nowhere/records/java.py")
    with pytest.raises(JavaError, match=r"/nowhere/jvm/target/faultline\.jar") as caught:
        java.find_jar()
    assert "make jar" in caught.value.mend


@pytest.mark.parametrize(
    ("version", "told"), [("1.8.0_402", "Java 8"), ("21.0.2", "Java 21"), ("", "unknown")]
)
def test_a_wrong_java_names_the_mend(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, told: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", version)))
    with pytest.raises(JavaError, match=told) as caught:
        java.find_java()
    assert "JDK 17" in caught.value.mend


def test_java_home_goes_before_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = fake_java(tmp_path / "a jdk", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.find_java() == home / "bin" / "java"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    with pytest.raises(JavaError, match="cannot be run"):
        java.find_java()


def test_no_java_at_all_names_the_mend(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaError, match="no java") as caught:
        java.find_java()
    assert "JAVA_HOME" in caught.value.mend


def test_flinks_libraries_are_found_without_importing_pyflink() -> None:
    code = "import sys; from records.java import flink_libraries as f; f(); print('pyflink' in sys.modules)"
    root = str(Path(java.__file__).resolve().parent.parent)
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "False"
    assert any(jar.name.startswith("flink-cep") for jar in java.flink_libraries())


def test_a_missing_flink_names_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(JavaError, match="apache-flink is not installed") as caught:
        java.flink_libraries()
    assert "pip install" in caught.value.mend
