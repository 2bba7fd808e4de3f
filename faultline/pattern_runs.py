"""Runs patterns over recordings for `faultline pattern backtest`: the production engine, without a cluster.

Owns which patterns run beside those that are judged, and the tick of each recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cep_patterns.gateway import Run, Settings, run_patterns
from cep_patterns.model import PatternModel
from cep_patterns.yaml_loader import LIBRARY, load_library, load_some
from faultline.backtest import Day, day_of, tick_of
from records.errors import PatternError, RecordingError, UsageError
from records.recordings import META_FILE, Recording, numbered_lines, open_recording
from records.samples import Sample


def patterns_and_recordings(paths: Iterable[Path]) -> tuple[list[PatternModel], list[Recording]]:
    """What the arguments name: a folder with recording.json is a recording, all else patterns.

    `library` is the shipped ones. UsageError where one of the two is missing.
    """
    patterns: list[Path] = []
    recordings: list[Path] = []
    for path in paths:
        if (path / META_FILE).is_file():
            recordings.append(path)
        elif path.is_dir() and any((each / META_FILE).is_file() for each in path.iterdir()):
            recordings += sorted(each for each in path.iterdir() if (each / META_FILE).is_file())
        else:
            patterns.append(path)
    loaded = patterns_of(patterns)
    if not recordings:
        raise UsageError(
            "no recording is named",
            "add the folder of a recording; `faultline recording cut` makes one of your topics",
        )
    if not loaded:
        raise UsageError("no pattern is named", "add a pattern file, a folder of them, or `library`")
    places = {each.resolve(): each for each in recordings}
    return loaded, [open_recording(each) for each in places.values()]


def patterns_of(paths: Iterable[Path]) -> list[PatternModel]:
    """The patterns in files and folders, `library` for the shipped ones.

    UsageError where a path is not there, PatternError where it holds no pattern or one that is refused.
    """
    places = [LIBRARY if path == Path("library") and not path.exists() else path for path in paths]
    for place in places:
        if not place.exists():
            mend = "name a pattern file, a folder of them, `library`, or the folder of a recording"
            raise UsageError(f"{place}: no such file or folder", mend)
    return load_some(places)


def beside(patterns: Sequence[PatternModel]) -> list[PatternModel]:
    """The shipped patterns that run beside these: patterns keyed by graph look at the matches of others."""
    if all(each.key != "graph" for each in patterns):
        return []
    own = {each.id for each in patterns}
    return [each for each in load_library() if each.id not in own]


def run_over(
    sets: Mapping[str, Sequence[PatternModel]],
    recordings: Sequence[Recording],
    rules: Sequence[Mapping[str, Any]],
) -> dict[str, list[Day]]:
    """The days of each set of patterns: all sets over all recordings in one JVM.

    PatternError where the engine refuses a pattern.
    """
    patterns: list[PatternModel] = []
    runs: list[Run] = []
    for name, own in sets.items():
        every = [*own, *beside(own)]
        patterns += [each for each in every if each not in patterns]
        places = [patterns.index(each) for each in every]
        runs += [
            Run(f"{name} {place}", recording=each.path, tick_ms=tick_of(each), patterns=places)
            for place, each in enumerate(recordings)
        ]
    results = run_patterns(patterns, runs, Settings(rules=rules))
    refuse({id_: why for result in results.values() for id_, why in result.refused.items()})
    names = _names(recordings)
    return {
        name: [
            day_of(each, names[place], result.found, result.costs, len(result.late))
            for place, each in enumerate(recordings)
            for result in [results[f"{name} {place}"]]
        ]
        for name in sets
    }


def refuse(refused: Mapping[str, str], before: str = "") -> None:
    """PatternError where the engine refused a pattern, or gave one up: id to reason."""
    if refused:
        told = "\n".join(f"{before}{name}: {reason}" for name, reason in refused.items())
        raise PatternError(told, "correct the pattern")


def read_samples(file: Path) -> list[Sample]:
    """The native samples of a file, one JSON object per line.

    RecordingError where there is none: nothing was found in nothing, which says nothing of a pattern.
    """
    samples = [each for _, each in numbered_lines(file, Sample)]
    if not samples:
        mend = "put native samples in it, one JSON object per line"
        raise RecordingError(f"{file}: there are no samples", mend)
    return samples


def _names(recordings: Sequence[Recording]) -> list[str]:
    """The recordings' names, with their folder where two have the same."""
    names = [each.meta.name for each in recordings]
    return [
        name if names.count(name) == 1 else f"{each.path.parent.name}/{each.path.name}"
        for name, each in zip(names, recordings, strict=True)
    ]
