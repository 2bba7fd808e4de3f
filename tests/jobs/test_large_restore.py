"""A worker that fails while a large graph's requests wait for their answers: each is answered after all."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyflink.common import Row

from jobs.score import ScoreRequests
from jobs.wire import SCORE
from onnx_models.features import WINDOW_TICKS
from tests.jobs import minicluster
from tests.jobs.bundles import bundle
from tests.jobs.minicluster import configuration, events, observations
from tests.jobs.rows import tick_end
from tests.jobs.test_large_lane import LARGE, LIVE, large
from tests.jobs.test_operators import incident
from tests.jobs.test_restore import run, went_on_from_the_checkpoint

ASKED, LOST = "asked", "lost"
FIRST = 11
"""The tick with the first alarm."""


class Held(ScoreRequests):
    """Answers for the large graph only once a worker was lost; the file `asked` says that one waits."""

    def __init__(self, folder: Path, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._folder = folder

    async def async_invoke(self, value: Row) -> list[Row]:
        if (value[0], value[1]) == ("large", SCORE):
            (self._folder / ASKED).touch()
            while not (self._folder / LOST).exists():
                await asyncio.sleep(0.01)
        return await super().async_invoke(value)


@pytest.mark.parametrize("behind", [1, 2 * WINDOW_TICKS])
def test_what_waited_at_the_checkpoint_is_answered_as_if_nothing_had_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behind: int
) -> None:
    """`behind`: so many ticks come while the first answer is waited for; a window later its rows are old."""
    made = bundle(tmp_path)
    score = {
        "large": {**LARGE["large"], "waiting": 100},
        "timeout_ms": 600_000,
        "call_timeout_ms": 600_000,
        "breaker": {"enabled": False},
    }
    config = configuration(made.path, sources=LIVE, score=score)
    rows = observations([*large(10, 36, 60), *incident("bank", 12, 14, 60)])
    undisturbed = minicluster.run(rows, config, made.manifest)
    middle = sum(row[2] <= tick_end(FIRST + behind) for row in rows)
    monkeypatch.setattr("jobs.operators.ScoreRequests", partial(Held, tmp_path))
    after = run(rows, made, tmp_path, config, middle, ready=ASKED)
    went_on_from_the_checkpoint(tmp_path, rows)
    assert {event.method for event in events(after)} == {"model"}
    for graph in ("large", "bank"):
        ids = [[event.id for event in events(sent) if event.graph == graph] for sent in (after, undisturbed)]
        assert ids[0] == ids[1]
    assert sorted(map(repr, after)) == sorted(map(repr, undisturbed))
