"""CPU time and allocated bytes per sample of each stage of the JVM's path: one thread, no Flink, no Kafka.

    python -m benchmarks.stages --write

A thread's own clock and the JVM's count of its allocations: no other process disturbs the second, and only
caches and clock speed the first.
"""

from __future__ import annotations

import argparse
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks import figures, lines, otlp
from benchmarks.load import SERIES, Load
from benchmarks.measure import java_command
from benchmarks.settings import BATCH, Records
from cep_patterns.yaml_loader import LIBRARY, load_patterns
from records.rules import load_rules

WARM: Final = 0.6
FORMS: Final = ("otlp_proto", "native")


def measure(form: str, scrapes: int, load: Load) -> dict[str, Any]:
    """Figures by stage for records of that form."""
    records, per_record = _records(form, load, scrapes)
    with tempfile.TemporaryDirectory(prefix="faultline-stages-") as scratch:
        folder = Path(scratch)
        count = _write(folder / "records", records)
        (folder / "config.json").write_text(json.dumps(_config()), encoding="utf-8")
        where = [str(folder / "config.json"), form, str(folder / "records"), str(int(count * WARM))]
        done = subprocess.run(
            java_command("io.faultline.bench.Stages", where), capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-3_000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "samples in a record": per_record}


def _records(form: str, load: Load, scrapes: int) -> tuple[Records, int]:
    if form == "otlp_proto":
        return otlp.payloads(load, scrapes), load.chunk * SERIES
    return lines.records(load, scrapes, BATCH), BATCH


def _write(file: Path, records: Records) -> int:
    count = 0
    with file.open("wb") as out:
        for time_ms, value in records:
            out.write(struct.pack(">qi", time_ms, len(value)) + value)
            count += 1
    return count


def _config() -> dict[str, Any]:
    """What the fused operator is told: the library."""
    return {
        "tick_ms": 60_000,
        "window_ticks": 10,
        "rules": [dict(rule) for rule in load_rules([])],
        "patterns": [dict(pattern.wire()) for pattern in load_patterns([LIBRARY])],
        "limits": {},
    }


def main() -> None:
    """Measure and show."""
    parser = argparse.ArgumentParser(prog="benchmarks.stages", description=main.__doc__)
    parser.add_argument("--only", default=",".join(FORMS), help="forms, by comma")
    parser.add_argument("--scrapes", type=int, default=240)
    parser.add_argument("--write", action="store_true", help="put what was measured into the results")
    given = parser.parse_args()
    for form in given.only.split(","):
        found = measure(form, given.scrapes, Load())
        sys.stdout.write(json.dumps({form: found}, indent=1) + "\n")
        if given.write:
            figures.keep("stages", {form: found})


if __name__ == "__main__":
    main()
