"""The configuration: layers, durations, findings with their place, and what the JVM is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.breaker import BreakerSettings
from jobs.config import JobConfig
from jobs.config_loading import load_config
from jobs.durations import parse_duration, show_duration
from jobs.jvm_config import graph_names, sources_config
from records.errors import ConfigError
from records.recordings import Recording, RecordingMeta, open_recording, write_recording

BASE: dict[str, Any] = {
    "sources": [{"type": "kafka", "bootstrap_servers": "localhost:9092", "topic": "otlp"}],
    "sinks": {"files": {"dir": "out"}},
}


def written(tmp_path: Path, **keys: Any) -> Path:
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump({**BASE, **keys}))
    return file


def recording(tmp_path: Path, name: str, graph: str = "shop", interval: int = 15_000) -> Recording:
    meta = RecordingMeta(name=name, graph=graph, interval=interval, start=0, end=60_000)
    return write_recording(tmp_path / name, meta, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [("500ms", 500), ("10s", 10_000), ("5m", 300_000), ("1.5h", 5_400_000), ("2d", 172_800_000), (0, 0)],
)
def test_durations_are_read(text: Any, expected: int) -> None:
    assert parse_duration(text) == expected
    assert parse_duration(show_duration(expected)) == expected


@pytest.mark.parametrize("text", [10, "10", "ten seconds", "-5s", None, True, "5 weeks"])
def test_a_duration_without_a_unit_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="no duration"):
        parse_duration(text)


def test_defaults_of_a_live_job(tmp_path: Path) -> None:
    config = load_config(written(tmp_path), environment={})
    assert not config.bounded
    assert (config.lateness_ms, config.timeout_ms, config.checkpoint_ms) == (10_000, 1_000, 30_000)
    assert (config.resolve_after, config.resend, config.max_future, config.edge_ttl) == (
        300_000,
        60_000,
        300_000,
        3_600_000,
    )
    assert config.score.batch_ms == 87
    assert config.breaker_settings == BreakerSettings(200, 0.85, 0.8, 20, 10_000)


def test_defaults_of_a_replay(tmp_path: Path) -> None:
    sources = [{"type": "recordings", "paths": ["rec"]}]
    config = load_config(written(tmp_path, sources=sources), environment={})
    assert config.bounded
    assert (config.lateness_ms, config.timeout_ms, config.checkpoint_ms) == (0, 60_000, None)
    assert config.recording_paths == [str(tmp_path / "rec")]
    assert config.breaker_settings is None


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, tick="30s", resend="2m", score={"provider": "cpu", "batch_ms": 50})
    environment = {"FAULTLINE_TICK": "20s", "FAULTLINE_SCORE__PROVIDER": "gpu", "FAULTLINE_RESEND": "3m"}
    config = load_config(file, {"tick": "10s", "score.timeout_ms": 62, "graph": None}, environment)
    assert (config.tick, config.resend) == (10_000, 180_000)
    assert (config.score.provider, config.score.batch_ms, config.score.timeout_ms) == ("gpu", 50, 62)


def test_paths_are_taken_from_where_they_were_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    file = written(
        tmp_path,
        patterns=["library", "mine"],
        rules="r.yaml",
        checkpoint={"dir": "s3://bucket/x"},
    )
    config = load_config(file, {"model": "bundle"}, {})
    assert config.sinks.files is not None
    assert config.sinks.files.dir == str(tmp_path / "out")
    assert config.patterns == ["library", str(tmp_path / "mine")]
    assert config.rules == str(tmp_path / "r.yaml")
    assert config.model == str(elsewhere / "bundle")
    assert config.checkpoint.dir == "s3://bucket/x"
    assert load_config(file, {"model": "s3://bucket/gnn-3"}, {}).model == "s3://bucket/gnn-3"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"tik": "10s"}, r"job\.yaml: unknown key 'tik'; did you mean 'tick'\?"),
        (
            {"score": {"providr": "cpu"}},
            r"job\.yaml: unknown key 'providr' in score; did you mean 'provider'\?",
        ),
        (
            {"sources": [{"type": "kafka", "bootstrap_servers": "x", "topik": "y"}]},
            r"unknown key 'topik' in sources\.0\.kafka; did you mean 'topic'\?",
        ),
        ({"tick": "soon"}, r"job\.yaml: tick: 'soon' is no duration"),
        ({"tick": 10}, r"job\.yaml: tick: 10 is no duration"),
        ({"sources": []}, r"job\.yaml: sources: "),
        ({"sinks": {}}, r"name kafka or files"),
        ({"parallelism": 0}, r"job\.yaml: parallelism: "),
        ({"parallelism": "4"}, r"job\.yaml: parallelism: "),
    ],
)
def test_a_finding_names_file_key_and_nearest_key(tmp_path: Path, keys: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        load_config(written(tmp_path, **keys), environment={})
    assert caught.value.mend


def test_a_finding_names_the_variable_or_the_flag(tmp_path: Path) -> None:
    file = written(tmp_path, tick="30s")
    with pytest.raises(ConfigError, match=r"^FAULTLINE_TICK: tick: 'soon'"):
        load_config(file, environment={"FAULTLINE_TICK": "soon"})
    with pytest.raises(ConfigError, match=r"^flag score\.provider: score\.provider: "):
        load_config(file, {"score.provider": "tpu"}, {})
    with pytest.raises(ConfigError, match="unknown variable FAULTLINE_TIK; did you mean 'FAULTLINE_TICK'"):
        load_config(file, environment={"FAULTLINE_TIK": "10s"})


def test_variables_that_are_no_keys_are_left_alone(tmp_path: Path) -> None:
    environment = {"FAULTLINE_JAR": "x.jar", "FAULTLINE_DATA": "y", "FAULTLINE_TEST_X": "z", "PATH": "p"}
    assert load_config(written(tmp_path), environment=environment).tick is None


@pytest.mark.parametrize("text", ["- a\n", "a: [\n", "1: 2\n", ""])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"job\.yaml"):
        load_config(file, environment={})


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "none.yaml", environment={})


def test_identity_names_exactly_one_place(tmp_path: Path) -> None:
    source = {**BASE["sources"][0], "identity": {"node": [{"label": "job", "tag": "host"}]}}
    with pytest.raises(ConfigError, match="exactly one of attribute, label, tag"):
        load_config(written(tmp_path, sources=[source]), environment={})


def jvm(config: JobConfig) -> dict[str, Any]:
    return sources_config(config, patterns=[{"id": "p"}], rules=[{"metric": "m"}], window_ticks=10)


def test_the_jvm_is_told_about_kafka(tmp_path: Path) -> None:
    source = {
        **BASE["sources"][0],
        "identity": {"graph": {"value": "shop"}, "node": [{"attribute": "service"}]},
    }
    told = jvm(load_config(written(tmp_path, sources=[source], graph_ticks={"shop": "15s"}), environment={}))
    assert told["sources"] == [
        {
            "type": "kafka",
            "bootstrap_servers": "localhost:9092",
            "topic": "otlp",
            "group": "faultline",
            "start": "committed",
            "bounded": False,
            "format": "otlp_proto",
            "identity": {"graph": {"value": "shop"}, "node": [{"attribute": "service"}]},
            "edges_only": False,
            "properties": {},
        }
    ]
    assert (told["tick_ms"], told["graph_ticks"], told["out_of_orderness_ms"]) == (
        60_000,
        {"shop": 15_000},
        10_000,
    )
    assert (told["window_ticks"], told["patterns"], told["rules"]) == (10, [{"id": "p"}], [{"metric": "m"}])
    assert told["limits"] == {
        "partials_per_key": 1_000,
        "series_per_node": 2_000,
        "nodes_per_graph": 20_000,
        "matches_per_tick": 2_000,
        "pattern_time_share": 0.8,
        "pattern_time_window_ms": 60_000,
    }


def test_control_is_read_where_the_kafka_sink_writes_unless_told_otherwise(tmp_path: Path) -> None:
    sinks = {"kafka": {"bootstrap_servers": "sink:9092", "properties": {"a": "b"}}}

    def control(**more: Any) -> Any:
        return jvm(load_config(written(tmp_path, **{"sinks": sinks, **more}), environment={}))["control"]

    topic = "faultline.control.v1"
    assert control() == {"bootstrap_servers": "sink:9092", "topic": topic, "properties": {"a": "b"}}
    own = {"bootstrap_servers": "own:9092", "topic": "c", "properties": {"d": "e"}}
    assert control(control=own) == own
    assert control(control={"enabled": False}) is None
    assert control(sinks={"files": {"dir": "out"}}) is None
    assert control(sources=[{**BASE["sources"][0], "bounded": True}]) is None


def test_verdicts_are_read_where_the_kafka_sink_writes_unless_told_otherwise(tmp_path: Path) -> None:
    sinks = {"kafka": {"bootstrap_servers": "sink:9092"}}
    told = jvm(load_config(written(tmp_path, sinks=sinks), environment={}))
    assert told["feedback"]["topic"] == "faultline.feedback.v1"
    off = load_config(written(tmp_path, sinks=sinks, feedback={"enabled": False}), environment={})
    assert jvm(off)["feedback"] is None


def test_the_jvm_is_told_how_records_are_read(tmp_path: Path) -> None:
    source = {
        **BASE["sources"][0],
        "format": "by_header",
        "identity": {"graph": {"tag": "env"}},
        "json_timestamp_units": "1ms",
        "content_types": {"application/json": "prometheus"},
        "default_format": "native",
    }
    (told,) = jvm(load_config(written(tmp_path, sources=[source]), environment={}))["sources"]
    assert told["format"] == "by_header"
    assert told["identity"] == {"graph": {"tag": "env"}}
    assert told["content_types"] == {"application/json": "prometheus"}
    assert (told["json_timestamp_units"], told["default_format"]) == ("1ms", "native")
    assert "content_type_header" not in told


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"format": "telegraff"}, r"format: Input should be .*'telegraf'"),
        ({"format": "native", "json_timestamp_units": "1ms"}, "goes with format telegraf or by_header"),
        ({"format": "telegraf", "json_timestamp_units": "1m"}, "json_timestamp_units: Input should be '1s'"),
        ({"format": "native", "default_format": "native"}, "go with format by_header"),
        ({"format": "by_header", "content_types": {"a/b": "by_header"}}, "no format of a single record"),
        ({"format": "by_header", "content_types": {"a/b": "avro"}}, r"content_types\.a/b: Input should be"),
    ],
)
def test_options_that_do_not_fit_the_format_are_refused(
    tmp_path: Path, keys: dict[str, Any], said: str
) -> None:
    source = {**BASE["sources"][0], **keys}
    with pytest.raises(ConfigError, match=said):
        load_config(written(tmp_path, sources=[source]), environment={})


def test_recordings_bring_their_ticks_and_names(tmp_path: Path) -> None:
    recording(tmp_path, "one")
    recording(tmp_path, "two", interval=1_000)
    sources = [{"type": "recordings", "paths": ["one", "two"]}]
    told = jvm(load_config(written(tmp_path, sources=sources), environment={}))
    assert told["sources"][0]["names"] == ["one", "two"]
    assert told["graph_ticks"] == {"one": 15_000, "two": 10_000}
    ends = [open_recording(tmp_path / name).meta.end for name in ("one", "two")]
    assert told["graph_ends"] == dict(zip(("one", "two"), ends, strict=True))
    assert (
        jvm(load_config(written(tmp_path, sources=sources, tick="30s"), environment={}))["graph_ticks"] == {}
    )


def test_graph_names_collide_into_recording_names(tmp_path: Path) -> None:
    first, second = recording(tmp_path, "a", "shop"), recording(tmp_path, "b", "bank")
    assert graph_names([first, second]) == ["shop", "bank"]
    assert graph_names([first, first, second]) == ["a", "a-2", "bank"]


def test_transactions_are_named_after_the_job_unless_told_otherwise(tmp_path: Path) -> None:
    def prefix(**kafka: str) -> str:
        sinks = {"kafka": {"bootstrap_servers": "sink:9092", "delivery": "exactly_once", **kafka}}
        told = load_config(written(tmp_path, name="shop", sinks=sinks), environment={}).sinks_to_jvm()
        return str(told["kafka"]["transactional_id_prefix"])

    assert prefix() == "shop"
    assert prefix(transactional_id_prefix="shop-eu") == "shop-eu"
