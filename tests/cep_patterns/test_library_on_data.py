"""The shipped patterns on a published day: most faults are seen within minutes, healthy hours stay quiet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from cep_patterns.gateway import Run, run_patterns
from cep_patterns.yaml_loader import load_library
from records.importers.nezha import import_nezha
from records.samples import Fault

MINUTE = 60_000
WARM_UP = 120 * MINUTE
"""A baseline is young before this."""
QUIET = 5 * MINUTE
"""Alarms closer than this are one."""


@dataclass(frozen=True)
class Alarms:
    """When patterns matched over a recording, the recording's first and last time, and its faults; all ms."""

    times: Sequence[int]
    start: int
    end: int
    faults: Sequence[Fault]

    def found(self, within: int) -> int:
        return sum(
            any(fault.start <= time <= fault.start + within for time in self.times) for fault in self.faults
        )

    def healthy(self, time: int) -> bool:
        near = (fault.start - MINUTE <= time <= fault.end + 12 * MINUTE for fault in self.faults)
        return time > self.start + WARM_UP and not any(near)

    def false_per_hour(self) -> float:
        times = sorted({time for time in self.times if self.healthy(time)})
        episodes = sum(index == 0 or time - times[index - 1] > QUIET for index, time in enumerate(times))
        minutes = sum(self.healthy(time) for time in range(self.start, self.end, MINUTE))
        return episodes / (minutes / 60)


@pytest.fixture(scope="module")
def alarms(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Alarms:
    imported = import_nezha(data_dir / "nezha" / "2022-08-22", tmp_path_factory.mktemp("nezha"))
    (recording,) = imported.recordings
    run = Run("day", list(recording.samples()), list(recording.edges()))
    result = run_patterns(load_library(), [run])["day"]
    assert result.late == []
    assert result.refused == {}
    times = [found.ready_at for found in result.found if found.kind == "match"]
    return Alarms(times, recording.meta.start, recording.meta.end, recording.faults())


def test_most_faults_are_seen_within_five_minutes(alarms: Alarms) -> None:
    assert len(alarms.faults) == 24
    assert alarms.found(5 * MINUTE) >= 21


def test_healthy_hours_are_quiet(alarms: Alarms) -> None:
    assert alarms.false_per_hour() <= 0.6
