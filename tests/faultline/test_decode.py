"""`faultline decode` on the real decoders: what is read, what is not and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.decode import read_records
from faultline.decode_words import in_words
from faultline.main import app
from records.errors import ConfigError

SAMPLE = (
    '{"graph":"shop","node":"cart","metric":"requests_total","value":12,"time":1767225600000,'
    '"kind":"counter"}'
)
LATER = SAMPLE.replace("12,", "72,").replace("5600000", "5660000")
RECORDS = f"""
- {{key: shop/cart, value: null}}
- {{value: '{SAMPLE}', timestamp: 1767225600000}}
- {{value: '{LATER}'}}
- {{value: '{{"graph":"shop","source":"web","target":"cart","time":1767225600000}}'}}
- {{value: '{{"graph":"sho'}}
"""


def decoded(*arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, lines and what was said on stderr."""
    done = CliRunner().invoke(app, ["decode", "--format", "native", "--json", *arguments])
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_records_are_shown_as_they_are_read(tmp_path: Path) -> None:
    file = tmp_path / "records.yaml"
    file.write_text(RECORDS)
    code, lines, told = decoded("--records", str(file))

    assert [(each["record"], each["type"]) for each in lines] == [
        (0, "ignored"),
        (1, "sample"),
        (2, "sample"),
        (3, "edge"),
        (4, "dead_letter"),
    ]
    assert (lines[0]["reason"], lines[4]["reason"]) == ("tombstone", "malformed")
    assert (lines[1]["value"], lines[1]["kind"]) == (12, "counter")
    assert code == exits.FINDINGS
    assert told.endswith("5 records: 2 samples, 1 edge, 1 dead letter, 1 ignored\n")


def test_normalised_samples_are_rates_with_the_signal_of_their_rule(tmp_path: Path) -> None:
    file = tmp_path / "records.yaml"
    file.write_text(RECORDS)
    _, lines, _ = decoded("--records", str(file), "--normalised")

    (rate,) = [each for each in lines if each["type"] == "sample"]
    assert (rate["value"], rate["signal"], rate["record"]) == (1.0, "traffic", 2)


def test_a_configuration_gives_identity_and_rules(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("- {metric: requests_total, signal: saturation, kind: counter}\n")
    (tmp_path / "job.yaml").write_text(
        "sources: [{type: kafka, bootstrap_servers: k:9092, topic: t, format: native}]\n"
        "sinks: {files: {dir: out}}\nrules: rules.yaml\n"
    )
    (tmp_path / "records.yaml").write_text(RECORDS)
    arguments = (
        "--records",
        str(tmp_path / "records.yaml"),
        "--normalised",
        "--config",
        str(tmp_path / "job.yaml"),
    )
    _, lines, _ = decoded(*arguments)

    assert [each["signal"] for each in lines if each["type"] == "sample"] == ["saturation"]


def test_rules_of_the_command_come_before_those_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "- {metric: requests_total, signal: errors, unit: '1', kind: counter}\n"
    )
    (tmp_path / "job.yaml").write_text(
        "sources: [{type: kafka, bootstrap_servers: k:9092, topic: t, format: native}]\n"
        "sinks: {files: {dir: out}}\nrules: [{metric: requests_total, signal: saturation}]\n"
    )
    (tmp_path / "records.yaml").write_text(RECORDS)
    asked = [
        "--records",
        str(tmp_path / "records.yaml"),
        "--normalised",
        "--config",
        str(tmp_path / "job.yaml"),
    ]
    _, lines, _ = decoded(*asked)
    assert [each["rule"] for each in lines if each["type"] == "series"] == ["rules:1"]
    _, lines, _ = decoded(*asked, "--rules", str(tmp_path / "mine.yaml"))
    (series,) = [each for each in lines if each["type"] == "series"]
    assert (series["rule"], series["signal"], series["unit"]) == ("mine.yaml:1", "errors", "1/s")


def test_a_wrong_rule_of_the_configuration_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("- {metric: a, sinal: cpu}\n")
    (tmp_path / "records.yaml").write_text(RECORDS)
    files = ["--records", str(tmp_path / "records.yaml"), "--rules", str(tmp_path / "mine.yaml")]
    done = CliRunner().invoke(app, ["decode", "--format", "native", *files])
    assert done.exit_code == exits.USAGE
    assert (
        "mine.yaml:1: rule 1: unknown key 'sinal'; did you mean 'signal'?"
        in str(done.exception) + done.stderr
    )


def test_names_that_no_rule_knows_come_with_a_stub(tmp_path: Path) -> None:
    sample = '{"graph":"shop","node":"cart","metric":"cart.items","value":12,"time":1767225600000}'
    (tmp_path / "records.yaml").write_text(f"- {{value: '{sample}'}}\n")
    _, lines, told = decoded("--records", str(tmp_path / "records.yaml"), "--normalised")
    (unmapped,) = [each for each in lines if each["type"] == "unmapped"]
    assert (unmapped["metric"], unmapped["series"], unmapped["samples"]) == ("cart.items", 1, 1)
    assert unmapped["stub"] == "- {metric: 'cart_items', signal: other}"
    assert "1 name that no rule knows" in told
    assert unmapped["stub"] in told


def test_a_series_is_told_in_words() -> None:
    line = {
        "type": "series",
        "record": 0,
        "graph": "g",
        "node": "n",
        "metric": "m",
        "labels": {"code": "503"},
    }
    line |= {"signal": "traffic", "kind": "counter", "unit": "ms/s", "factor": 0.001, "unit_known": True}
    line |= {"rule": "names.yaml:9", "mapped": True, "dropped": False}
    line["makes"] = [
        {"metric": "m", "signal": "traffic", "unit": "1/s", "term": "plus"},
        {"metric": "m_errors", "signal": "errors", "unit": "1/s", "term": "none"},
    ]
    assert in_words(line) == (
        "  0  series       g/n  m{code=503} -> m (traffic)   traffic  counter  ms/s x 0.001  by names.yaml:9"
    )
    plain = {
        **line,
        "makes": [],
        "rule": None,
        "mapped": False,
        "unit": "furlongs",
        "factor": 1,
        "unit_known": False,
    }
    assert in_words(plain).endswith("counter  furlongs (unknown, x 1)  no rule")
    assert in_words({**plain, "dropped": True, "rule": "noise.yaml:5"}).endswith("dropped  by noise.yaml:5")


def test_a_file_is_a_record(tmp_path: Path) -> None:
    file = tmp_path / "payload"
    file.write_text(SAMPLE)
    done = CliRunner().invoke(app, ["decode", "--format", "native", str(file)])

    assert done.exit_code == exits.OK
    assert done.stdout == "  0  sample       shop/cart  requests_total = 12  2026-01-01 00:00:00  counter\n"


def test_bytes_that_are_no_protobuf_are_a_finding(tmp_path: Path) -> None:
    file = tmp_path / "payload"
    file.write_bytes(b"\x0a\xff\xff\xff\xff\x0fno protobuf")
    done = CliRunner().invoke(app, ["decode", "--format", "otlp_proto", str(file)])

    assert done.exit_code == exits.FINDINGS
    assert "dead letter  malformed" in done.stdout


def test_no_payload_is_wrong_use() -> None:
    assert CliRunner().invoke(app, ["decode", "--format", "native"]).exit_code == exits.USAGE
    assert CliRunner().invoke(app, ["decode", "--format", "xml", "x"]).exit_code == exits.USAGE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b", "not a list of records"),
        ("- {valeu: x}", "record 0: unknown key 'valeu'; did you mean 'value'"),
        ("- {value: 3}", "record 0: value is no text"),
        ("- {value: [", "no YAML"),
    ],
)
def test_a_wrong_records_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "records.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_records(file)


def test_a_series_is_told_with_peer_labels_and_unit() -> None:
    line = {
        "type": "sample",
        "record": 7,
        "graph": "g",
        "node": "b",
        "peer": "a",
        "metric": "m",
        "value": 0.25,
    }
    line |= {
        "labels": {"k": "v"},
        "unit": "s",
        "time": 1_767_225_600_000,
        "signal": "latency",
        "side": "client",
    }

    assert (
        in_words(line) == "  7  sample       g/a -> b  m{k=v} = 0.25 s  2026-01-01 00:00:00  latency client"
    )
