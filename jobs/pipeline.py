"""The whole job: JVM sources, Python operators, JVM sinks; on a cluster, or embedded in this process.

Imports pyflink through its operators; no command line, no printing.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pyflink.common import Configuration
from pyflink.common.job_client import JobClient
from pyflink.datastream import StreamExecutionEnvironment

from cep_patterns.yaml_loader import LIBRARY, load_patterns
from jobs import gateway
from jobs.config import JobConfig
from jobs.jvm_config import sources_config
from jobs.operators import assemble
from jobs.run_files import Outputs
from onnx_models.bundle import load_bundle
from onnx_models.places import bundle_folder
from records.rules import load_rules

POLL_S: Final = 0.3


@dataclass(frozen=True)
class Progress:
    """Where a run stands. `stage`: starting, running, done. `counts`: lines written so far, by kind."""

    stage: str
    seconds: float
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class RunResult:
    """What an embedded run gave. `out`: the folder with its files, None where only Kafka was written to."""

    out: Path | None
    counts: dict[str, int]
    seconds: float


def build(env: StreamExecutionEnvironment, config: JobConfig) -> None:
    """Adds the job to `env`. ConfigError, RecordingError, BundleError, JavaError with their mends."""
    manifest = load_bundle(bundle_folder(config.model)).manifest
    told = sources_config(
        config,
        patterns=[pattern.wire() for pattern in load_patterns(_pattern_paths(config.patterns))],
        rules=load_rules([] if config.rules is None else [config.rules]),
        window_ticks=manifest.window_ticks,
    )
    env.set_parallelism(config.parallelism)
    env.configure(_flink_options(config))
    streams = gateway.sources(env, told)
    control, feedback = streams.get("control"), streams.get("feedback")
    records = assemble(streams["observations"], config, manifest, control, feedback)
    gateway.sinks(env, config.sinks_to_jvm(), records.union(streams["dead_letters"], streams["audit"]))


def _pattern_paths(named: Sequence[str]) -> list[Path]:
    return [LIBRARY if path == "library" else Path(path) for path in named]


def _flink_options(config: JobConfig) -> Configuration:
    """What the job itself wants of Flink, wherever it runs; the rest is the cluster's."""
    options = {
        "pipeline.object-reuse": "true",
        "pipeline.auto-watermark-interval": "50 ms",
        "python.fn-execution.bundle.time": str(config.bundle_time_ms),
        "python.execution-mode": "process",
        # In entries: a graph has one for its incidents and one per row of its ring.
        "python.state.cache.size": "20000",
    }
    if config.checkpoint_ms is not None:
        options["execution.checkpointing.interval"] = f"{config.checkpoint_ms} ms"
    if config.checkpoint.dir is not None:
        options["execution.checkpointing.dir"] = _uri(config.checkpoint.dir)
    return _configuration(options)


def _configuration(options: dict[str, str]) -> Configuration:
    configuration = Configuration()
    for key, value in options.items():
        configuration.set_string(key, value)
    return configuration


def _uri(path: str) -> str:
    return path if "://" in path else Path(path).resolve().as_uri()


def run_embedded(config: JobConfig, *, progress: Callable[[Progress], None] | None = None) -> RunResult:
    """Runs the job to its end in a MiniCluster started by this process; `progress` is told a few times a
    second.

    FaultlineError that names cause and mend where it fails. The JVM ends with this process.
    """
    gateway.check_machine()
    gateway.hush_teardown()
    started = time.monotonic()
    out = None if config.sinks.files is None else Path(config.sinks.files.dir)
    outputs = None if out is None else Outputs(out)

    def tell(stage: str) -> dict[str, int]:
        counts = {} if outputs is None else outputs.count()
        if progress is not None:
            progress(Progress(stage, time.monotonic() - started, counts))
        return counts

    tell("starting")
    with tempfile.TemporaryDirectory(prefix="faultline-") as scratch:
        env = _embedded_environment(Path(scratch), config)
        build(env, config)
        _wait(env.execute_async(config.name), lambda: tell("running"))
    return RunResult(out, tell("done"), time.monotonic() - started)


def _embedded_environment(scratch: Path, config: JobConfig) -> StreamExecutionEnvironment:
    options = {
        "rest.port": "0",
        "rest.bind-port": "0",
        "io.tmp.dirs": str(scratch),
        "python.executable": sys.executable,
        "python.client.executable": sys.executable,
        "restart-strategy.type": "none",
        "taskmanager.numberOfTaskSlots": str(config.parallelism),
        "taskmanager.memory.network.min": "64 mb",
        "taskmanager.memory.network.max": "64 mb",
    }
    env = StreamExecutionEnvironment.get_execution_environment(_configuration(options))
    gateway.add_jar(env)
    return env


def _wait(client: JobClient, tell: Callable[[], Any]) -> None:
    """Waits for the end of the job; an interrupt cancels it.

    The result is asked for at once: a MiniCluster that is done shuts down and answers nothing more.
    """
    result = client.get_job_execution_result()
    try:
        while not result.done():
            tell()
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        client.cancel().result()
        raise
    try:
        result.result()
    except Exception as error:
        raise gateway.java_failure(error) from error
