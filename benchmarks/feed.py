"""Fills topics: a Java producer of its own, since a Python one takes longer than what is measured."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from records.java import find_jar, find_java

TESTS: Final = Path(__file__).resolve().parent.parent / "jvm" / "target" / "test-classes"


def classpath() -> str:
    """The job's jar, the benchmarks' own classes (`mvn test-compile`), and Flink as PyFlink ships it."""
    import pyflink

    if not (TESTS / "io" / "faultline" / "bench").is_dir():
        raise FileNotFoundError(f"no classes of the benchmarks in {TESTS}: make them with `make bench`")
    flink = Path(pyflink.__file__).parent / "lib"
    return os.pathsep.join([str(find_jar()), str(TESTS), *map(str, sorted(flink.glob("*.jar")))])


def fill(bootstrap: str, topic: str, records: Iterable[tuple[int, bytes]]) -> int:
    """Sends (time in ms, value) in order to partition 0; returns how many, once all are stored."""
    command = [str(find_java()), "-Xmx512m", "-cp", classpath(), "io.faultline.bench.Feed", bootstrap, topic]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as feeder:
        assert feeder.stdin is not None
        for time_ms, value in records:
            feeder.stdin.write(struct.pack(">qi", time_ms, len(value)))
            feeder.stdin.write(value)
        sent, _ = feeder.communicate()
    if feeder.returncode != 0:
        raise RuntimeError(f"the feeder of {topic} ended with {feeder.returncode}")
    return int(sent)
