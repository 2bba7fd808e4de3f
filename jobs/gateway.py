"""The way into the JVM: `io.faultline.Entry` over py4j, and Java's errors as ours.

The only module that calls Java; imports pyflink and py4j, inside functions where importing would start
something.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from typing import Any, Final

import orjson
from py4j.protocol import Py4JError, Py4JJavaError
from pyflink.common import Types
from pyflink.common.typeinfo import _from_java_type
from pyflink.datastream import DataStream, KeyedStream, StreamExecutionEnvironment
from pyflink.java_gateway import get_gateway

from records.errors import ConfigError, FaultlineError, JavaError, MachineError
from records.java import find_jar, find_java

STREAMS: Final = ("observations", "dead_letters", "audit")
CONTROL, FEEDBACK = "control", "feedback"
_UNREACHABLE: Final = re.compile(
    r"Timed out waiting for a node assignment|Failed to (?:get metadata|list subscribed topic)"
    r"|Timeout expired (?:while|before)|Topic \S+ not present in metadata|No resolvable bootstrap urls"
)
_CAUSE: Final = re.compile(r"^(?:Caused by)?: ([\w.$]+)(?:: (.*))?$", re.M)
_OURS: Final = re.compile(r"((?:records|onnx_models|jobs)\.[\w.]*Error): (.*)")


def check_machine() -> None:
    """Finds Java 17 and the jar; JavaError that names the mend where one is missing."""
    find_java()
    find_jar()


def add_jar(env: StreamExecutionEnvironment) -> None:
    """Gives the job Faultline's jar.

    JavaError where it is missing. On a cluster `flink run -j` has done so.
    """
    env.add_jars(find_jar().resolve().as_uri())


def hush_teardown() -> None:
    """Keeps Beam's reader threads from printing a traceback when the embedded job ends and hangs up on
    them.

    Every other exception of a thread is told as before. Called once per run; stays for the life of the
    process, since the threads may end after the job.
    """
    if getattr(threading.excepthook, "hushed", False):
        return
    before = threading.excepthook

    def hook(arguments: threading.ExceptHookArgs) -> None:
        name = "" if arguments.thread is None else arguments.thread.name
        if name.startswith("read_grpc_client_inputs") and "CANCELLED" in str(arguments.exc_value):
            return
        before(arguments)

    hook.hushed = True  # type: ignore[attr-defined]
    threading.excepthook = hook


def sources(env: StreamExecutionEnvironment, config: Mapping[str, Any]) -> dict[str, DataStream]:
    """The JVM's streams by name: STREAMS, and `control` and `feedback` where the job has them.

    ConfigError where the JVM refuses the configuration.
    """
    streams = _entry("sources", env._j_stream_execution_environment, _json(config))
    found = {name: streams.get(name) for name in (*STREAMS, CONTROL, FEEDBACK)}
    return {name: DataStream(each) for name, each in found.items() if each is not None}


def by_graph(rows: DataStream) -> KeyedStream:
    """Rows (see rows.observation_type) keyed by graph, as `key_by` does, but no Python function tells the
    key.
    """
    jvm, told = get_gateway().jvm, rows._j_data_stream.getTransformation().getOutputType()
    key = Types.ROW([Types.STRING()]).get_java_type_info()
    keyed = _entry("withKey", rows._j_data_stream).keyBy(jvm.KeyByKeySelector(), key)
    return KeyedStream(keyed, _from_java_type(told), rows)


def sinks(env: StreamExecutionEnvironment, config: Mapping[str, Any], records: DataStream) -> None:
    """Gives `records` (see rows.record_type) to the JVM's sinks. ConfigError as for `sources`."""
    _entry("sinks", env._j_stream_execution_environment, _json(config), records._j_data_stream)


def _entry(method: str, *arguments: Any) -> Any:
    entry = get_gateway().jvm.io.faultline.Entry
    if not hasattr(entry, method):
        raise JavaError("the jar has no io.faultline.Entry", "build it anew with `make jar`")
    try:
        return getattr(entry, method)(*arguments)
    except Py4JJavaError as error:
        raise java_failure(error) from error
    except (Py4JError, TypeError) as error:
        mend = "build the jar anew with `make jar`: it is of another version than these packages"
        raise JavaError(f"io.faultline.Entry.{method} cannot be called: {error}", mend) from error


def _json(config: Mapping[str, Any]) -> str:
    return orjson.dumps(config).decode()


def java_failure(error: Exception) -> FaultlineError:
    """The error of ours that says best what went wrong in the JVM or in a Python worker."""
    text = str(error)
    ours = _OURS.findall(text)
    if ours:
        kind, message = ours[-1]
        mend = re.search(r"^\s*mend: (.*)$", text, re.M)
        told = ConfigError if "Config" in kind or "Pattern" in kind else FaultlineError
        return told(message, mend[1] if mend else "")
    causes = _CAUSE.findall(text) or [(type(error).__name__, text.strip().partition("\n")[0])]
    unreachable = _UNREACHABLE.search(text)
    if unreachable:
        return MachineError(
            f"Kafka does not answer: {unreachable[0]}",
            "start the broker, or correct bootstrap_servers and topic in the configuration",
        )
    kind, message = causes[-1]
    if kind.endswith("ConfigException"):
        return ConfigError(message, "correct the configuration")
    if "ClassNotFound" in kind or "NoSuchMethod" in kind:
        return JavaError(f"{kind}: {message}", "build the jar anew with `make jar`")
    return FaultlineError(f"the job failed: {kind.rpartition('.')[2]}: {message or 'no message'}")
