"""Reading and preparing a run's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultline.run_folder import open_run, prepare, read_events
from records.cloudevents import to_structured
from records.errors import DataError, UsageError
from tests.faultline.run_folder_kit import event, run_folder


def test_a_run_is_prepared_and_opened(tmp_path: Path) -> None:
    out = tmp_path / "a" / "run"
    prepare(out, {"/gone": "shop"}, "1.2.3")
    run = open_run(out)

    assert (run.meta.version, run.missing, run.sources) == ("1.2.3", ("/gone",), ())
    assert list(run.events()) == []
    assert run.counts() == {"dead_letters": 0, "late": 0}


def test_preparing_removes_the_files_of_the_run_before_and_no_others(tmp_path: Path) -> None:
    out = run_folder(tmp_path / "run")
    (out / "notes.txt").write_text("mine")
    prepare(out, {}, "1")

    assert sorted(path.name for path in out.iterdir()) == ["notes.txt", "run.json"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "incidents.ndjson").write_text("precious")
    with pytest.raises(UsageError, match="not empty"):
        prepare(tmp_path, {}, "1")

    assert (tmp_path / "incidents.ndjson").read_text() == "precious"


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run in this folder"):
        open_run(tmp_path)


def test_structured_events_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "incidents.ndjson"
    file.write_bytes(to_structured(event(1)).value + b"\n\n" + to_structured(event(2)).value + b"\n")

    assert list(read_events(file)) == [event(1), event(2)]


def test_a_bad_line_is_named_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "incidents.ndjson"
    file.write_text(event(1).model_dump_json() + "\n{\n")
    events = read_events(file)

    assert next(events) == event(1)
    with pytest.raises(DataError, match=r"incidents\.ndjson:2: no incident event"):
        next(events)


def test_faults_go_by_the_name_the_graph_had_in_the_run(tmp_path: Path) -> None:
    out = run_folder(tmp_path / "run")
    prepare(out, {str(tmp_path / "recording"): "shop-2"}, "1")
    run = open_run(out)

    assert [fault.graph for fault in run.faults()] == ["shop-2"]
    assert list(run.spans()) == ["shop-2"]
