"""What `Entry.sources` is told, made from a JobConfig and the recordings' own meta data.

Owns the translation of keys to the JVM's; imports records and jobs.config.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jobs.config import READING, JobConfig, KafkaSource, RecordingsSource
from records.recordings import Recording, open_recording

DEFAULT_TICK_MS: Final = 60_000
SHORTEST_TICK_MS: Final = 10_000
"""A recording with a shorter interval than this is still framed in ticks of this length."""

Plain = Mapping[str, Any]


def sources_config(
    config: JobConfig, *, patterns: Sequence[Plain], rules: Sequence[Plain], window_ticks: int
) -> dict[str, Any]:
    """The JSON of `Entry.sources`; RecordingError where a recording cannot be opened.

    `patterns`, `rules`: as plain data, in order of precedence. `window_ticks`: T of the model's manifest.
    """
    recordings = [open_recording(path) for path in config.recording_paths]
    names = graph_names(recordings)
    ticks = _ticks_of(recordings, names) if config.tick is None else {}
    return {
        "name": config.name,
        "sources": _sources(config, dict(zip(config.recording_paths, names, strict=True))),
        "graph": config.graph,
        "tick_ms": config.tick or DEFAULT_TICK_MS,
        "graph_ticks": {**ticks, **config.graph_ticks},
        "spread_ticks": config.spread_ticks,
        "out_of_orderness_ms": config.lateness_ms,
        "idle_after_ms": config.idle_after,
        "max_future_ms": config.max_future,
        "edge_ttl_ms": config.edge_ttl,
        "edge_side": config.edge_side,
        "window_ticks": window_ticks,
        "rules": [dict(rule) for rule in rules],
        "patterns": [dict(pattern) for pattern in patterns],
        "limits": config.limits.model_dump(),
        "control": config.topic_to_jvm(config.control),
        "feedback": config.topic_to_jvm(config.feedback),
    }


def graph_names(recordings: Sequence[Recording]) -> list[str]:
    """The graph name each recording goes by in this run, in order.

    Its own graph's, where no other recording has that too; else the recording's name, numbered where even
    that is taken.
    """
    graphs = Counter(recording.meta.graph for recording in recordings)
    taken: set[str] = set()
    names = []
    for recording in recordings:
        meta = recording.meta
        names.append(_free(meta.graph if graphs[meta.graph] == 1 else meta.name, taken))
    return names


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def _ticks_of(recordings: Sequence[Recording], names: Sequence[str]) -> dict[str, int]:
    pairs = zip(names, recordings, strict=True)
    return {name: max(SHORTEST_TICK_MS, recording.meta.interval) for name, recording in pairs}


def _sources(config: JobConfig, names: Mapping[str, str]) -> list[dict[str, Any]]:
    return [_source(source, names) for source in config.sources]


def _source(source: KafkaSource | RecordingsSource, names: Mapping[str, str]) -> dict[str, Any]:
    if isinstance(source, RecordingsSource):
        return {**source.model_dump(), "names": [names[path] for path in source.paths]}
    return {**source.model_dump(exclude=READING), **source.reading()}
