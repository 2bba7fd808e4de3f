"""The shipped rules: what the common metrics are taken for, and a user's rules before them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from records.errors import ConfigError
from records.rules import first_match, load_rules

RULES = load_rules()
DROP = (None, None, None, True)


def decided(metric: str, **labels: str) -> tuple[Any, Any, Any, bool] | None:
    rule = first_match(RULES, metric, labels)
    return None if rule is None else (rule["signal"], rule["unit"], rule["kind"], rule["drop"])


@pytest.mark.parametrize(
    ("metric", "labels", "expected"),
    [
        ("traces_service_graph_request_total", {"failed": "true"}, ("traffic", "1", "counter", False)),
        ("traces_service_graph_request_failed_total", {}, ("errors", "1", "counter", False)),
        ("traces_service_graph_request_server", {}, ("latency", "s", "counter", False)),
        ("traces_service_graph_request_client_seconds_sum", {}, ("latency", "s", "counter", False)),
        ("istio_requests_total", {"response_code": "200"}, ("traffic", "1", "counter", False)),
        ("istio_request_duration_milliseconds_bucket", {"le": "10"}, ("latency", "ms", "counter", False)),
        ("response_total", {"classification": "failure"}, ("traffic", "1", "counter", False)),
        ("http.server.request.duration_sum", {}, ("latency", "s", "counter", False)),
        (
            "http.server.request.duration_count",
            {"http.response.status_code": "500"},
            ("errors", None, "counter", False),
        ),
        ("http_server_request_duration_seconds_bucket", {"le": "1"}, ("latency", "s", "counter", False)),
        ("http_server_duration_milliseconds_sum", {}, ("latency", "ms", "counter", False)),
        ("http.client.request.duration_sum", {}, ("other", None, "counter", False)),
        ("process.cpu.time", {"cpu.mode": "user"}, ("cpu", "s", "counter", False)),
        ("system.cpu.time", {"cpu.mode": "idle"}, DROP),
        ("system.cpu.utilization", {"state": "user"}, ("cpu", "1", None, False)),
        ("jvm.memory.used", {}, ("memory", "By", None, False)),
        ("system.memory.usage", {"state": "cached"}, DROP),
        ("system.memory.usage", {"state": "used"}, ("memory", "By", None, False)),
        ("k8s.container.restarts", {}, ("restarts", "1", None, False)),
        ("container_cpu_usage_seconds_total", {}, ("cpu", "s", "counter", False)),
        ("container_memory_working_set_bytes", {}, ("memory", "By", None, False)),
        ("container_memory_cache", {}, DROP),
        ("container_network_receive_bytes_total", {"interface": "eth0"}, ("network", "By", "counter", False)),
        ("container_network_receive_bytes_total", {"interface": "lo"}, DROP),
        ("kube_pod_container_status_restarts_total", {}, ("restarts", "1", "counter", False)),
        ("kube_pod_status_ready", {"condition": "true"}, ("availability", "1", None, False)),
        ("kube_pod_status_ready", {"condition": "false"}, DROP),
        ("kube_pod_info", {}, DROP),
        ("kube_pod_container_resource_limits", {}, DROP),
        ("node_cpu_seconds_total", {"mode": "idle"}, DROP),
        ("node_cpu_seconds_total", {"mode": "steal"}, ("saturation", "s", "counter", False)),
        ("node_cpu_seconds_total", {"mode": "user"}, ("cpu", "s", "counter", False)),
        ("node_load1", {}, ("saturation", None, None, False)),
        ("cpu_usage_user", {"cpu": "cpu-total"}, ("cpu", "%", None, False)),
        ("up", {}, ("availability", "1", None, False)),
        ("redis_up", {}, ("availability", "1", None, False)),
        ("checkout_latency_ms", {}, ("latency", "ms", None, False)),
        ("rpc_duration_seconds_sum", {}, ("latency", "s", "counter", False)),
        ("orders_failed_total", {}, ("errors", "1", "counter", False)),
        ("api_requests_total", {"code": "500"}, ("errors", "1", "counter", False)),
        ("api_requests_total", {"code": "200"}, ("traffic", "1", "counter", False)),
        ("things_done_total", {}, (None, "1", "counter", False)),
        ("things_bytes_total", {}, (None, "By", "counter", False)),
        ("things_count", {}, (None, None, "counter", False)),
        ("process_start_time_seconds", {}, None),
        ("rpc_duration_seconds_created", {}, None),
        ("temperature", {}, None),
    ],
)
def test_what_a_metric_is_taken_for(metric: str, labels: dict[str, str], expected: object) -> None:
    assert decided(metric, **labels) == expected


def test_no_rule_is_the_same_as_an_earlier_one() -> None:
    seen = [(rule["metric"], tuple(sorted(rule["labels"].items())), rule["as"]) for rule in RULES]
    assert len(set(seen)) == len(seen)


def test_no_rule_is_hidden_by_an_earlier_one_without_labels() -> None:
    """A rule with labels must stand before the rule for the same names without."""
    bare: set[str] = set()
    for rule in RULES:
        assert not (rule["labels"] and rule["metric"] in bare), rule
        if not rule["labels"]:
            bare.add(rule["metric"])


def test_the_form_is_the_agreed_one() -> None:
    keys = "metric labels signal unit kind drop as sum also combine place"
    assert {" ".join(rule) for rule in RULES} == {keys}


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
