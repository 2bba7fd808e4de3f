"""Recordings: what is written is read back, and every failure names the file and the line."""

from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from records.errors import RecordingError
from records.recordings import RecordingMeta, open_recording, write_recording
from records.samples import Edge, Fault, Sample

T0 = 1_767_225_600_000
META = RecordingMeta(name="small", graph="shop", interval=15_000, start=T0, end=T0 + 60_000)


def sample(time: int = T0, node: str = "cart", value: float = 1.5, **more: object) -> Sample:
    fields = {"graph": "shop", "node": node, "metric": "cpu", "value": value, "time": time, **more}
    return Sample.model_validate(fields)


def edge(time: int = T0, source: str = "frontend", target: str = "cart") -> Edge:
    return Edge(graph="shop", source=source, target=target, time=time)


FAULT = Fault(graph="shop", node="cart", signal="cpu", start=T0, end=T0 + 15_000, kind="cpu_contention")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    samples = [sample(), sample(T0 + 15_000, unit="ms", peer="frontend", side="client", labels={"a": "b"})]
    write_recording(tmp_path / "r", META, samples, [edge()], [FAULT])
    recording = open_recording(tmp_path / "r")
    assert recording.meta == META
    assert list(recording.samples()) == samples
    assert list(recording.edges()) == [edge()]
    assert recording.faults() == [FAULT]


def test_unset_fields_are_not_written(tmp_path: Path) -> None:
    write_recording(tmp_path, META, [sample()])
    line = gzip.decompress((tmp_path / "samples.ndjson.gz").read_bytes())
    assert orjson.loads(line) == {"graph": "shop", "node": "cart", "metric": "cpu", "value": 1.5, "time": T0}


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_recording(tmp_path / name, META, [sample()], [edge()], [FAULT])
    first, second = ([file.read_bytes() for file in sorted((tmp_path / n).iterdir())] for n in "ab")
    assert len(first) == 4
    assert first == second


def test_an_empty_recording_is_read_as_empty(tmp_path: Path) -> None:
    recording = write_recording(tmp_path, META, [])
    assert list(recording.samples()) == []
    assert list(recording.edges()) == []
    assert recording.faults() == []


def test_files_of_no_bytes_and_absent_edges_and_faults_are_empty(tmp_path: Path) -> None:
    write_recording(tmp_path, META, [])
    (tmp_path / "samples.ndjson.gz").write_bytes(b"")
    (tmp_path / "edges.ndjson.gz").unlink()
    (tmp_path / "faults.ndjson").unlink()
    recording = open_recording(tmp_path)
    assert [list(recording.samples()), list(recording.edges()), recording.faults()] == [[], [], []]


def test_samples_out_of_order_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"samples\.ndjson\.gz:2: time .* comes after"):
        write_recording(tmp_path, META, [sample(T0 + 1), sample(T0)])
    with pytest.raises(RecordingError, match=r"recording\.json"):
        open_recording(tmp_path)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"graph":"shop","node":"cart","metric":"cpu","value":"7","time":1}', "value: "),
        ('{"graph":"shop","node":"cart","metric":"cpu","value":NaN,"time":1}', "value: "),
        ('{"graph":"shop","node":"cart","metric":"cpu","value":true,"time":1}', "value: "),
        ('{"graph":"shop","node":"cart","metric":"cpu","value":1,"time":1.5}', "time: "),
        ('{"graph":"shop","node":"cart","metric":"cpu","value":1,"time":-1}', "time: "),
        ('{"graph":"shop","node":"","metric":"cpu","value":1,"time":1}', "node: "),
        ('{"graph":"shop","metric":"cpu","value":1,"time":1}', "node: "),
        (
            '{"graph":"shop","node":"a","metric":"c","value":1,"time":1,"sinal":"cpu"}',
            "did you mean 'signal'",
        ),
        ('{"graph":"shop","node":"a","metric":"c","value":1,"time":1,"signal":"cpus"}', "signal: "),
        ("not json", "JSON"),
        ('{"graph":"shop"', "JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, told: str) -> None:
    recording = write_recording(tmp_path, META, [sample()])
    good = gzip.decompress((tmp_path / "samples.ndjson.gz").read_bytes())
    (tmp_path / "samples.ndjson.gz").write_bytes(gzip.compress(good + b"\n" + line.encode() + b"\n"))
    with pytest.raises(RecordingError, match=r"samples\.ndjson\.gz:3: ") as caught:
        list(recording.samples())
    assert told in caught.value.message
    assert caught.value.mend


def test_a_file_cut_short_is_named(tmp_path: Path) -> None:
    recording = write_recording(tmp_path, META, [sample(T0 + i) for i in range(50)])
    data = (tmp_path / "samples.ndjson.gz").read_bytes()
    (tmp_path / "samples.ndjson.gz").write_bytes(data[:-12])
    with pytest.raises(RecordingError, match=r"samples\.ndjson\.gz:\d+: cannot be read"):
        list(recording.samples())


def test_a_file_that_is_no_gzip_is_named(tmp_path: Path) -> None:
    recording = write_recording(tmp_path, META, [])
    (tmp_path / "edges.ndjson.gz").write_bytes(b"{}")
    with pytest.raises(RecordingError, match=r"edges\.ndjson\.gz:1: cannot be read"):
        list(recording.edges())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "name: "),
        ('{"name":"a","graph":"g","interval":0,"start":1,"end":2}', "interval"),
        ('{"name":"a","graph":"g","interval":1,"start":3,"end":2}', "before its start"),
        ('{"name":"a","graph":"g","interval":1,"start":1,"end":2,"license":"x"}', "did you mean 'licence'"),
    ],
)
def test_a_bad_recording_json_is_named(tmp_path: Path, text: str, told: str) -> None:
    write_recording(tmp_path, META, [])
    (tmp_path / "recording.json").write_text(text)
    with pytest.raises(RecordingError, match=r"recording\.json") as caught:
        open_recording(tmp_path)
    assert told in caught.value.message


def test_a_folder_that_is_no_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such folder"):
        open_recording(tmp_path / "nowhere")
    with pytest.raises(RecordingError, match=r"recording\.json: cannot be read"):
        open_recording(tmp_path)
    write_recording(tmp_path, META, [])
    (tmp_path / "samples.ndjson.gz").unlink()
    with pytest.raises(RecordingError, match=r"samples\.ndjson\.gz: no such file"):
        open_recording(tmp_path)


def test_a_fault_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match="before its start"):
        Fault(graph="shop", node="cart", start=2, end=1, kind="x")
