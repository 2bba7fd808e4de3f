"""Frames and verdicts to examples: which windows, which labels, what is kept for judging."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from gnn.archive import labelled, no_series, read_archive
from gnn.batches import make_batch
from gnn.config import TrainConfig
from gnn.examples import pack
from gnn.loss import loss_of
from gnn.retrain import MOST_REPEATS, mixed
from records.errors import DataError
from records.feedback import Feedback
from records.frames import FrameRow, write_frame_file
from records.signals import SIGNAL_INDEX
from tests.onnx_models.builders import START, TICK_MS, quiet_row, with_cell

SHOWN = (20, 40, 60, 80)


def frames() -> list[FrameRow]:
    """A hundred ticks; redis' cpu deviates for six of them, four times."""
    rows = [quiet_row(tick) for tick in range(100)]
    for at in SHOWN:
        rows[at : at + 6] = [with_cell(row, 2, "cpu", 30.0, 1.0) for row in rows[at : at + 6]]
    return rows


def verdict(number: int, at: int, node: str | None = "redis", signal: str | None = "cpu") -> Feedback:
    return Feedback.model_validate(
        {
            "graph": "shop",
            "incident_id": f"i{number}",
            "revision": 1,
            "verdict": "false" if node is None else "cause",
            "node": node,
            "signal": signal,
            "onset": START + at * TICK_MS - 1,
            "until": START + (at + 5) * TICK_MS,
            "time": START + 200 * TICK_MS,
        }
    )


def all_right() -> list[Feedback]:
    return [verdict(number, at) for number, at in enumerate(SHOWN)]


def test_an_archive_is_every_file_of_frames_by_graph_in_order(tmp_path: Path) -> None:
    rows = frames()
    (tmp_path / "one").mkdir()
    write_frame_file(tmp_path / "one" / "frames.bin", rows[50:])
    write_frame_file(tmp_path / "two.bin", rows[:51])
    read = read_archive(tmp_path)
    assert list(read) == ["shop"]
    assert [row.time for row in read["shop"]] == [row.time for row in rows]


def test_an_empty_archive_is_told_with_a_mend(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no frame rows") as raised:
        read_archive(tmp_path)
    assert raised.value.mend


def test_the_last_confirmed_faults_are_kept_for_judging() -> None:
    found = labelled({"shop": frames()}, all_right(), held_out=0.25)
    assert (found.confirmed, len(found.held_out), found.unseen) == (3, 1, 0)
    assert found.held_out[0].main.shows == START + SHOWN[-1] * TICK_MS
    first_kept = found.held_out[0].main.fault.start
    assert all(one.snapshot.time < first_kept for one in found.training)
    assert {one.snapshot.nodes[one.truth] for one in found.training} == {"redis"}
    assert {one.signal for one in found.training} == {SIGNAL_INDEX["cpu"]}
    assert {one.system for one in found.training} == {-1}


def test_the_last_word_counts_and_a_false_alarm_is_healthy() -> None:
    taken_back = verdict(1, SHOWN[1], node=None, signal=None)
    found = labelled({"shop": frames()}, [*all_right(), taken_back], held_out=0.3)
    assert (found.confirmed, found.healthy, len(found.held_out)) == (2, 1, 1)
    assert sum(one.truth < 0 for one in found.training) == 1


def test_verdicts_without_frames_are_counted_and_without_any_refused() -> None:
    late = verdict(9, 5000)
    assert labelled({"shop": frames()}, [*all_right(), late]).unseen == 1
    with pytest.raises(DataError, match="none of 1 confirmed faults"):
        labelled({"shop": frames()}, [late])


def test_the_archive_is_repeated_up_to_a_bound() -> None:
    found = labelled({"shop": frames()}, all_right())
    simulated = pack(list(found.training) * 40)
    packed, repeats = mixed(simulated, found, 0.25)
    assert repeats == 13
    assert len(packed["nodes"]) == (40 + 13) * len(found.training)
    assert mixed(simulated, found, 0.9)[1] == MOST_REPEATS


def test_a_label_without_a_signal_trains_the_node_only() -> None:
    found = labelled({"shop": frames()}, [verdict(n, at, signal=None) for n, at in enumerate(SHOWN)])
    batch = make_batch(pack(found.training))
    assert set(batch.signal.tolist()) == {-1}
    nodes, edges = len(batch.batch), len(batch.edge_graph)
    node = torch.zeros(nodes, requires_grad=True)
    signal = torch.zeros(nodes, 11, requires_grad=True)
    loss = loss_of((node, signal, torch.zeros(batch.graphs), torch.zeros(edges)), batch, TrainConfig())
    loss.backward()
    assert signal.grad is not None
    assert node.grad is not None
    assert not signal.grad.any()
    assert node.grad.any()


def test_an_archive_has_no_raw_series() -> None:
    found = labelled({"shop": frames()}, all_right())
    assert no_series(found.training[0].snapshot).before.shape[1] == 0
