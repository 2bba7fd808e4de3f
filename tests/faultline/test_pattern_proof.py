"""`faultline pattern new, diff, lock, test, backtest, explain`, as a person types them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from faultline.exits import FINDINGS, USAGE
from faultline.main import app
from records.recordings import RecordingMeta, write_recording
from records.samples import Fault, Sample

MINUTE = 60_000
START = 1_767_225_600_000
PATTERN = """id: high
version: 1
key: series
steps: [{name: up, where: value > 10, times: 2, consecutive: true}]
within: 10m
after_match: skip_past_last
"""


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["pattern", *words])
    assert result.exit_code == code, result.output
    return result.stdout


@pytest.fixture
def pattern(tmp_path: Path) -> Path:
    file = tmp_path / "high.yaml"
    file.write_text(PATTERN)
    return file


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two hours: a fault that shows from minute 40 on, and a rise without one at minute 90."""
    values = [1.0] * 120
    values[41:45] = [20.0] * 4
    values[90:92] = [20.0] * 2
    samples = [
        Sample(graph="shop", node="cart", metric="m", value=value, time=START + index * MINUTE)
        for index, value in enumerate(values)
    ]
    fault = Fault(graph="shop", node="cart", start=START + 40 * MINUTE, end=START + 45 * MINUTE, kind="slow")
    meta = RecordingMeta(name="monday", graph="shop", interval=MINUTE, start=START, end=START + 119 * MINUTE)
    return write_recording(tmp_path / "monday", meta, samples, (), [fault]).path


def test_new_writes_two_files_once(tmp_path: Path) -> None:
    out = tmp_path / "patterns"
    told = run("new", "slow-checkout", "--family", "errors", "--out", str(out))
    assert [Path(line).name for line in told.split()] == ["slow-checkout.yaml", "slow-checkout.test.yaml"]
    assert 'signal == "errors"' in (out / "slow-checkout.yaml").read_text()
    run("new", "slow-checkout", "--out", str(out), code=USAGE)
    run("new", "slow-checkout.yaml", "--out", str(out), code=USAGE)
    run("new", "a b", "--out", str(out), code=USAGE)
    assert "0 errors" in CliRunner().invoke(app, ["pattern", "validate", str(out)]).output


def test_diff_tells_meaning_and_not_text(pattern: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(PATTERN.replace("value > 10", "10 < value").replace("version: 1", "version: 2"))
    assert run("diff", str(pattern), str(other)) == ""
    other.write_text(PATTERN.replace("within: 10m", "within: 20m"))
    assert run("diff", str(pattern), str(other), code=FINDINGS) == "high: within: 10m -> 20m\n"
    told = json.loads(run("diff", str(pattern), str(other), "--json", code=FINDINGS))
    assert told == {"pattern": "high", "differences": ["within: 10m -> 20m"]}


def test_lock_refuses_another_meaning_of_the_same_version(pattern: Path) -> None:
    folder = str(pattern.parent)
    assert "is not in the lock" in run("lock", folder, "--check", code=FINDINGS)
    run("lock", folder)
    run("lock", folder, "--check")
    pattern.write_text(PATTERN.replace("value > 10", "value > 11"))
    before = (pattern.parent / "lock.json").read_bytes()
    assert "raise it" in run("lock", folder, code=FINDINGS)
    assert (pattern.parent / "lock.json").read_bytes() == before
    pattern.write_text(PATTERN.replace("value > 10", "value > 11").replace("version: 1", "version: 2"))
    run("lock", folder)
    assert json.loads((pattern.parent / "lock.json").read_text())["high"]["version"] == 2


def test_a_lock_that_is_none_or_of_nothing_is_refused(pattern: Path) -> None:
    (pattern.parent / "lock.json").write_text('{"high": {"version": 1, "meaning": "x"}}')
    result = CliRunner().invoke(app, ["pattern", "lock", str(pattern.parent)])
    assert result.exit_code == USAGE
    assert "lock.json: no lock: high.meaning: String should match" in result.stderr
    assert "pydantic" not in result.stderr
    (pattern.parent / "none").mkdir()
    run("lock", str(pattern.parent / "none"), "--check", code=USAGE)
    run("validate", str(pattern), str(pattern.parent / "none"), code=USAGE)


def test_a_loop_that_would_not_end_is_given_up_and_says_why(tmp_path: Path) -> None:
    lines = [
        {"graph": "g", "node": "n", "metric": "m", "value": 5, "time": START + at} for at in range(10_000)
    ]
    samples = tmp_path / "samples.ndjson"
    samples.write_text("\n".join(map(json.dumps, lines)))
    pattern = tmp_path / "endless.yaml"
    pattern.write_text(
        "id: endless\nversion: 1\nkey: node\nwithin: 36500d\nsteps:\n"
        "- {name: a, where: value > 1, one_or_more: true, combinations: true}\n"
        "- {name: b, where: value > 6}\n"
    )
    result = CliRunner().invoke(app, ["pattern", "run", str(pattern), "--samples", str(samples)])
    assert result.exit_code == USAGE
    told = " ".join(result.stderr.split())
    assert re.search(r"endless: given up after \d+ samples: its automaton took \d+ s", told)
    assert re.search(r"a key held the most partial matches that it may, and [0-9,]+ went", told)


def test_run_knows_signals_by_their_metrics_as_explain_does(tmp_path: Path) -> None:
    pattern, samples = tmp_path / "busy.yaml", tmp_path / "samples.ndjson"
    step = "{name: a, where: signal == 'cpu' and value > 1}"
    pattern.write_text(f"id: busy\nversion: 1\nkey: series\nsteps: [{step}]\n")
    one = {"graph": "g", "node": "n", "metric": "process_cpu_usage", "value": 5, "time": START}
    samples.write_text(json.dumps(one))
    assert run("run", str(pattern), "--samples", str(samples)).startswith("match")
    assert "MATCH" in run("explain", str(pattern), "--samples", str(samples))


@pytest.fixture
def storm(tmp_path: Path) -> Path:
    """A folder with a pattern keyed by graph that would not end, the one it looks at, their test, samples."""
    pattern = tmp_path / "storm.yaml"
    pattern.write_text(
        "- {id: hit, version: 1, key: node, steps: [{name: a, where: value > 1}]}\n"
        "- id: endless\n  version: 1\n  key: graph\n  within: 36500d\n  steps:\n"
        "  - {name: a, where: pattern == 'hit', one_or_more: true, combinations: true}\n"
        "  - {name: b, where: pattern == 'none'}\n"
    )
    (tmp_path / "storm.test.yaml").write_text(
        "interval: 1s\ntests:\n- {name: storm, kind: near_miss, "
        "input_series: [{series: 'm{node=\"n\"}', values: '5x1000'}], expect: []}\n"
    )
    samples = [Sample(graph="g", node="n", metric="m", value=5, time=START + 1000 * at) for at in range(1000)]
    (tmp_path / "storm.ndjson").write_text("\n".join(each.model_dump_json() for each in samples))
    meta = RecordingMeta(name="storm", graph="g", interval=1000, start=START, end=START + 1_000_000)
    write_recording(tmp_path / "recording", meta, samples, (), [])
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "storm.yaml", "--samples", "storm.ndjson"], USAGE),
        (["explain", "storm.yaml", "--samples", "storm.ndjson"], USAGE),
        (["backtest", "storm.yaml", "recording"], USAGE),
        (["test", "storm.yaml"], FINDINGS),
    ],
)
def test_a_loop_over_a_graph_that_would_not_end_is_given_up(
    storm: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int
) -> None:
    monkeypatch.chdir(storm)
    result = CliRunner().invoke(app, ["pattern", *words])
    assert result.exit_code == code
    told = " ".join(result.output.split())
    assert re.search(r"endless: given up after \d+ samples: its automaton took \d+ s", told)
    assert re.search(r"a key held the most partial matches that it may, and [0-9,]+ went", told)


def test_run_names_what_had_to_be_contained(tmp_path: Path) -> None:
    lines = [{"graph": "g", "node": "n", "metric": "m", "value": 5, "time": START + at} for at in range(16)]
    samples = tmp_path / "samples.ndjson"
    samples.write_text("\n".join(map(json.dumps, lines)))
    zero = {
        "id": "zero",
        "version": 1,
        "key": "node",
        "steps": [{"name": "a", "where": "1 / (value - value) > 0"}],
    }
    loop = {"name": "a", "where": "value > 1", "one_or_more": True, "combinations": True}
    steps = [loop, {"name": "b", "where": "value < 1"}]
    endless = {"id": "endless", "version": 1, "key": "node", "within": "36500d", "steps": steps}
    patterns = tmp_path / "patterns.yaml"
    patterns.write_text(json.dumps([zero, endless]))
    result = CliRunner().invoke(app, ["pattern", "run", str(patterns), "--samples", str(samples)])
    assert result.exit_code == 0, result.output
    assert "zero: 16 numbers could not be computed, such as a division by zero" in result.stderr
    assert re.search(r"endless: [0-9,]+ partial matches went, the oldest first", result.stderr)
    assert "automaton failed" not in result.stderr


def test_backtest_tells_finds_false_alarms_and_cost(pattern: Path, recording: Path, tmp_path: Path) -> None:
    other = tmp_path / "strict.yaml"
    other.write_text(PATTERN.replace("times: 2", "times: 4").replace("version: 1", "version: 2"))
    printed = run("backtest", str(pattern), str(recording), "--against", str(other), "--json")
    lines = [json.loads(line) for line in printed.splitlines()]
    mine, against = (line for line in lines if line["type"] == "pattern")
    assert (mine["matches"], mine["found"], mine["false_alarms"]) == (3, 1, 1)
    assert (against["version"], against["matches"], against["found"], against["false_alarms"]) == (2, 1, 1, 0)
    assert mine["median_after_ms"] == 2 * MINUTE
    assert against["median_after_ms"] == 4 * MINUTE
    assert mine["cost"]["partials_peak"] == 1
    faults = [line for line in lines if line["type"] == "fault"]
    assert [(line["set"], line["by"], line["on_node"]) for line in faults] == [
        ("these", "high", True),
        ("against", "high", True),
    ]
    (alarm,) = (line for line in lines if line["type"] == "false_alarm")
    assert (alarm["set"], alarm["time"], alarm["nodes"]) == ("these", START + 91 * MINUTE, ["cart"])


def test_backtest_fails_where_there_are_too_many_false_alarms(pattern: Path, recording: Path) -> None:
    printed = run("backtest", str(pattern), str(recording), "--max-false-alarms", "0.1", code=FINDINGS)
    assert "after 2 min by high" in printed
    assert "false alarm: monday 2026-01-01 01:31:00 on cart: high" in printed


def test_backtest_tells_what_a_pattern_of_graphs_costs(
    pattern: Path, recording: Path, tmp_path: Path
) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    step = "{name: a, where: pattern == 'high'}"
    text = "id: told\nversion: 1\nkey: graph\nwithin: 1h\nsteps: [%s]\n"
    old.write_text(text % step)
    new.write_text(text % f"{step}, {step.replace('name: a', 'name: b')}")
    against = ["--against", str(old), "--against", str(pattern), "--json"]
    printed = run("backtest", str(new), str(pattern), str(recording), *against)
    told = [json.loads(line) for line in printed.splitlines()]
    costs = {
        line["set"]: line["cost"] for line in told if line["type"] == "pattern" and line["pattern"] == "told"
    }
    assert set(costs) == {"these", "against"}
    assert costs["these"]["partials_peak"] == 1
    assert costs["against"]["partials_peak"] == 0
    assert all(each["steps_per_sample"] > 0 for each in costs.values())


def test_backtest_needs_patterns_and_recordings(pattern: Path, recording: Path) -> None:
    run("backtest", str(pattern), code=USAGE)
    run("backtest", str(recording), code=USAGE)


def test_backtest_takes_each_recording_once_and_the_library_beside(pattern: Path, recording: Path) -> None:
    twice = [str(recording), str(recording.parent / "." / recording.name)]
    printed = run("backtest", str(pattern), str(pattern), *twice, "--against", "library", "--json")
    lines = [json.loads(line) for line in printed.splitlines()]
    assert [line["matches"] for line in lines if line["type"] == "all" and line["set"] == "these"] == [3]
    others = {line["pattern"] for line in lines if line["type"] == "pattern" and line["set"] == "against"}
    assert "memory-leak" in others


def test_backtest_tells_what_came_out_of_order(pattern: Path, recording: Path) -> None:
    file = recording / "samples.ndjson.gz"
    lines = gzip.decompress(file.read_bytes()).splitlines()
    file.write_bytes(gzip.compress(b"\n".join([*lines[1:3], lines[0], *lines[3:]])))
    result = CliRunner().invoke(app, ["pattern", "backtest", str(pattern), str(recording)])
    assert result.exit_code == 0
    assert "monday: left out 1 sample behind others of a later time" in result.stderr


@pytest.mark.parametrize("words", [["nowhere"], ["--against", "nowhere"], ["empty"], ["--against", "empty"]])
def test_backtest_names_a_path_that_is_of_no_use(pattern: Path, recording: Path, words: list[str]) -> None:
    (recording.parent / "empty").mkdir()
    words = [word if word.startswith("--") else str(recording.parent / word) for word in words]
    result = CliRunner().invoke(app, ["pattern", "backtest", str(pattern), str(recording), *words])
    assert result.exit_code == USAGE
    wanted = "no such file or folder" if words[-1].endswith("nowhere") else "no patterns"
    assert f"{words[-1]}: {wanted}" in result.stderr


def test_backtest_names_the_line_that_is_wrong(pattern: Path, recording: Path) -> None:
    file = recording / "samples.ndjson.gz"
    lines = gzip.decompress(file.read_bytes()).splitlines()
    lines[50] = b'{"graph": "shop", "node": "cart", "metric": "m", "value": "x", "time": 1}'
    file.write_bytes(gzip.compress(b"\n".join(lines)))
    result = CliRunner().invoke(app, ["pattern", "backtest", str(pattern), str(recording)])
    assert result.exit_code == FINDINGS
    assert f"{file}:51: bad_value" in result.stderr
    file.write_bytes(b"no gzip")
    result = CliRunner().invoke(app, ["pattern", "backtest", str(pattern), str(recording)])
    assert result.exit_code == FINDINGS
    assert f"{file}:1: cannot be read" in result.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--key", "shop/cart"], "--key says which samples, and there are none"),
        (["--samples", "empty.ndjson", "--tick", "0s"], "Invalid value for '--tick': above 0 is wanted"),
        (["--samples", "empty.ndjson", "--out-of-orderness", "x"], "Invalid value for '--out-of-orderness'"),
    ],
)
def test_explain_refuses_what_it_cannot_use(pattern: Path, words: list[str], told: str) -> None:
    (pattern.parent / "empty.ndjson").write_text("")
    words = [str(pattern.parent / word) if word.endswith(".ndjson") else word for word in words]
    result = CliRunner().invoke(app, ["pattern", "explain", str(pattern), *words])
    assert result.exit_code == USAGE
    assert told in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize("command", ["run", "explain"])
def test_a_file_without_a_sample_is_no_answer(pattern: Path, command: str) -> None:
    empty = pattern.parent / "empty.ndjson"
    empty.write_text("")
    result = CliRunner().invoke(app, ["pattern", command, str(pattern), "--samples", str(empty)])
    assert result.exit_code == FINDINGS
    told = " ".join(result.stderr.split())
    assert "empty.ndjson: there are no samples mend: put native samples in it" in told


def test_explain_says_why_samples_did_not_match(pattern: Path, tmp_path: Path) -> None:
    samples = tmp_path / "samples.ndjson"
    lines = [{"graph": "shop", "node": node, "metric": "m", "value": value, "time": START + at * MINUTE}
             for at, value in enumerate((1, 12, 3)) for node in ("cart", "web")]  # fmt: skip
    samples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    picture = tmp_path / "high.dot"
    told = run(
        "explain", str(pattern), "--samples", str(samples), "--key", "shop/cart", "--dot", str(picture)
    )
    assert "closest: 2026-01-01 00:02:00 cart m = 3: no up: value > 10; the next sample had to be it" in told
    assert "web" not in told
    assert picture.read_text().startswith('digraph "high"')
    run("explain", str(pattern), "--samples", str(samples), "--key", "shop/none", code=USAGE)


def test_samples_closer_than_a_second_are_told_apart(pattern: Path, tmp_path: Path) -> None:
    samples = tmp_path / "fast.ndjson"
    one = {"graph": "shop", "node": "cart", "metric": "m", "value": 20}
    samples.write_text("".join(json.dumps({**one, "time": START + at}) + "\n" for at in (0, 250, 999)))
    told = run("run", str(pattern), "--samples", str(samples))
    assert "up: 00:00:00, 00:00:00.250" in told
    assert "ready 2026-01-01 00:00:00.250" in told
    assert "00:00:00.250" in run("explain", str(pattern), "--samples", str(samples))


def test_import_names_the_file_of_a_condition_that_is_code(tmp_path: Path) -> None:
    file = tmp_path / "flink.json"
    condition = {"type": "CLASS", "className": "com.acme.Slow"}
    node = {"name": "slow", "type": "ATOMIC", "condition": condition}
    file.write_text(json.dumps({"name": "slow", "nodes": [node], "edges": []}))
    result = CliRunner().invoke(app, ["pattern", "import", str(file)])
    assert result.exit_code == USAGE
    assert "flink.json: slow: its condition is code (com.acme.Slow)" in result.output.replace("\n", "")


def test_explain_draws_one_pattern(pattern: Path, tmp_path: Path) -> None:
    picture = tmp_path / "high.svg"
    run("explain", str(pattern), "--svg", str(picture))
    assert picture.read_text().startswith("<svg ")
    both = tmp_path / "both.yaml"
    both.write_text(pattern.read_text() + "---\n" + pattern.read_text().replace("id: high", "id: higher"))
    run("explain", str(both), "--svg", str(picture), code=USAGE)


def test_a_failed_test_is_told_to_a_ci_server(pattern: Path, tmp_path: Path) -> None:
    test = tmp_path / "high.test.yaml"
    test.write_text(
        "interval: 60s\ntests:\n- {name: two, kind: match, input_series: [{series: 'm{node=\"a\"}', "
        "values: '1 20 1'}], expect: [{at: 2m, node: a}]}\n"
    )
    report = tmp_path / "report.xml"
    told = run("test", str(pattern), "--junit", str(report), code=FINDINGS)
    assert "missing match: high on a at 2m" in told
    assert "no up: value > 10" in told
    assert 'failures="1"' in report.read_text()
    run("test", str(pattern), "--run", "nothing", code=USAGE)


def test_a_test_file_that_cannot_be_used_is_an_error_beside_the_others(pattern: Path, tmp_path: Path) -> None:
    tests = tmp_path / "high.test.yaml"
    tests.write_text(
        "interval: 60s\ntests:\n- {name: two, kind: match, input_series: [{series: 'm{node=\"a\"}', "
        "values: '1 20 20'}], expect: [{at: 2m, node: a}]}\n"
    )
    (tmp_path / "zero.test.yaml").write_text("")
    report = tmp_path / "report.xml"
    result = CliRunner().invoke(app, ["pattern", "test", str(tmp_path), "--junit", str(report)])
    assert result.exit_code == USAGE
    assert "ok    high.test.yaml: two" in result.stdout
    assert "zero.test.yaml: the file is empty" in result.stderr
    assert "1 test, 0 failed, 1 file cannot be used" in result.stderr
    root = ElementTree.parse(report).getroot()
    assert [root.get(name) for name in ("tests", "failures", "errors")] == ["2", "0", "1"]
    run("test", str(pattern), "--junit", str(tmp_path / "none" / "report.xml"), code=USAGE)
