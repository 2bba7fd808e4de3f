"""Java's errors as ours: what is said, and its mend."""

from __future__ import annotations

import threading

import pytest

from jobs.gateway import hush_teardown, java_failure
from records.errors import ConfigError, FaultlineError, JavaError, MachineError


class JavaTrace(Exception):
    """Stands for py4j's error, whose text is a Java stack trace."""


TRACE = """An error occurred while calling z:io.faultline.Entry.sources.
: java.lang.RuntimeException: outer
\tat io.faultline.Entry.sources(Entry.java:1)
Caused by: {kind}: {message}
\tat somewhere
"""


def told(kind: str, message: str) -> FaultlineError:
    return java_failure(JavaTrace(TRACE.format(kind=kind, message=message)))


def test_a_refused_configuration_is_one() -> None:
    error = told("io.faultline.config.ConfigException", "tick_ms: at least 1 is wanted, found 0")
    assert isinstance(error, ConfigError)
    assert error.message == "tick_ms: at least 1 is wanted, found 0"


def test_one_without_a_further_cause_is_one_too() -> None:
    trace = "An error in x.\n: io.faultline.config.ConfigException: limits: no key 'a'\n\tat y\n"
    error = java_failure(JavaTrace(trace))
    assert isinstance(error, ConfigError)
    assert error.message == "limits: no key 'a'"


@pytest.mark.parametrize(
    "message",
    [
        "Timed out waiting for a node assignment. Call: describeTopics",
        "Failed to get metadata for topics [otlp].",
        "No resolvable bootstrap urls given in bootstrap.servers",
    ],
)
def test_a_broker_that_is_down_is_named(message: str) -> None:
    error = told("org.apache.kafka.common.errors.TimeoutException", message)
    assert isinstance(error, MachineError)
    assert "bootstrap_servers" in error.mend


def test_a_jar_of_another_version_is_named() -> None:
    error = told("java.lang.NoSuchMethodError", "Entry.sources")
    assert isinstance(error, JavaError)
    assert "make jar" in error.mend


def test_an_error_of_ours_in_a_worker_keeps_its_words() -> None:
    trace = (
        "RuntimeError: x\nonnx_models.errors.BundleError: model.onnx has SHA-256 1\n  mend: fetch it again\n"
    )
    error = java_failure(JavaTrace(trace))
    assert (error.message, error.mend) == ("model.onnx has SHA-256 1", "fetch it again")


def test_anything_else_keeps_the_innermost_cause() -> None:
    assert told("java.io.IOException", "No space left on device").message == (
        "the job failed: IOException: No space left on device"
    )
    assert java_failure(ValueError("odd")).message == "the job failed: ValueError: odd"


def test_only_the_hang_up_of_beam_s_readers_is_hushed(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda arguments: told.append(str(arguments.exc_value)))
    hush_teardown()
    hush_teardown()

    def fail(message: str) -> None:
        raise RuntimeError(message)

    for name, message in (
        ("read_grpc_client_inputs", "status = CANCELLED"),
        ("read_grpc_client_inputs", "out of memory"),
        ("other", "status = CANCELLED"),
    ):
        thread = threading.Thread(target=fail, args=(message,), name=name)
        thread.start()
        thread.join()
    assert told == ["out of memory", "status = CANCELLED"]
