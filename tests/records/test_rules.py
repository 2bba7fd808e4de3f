"""Rules files: a user's before the shipped ones, what is refused, what the report reads of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from records.errors import ConfigError
from records.rules import first_match, load_rules, stub

RULES = load_rules()


@pytest.mark.parametrize(
    ("metric", "labels", "expected"),
    [
        (
            "http.server.request.duration_count",
            {"http.response.status_code": "500"},
            ("latency", "s", "counter"),
        ),
        ("http_server_request_duration_seconds", {}, ("latency", "s", "gauge")),
        ("system.cpu.utilization", {"state": "user"}, ("cpu", "1", None)),
        ("things_bytes_total", {}, (None, "By", "counter")),
        ("temperature", {}, None),
    ],
)
def test_what_the_report_takes_a_metric_for(metric: str, labels: dict[str, str], expected: object) -> None:
    rule = first_match(RULES, metric, labels)
    assert (None if rule is None else (rule["signal"], rule["unit"], rule["kind"])) == expected


def test_a_rule_that_says_no_signal_corrects_the_next(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("- {metric: redis_connected_clients, kind: counter}\n")
    rule = first_match(load_rules([file]), "redis_connected_clients")
    assert rule is not None
    assert (rule["signal"], rule["unit"], rule["kind"]) == ("saturation", "1", "counter")


def test_rules_may_be_given_without_a_file() -> None:
    rules = load_rules([[{"metric": "up", "signal": "other"}]])
    assert (rules[0]["signal"], rules[0]["place"]) == ("other", "rules:1")
    with pytest.raises(ConfigError, match="the configuration's rules: rule 2: unknown key 'sinal'"):
        load_rules([[{"metric": "up", "signal": "other"}, {"metric": "a", "sinal": "cpu"}]])


def test_a_rule_knows_where_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("# mine\n\n- {metric: a, signal: cpu}\n- metric: b\n  signal: cpu\n")
    assert [rule["place"] for rule in load_rules([file])[:2]] == ["mine.yaml:3", "mine.yaml:4"]


@pytest.mark.parametrize(
    ("metric", "histogram", "expected"),
    [
        ("cart_items", False, "- {metric: 'cart_items', signal: other}"),
        ("shop.cart.size", True, "- {metric: 'shop_cart_size', signal: other, kind: histogram}"),
        ("it's+(%)", False, "- {metric: 'it''s\\+\\(%\\)', signal: other}"),
    ],
)
def test_a_stub_is_a_rule_for_its_metric(metric: str, histogram: bool, expected: str, tmp_path: Path) -> None:
    text = stub(metric, histogram=histogram)
    assert text == expected
    (tmp_path / "stub.yaml").write_text(text)
    rules = load_rules([tmp_path / "stub.yaml"])
    assert first_match(rules, metric) == first_match(rules, metric.replace(".", "_"))
    found = first_match(rules, metric)
    assert found is not None
    assert found["place"] == "stub.yaml:1"


def test_a_user_s_rules_come_first(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("- {metric: up, signal: other}\n- {metric: 'jvm_threads_count', kind: gauge}\n")
    rules = load_rules([file])
    assert len(rules) == len(RULES) + 2
    up, threads = first_match(rules, "up"), first_match(rules, "jvm_threads_count")
    assert up is not None
    assert threads is not None
    assert (up["signal"], threads["kind"]) == ("other", "gauge")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- {metric: a, sinal: cpu}", "rule 1: unknown key 'sinal'; did you mean 'signal'?"),
        (
            "- {metric: a, signal: cpu}\n- {metric: '(', signal: cpu}",
            "rule 2: metric: '(' is no regular expression",
        ),
        ("- {metric: a, labels: {b: '['}, signal: cpu}", "rule 1: labels: '[' is no regular expression"),
        ("- {metric: a, signal: cpus}", "rule 1: signal: Input should be"),
        ("- {metric: a}", "rule 1: the rule says nothing"),
        ("- {signal: cpu}", "rule 1: metric: Field required"),
        ("- {metric: a, signal: cpu, unit: KB}", "rule 1: unit: 'KB' is no unit"),
        ("- {metric: a, kind: counters}", "rule 1: kind: Input should be 'gauge', 'counter' or 'histogram'"),
        ("- {metric: a, signal: cpu, also: [{signal: errors}]}", "rule 1: also: needs sum"),
        ("- {metric: a, unit: s, sum: [code]}", "rule 1: sum: needs a signal"),
        (
            "- {metric: a, signal: cpu, sum: [b], also: [{signal: errors, were: {b: c}}]}",
            "did you mean 'where'?",
        ),
        (
            "- {metric: a, combine: {name: b, signal: cpu, term: total, of: 100}}",
            "of: says the total a second time",
        ),
        ("- {metric: a, combine: {name: b, signal: cpu, term: most}}", "combine.term: Input should be"),
        ("metric: a", "a list of rules is wanted"),
        ("- {", "no YAML"),
    ],
)
def test_a_wrong_rule_is_named(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"mine\.yaml") as caught:
        load_rules([file])
    assert told in caught.value.message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read"):
        load_rules([tmp_path / "none.yaml"])
