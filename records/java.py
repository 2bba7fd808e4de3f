"""Runs the JVM's programs without a cluster.

Finds Java 17, the jar and Flink's libraries, and streams the answers.

A program reads one JSON request on stdin and writes NDJSON on stdout. Imports neither pyflink nor py4j:
Flink's libraries are found beside the installed package.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

import orjson

from records.errors import JavaError

JAVA_VERSION: Final = 17
JAR_VARIABLE: Final = "FAULTLINE_JAR"
QUICK_START: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""Options of a JVM that works for seconds: it starts sooner, and would be slower in a long run."""
_TAIL: Final = 4_000


def find_jar() -> Path:
    """The shaded jar: what FAULTLINE_JAR names, else jvm/target/faultline.jar beside the packages.

    JavaError if absent.
    """
    named = os.environ.get(JAR_VARIABLE)
    jar = (
        Path(named) if named else Path(__file__).resolve().parent.parent / "jvm" / "target" / "faultline.jar"
    )
    if not jar.is_file():
        mend = (
            f"correct {JAR_VARIABLE}" if named else f"build it with `make jar`, or name one in {JAR_VARIABLE}"
        )
        raise JavaError(f"{jar}: the jar is missing", mend)
    return jar


def find_java() -> Path:
    """The java program of JAVA_HOME, else of PATH; JavaError where there is none or its version is not 17."""
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    mend = f"install a JDK {JAVA_VERSION} and set JAVA_HOME to its folder"
    if found is None:
        raise JavaError("no java: JAVA_HOME is not set and PATH has none", mend)
    try:
        told = subprocess.run([found, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaError(f"{found}: cannot be run: {error}", mend) from error
    version = java_version(told.stderr + told.stdout)
    if version != JAVA_VERSION:
        raise JavaError(f"{found} is Java {version or 'of an unknown version'}, not {JAVA_VERSION}", mend)
    return Path(found)


def java_version(told: str) -> int | None:
    """The major version in what `java -version` printed, 8 for 1.8; None where it names none."""
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(found.group(1)) if found else None


def flink_libraries() -> list[Path]:
    """The jars in lib/ of the installed apache-flink, in order of name.

    JavaError where it is not installed.
    """
    mend = "install the job's packages: pip install 'faultline[job]'"
    spec = importlib.util.find_spec("pyflink")
    if spec is None or not spec.submodule_search_locations:
        raise JavaError("apache-flink is not installed for this Python", mend)
    folder = Path(spec.submodule_search_locations[0]) / "lib"
    jars = sorted(folder.glob("*.jar"))
    if not any(jar.name.startswith("flink-dist") for jar in jars):
        raise JavaError(f"{folder}: Flink's libraries are missing", mend)
    return jars


def run_main(
    main_class: str, request: Any, *, jvm_options: Sequence[str] = (), cwd: Path | None = None
) -> Iterator[Any]:
    """Runs `main_class` with `request` as JSON on stdin; yields each line of stdout, parsed, as it comes.

    JavaError with the end of stderr where the program fails or writes a line that is no JSON. Closing the
    generator early stops the program.
    """
    for line in run_main_lines(main_class, request, jvm_options=jvm_options, cwd=cwd):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise JavaError(f"{main_class} wrote a line that is no JSON: {line[:200]!r}") from error


def run_main_lines(
    main_class: str, request: Any, *, jvm_options: Sequence[str] = (), cwd: Path | None = None
) -> Iterator[bytes]:
    """As run_main, but the lines as bytes, without their ends."""
    jar, java, libraries = find_jar(), find_java(), flink_libraries()
    classpath = os.pathsep.join(str(path) for path in (jar, *libraries))
    command = [str(java), *jvm_options, "-cp", classpath, main_class]
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(
            request
            if isinstance(request, bytes)
            else orjson.dumps(request, option=orjson.OPT_SERIALIZE_NUMPY)
        )
        stdin.seek(0)
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, cwd=cwd)
        try:
            assert process.stdout is not None
            yield from (line.rstrip(b"\r\n") for line in process.stdout if line.strip())
            _check_end(process, main_class, stderr)
        finally:
            _stop(process)


def _check_end(process: subprocess.Popen[bytes], main_class: str, stderr: IO[bytes]) -> None:
    code = process.wait()
    if code == 0:
        return
    size = stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, size - _TAIL))
    told = stderr.read().decode(errors="replace").strip()
    hint = "the jar is older than the Python packages: build it anew with `make jar`"
    mend = (
        hint
        if "ClassNotFoundException" in told or "could not find or load main class" in told.lower()
        else ""
    )
    raise JavaError(f"{main_class} ended with code {code}: {told or 'it said nothing'}", mend)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.stdout is not None:
        process.stdout.close()
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
