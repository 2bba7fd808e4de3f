"""`faultline run`: recordings through the embedded job, then the table of incidents and the report.

`demo` ends the same way. Imports the job inside the command.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faultline import console
from faultline.cli import version
from faultline.words import plural

if TYPE_CHECKING:
    from faultline.run_folder import RunFolder
    from jobs.config import JobConfig
    from jobs.pipeline import Progress

Recordings = Annotated[
    list[Path],
    typer.Argument(metavar="RECORDING...", exists=True, file_okay=False, help="Folders of recordings."),
]
Patterns = Annotated[
    list[str] | None,
    typer.Option(help="Pattern files or folders, instead of the shipped ones (`library` names those)."),
]
Model = Annotated[str | None, typer.Option(help="A bundle's folder or URL, instead of the released one.")]
Config = Annotated[
    Path | None,
    typer.Option(envvar="FAULTLINE_CONFIG", help="A configuration file (YAML) with further keys."),
]
Provider = Annotated[str | None, typer.Option(help="Where the model runs: cpu or gpu.")]


def run(
    recordings: Recordings,
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder for what the run finds.")],
    patterns: Patterns = None,
    model: Model = None,
    config: Config = None,
    provider: Provider = None,
    json: console.Json = False,
) -> None:
    """Run the job over recordings; DIR gets its events, matches, frames and report.html."""
    flags = {"patterns": patterns, "model": model, "score.provider": provider}
    with console.progress() as progress:
        finished = run_recordings(recordings, out, flags, config, progress)
    show(finished, json)


def run_recordings(
    recordings: Sequence[Path],
    out: Path,
    flags: dict[str, Any],
    config: Path | None,
    progress: console.Progress,
) -> RunFolder:
    """Runs the embedded job over `recordings` into the folder `out`; the run's folder with its report
    written.

    `flags`: keys of the configuration that the command line says; None where it does not.
    """
    from faultline.noise import apart
    from faultline.report.render import write_report
    from faultline.run_folder import LOG, open_run, prepare, write_meta
    from jobs.pipeline import run_embedded

    loaded = load(recordings, out, flags, config)
    tell_dry(loaded.patterns)
    meta = prepare(out, _inputs(loaded), version())
    with apart(out / LOG):
        result = run_embedded(loaded, progress=lambda told: progress(in_words(told)))
    progress("writing the report")
    rules = [] if loaded.rules is None else [loaded.rules]
    counts = {**result.counts, **count_inputs(loaded.recording_paths)}
    seconds = round(result.seconds, 2)
    write_meta(out, meta.model_copy(update={"rules": rules, "counts": counts, "seconds": seconds}))
    finished = open_run(out)
    write_report(finished)
    return finished


def tell_dry(patterns: Sequence[str]) -> None:
    """Notes which of the user's own patterns run dry: one without a maturity does, and may surprise."""
    from cep_patterns.yaml_loader import read_patterns

    loaded = read_patterns([path for path in patterns if path != "library"]).patterns
    dry = [each.id for _, each in loaded if each.maturity == "experimental"]
    if dry:
        console.note(f"experimental, so without incidents of their own: {', '.join(dry)}")


def in_words(told: Progress) -> str:
    """Where the run stands, in a line."""
    if told.stage == "starting":
        return "starting Flink"
    parts = [
        plural(told.counts.get(kind, 0), word) for kind, word in (("frames", "tick"), ("matches", "match"))
    ]
    return f"{told.stage}: {', '.join(parts)}, {plural(told.counts.get('incidents', 0), 'event')}"


def count_inputs(paths: Sequence[str]) -> dict[str, int]:
    """Samples and edges in the recordings that were fed in."""
    from records.recordings import EDGES_FILE, SAMPLES_FILE

    files = {"samples": SAMPLES_FILE, "edges": EDGES_FILE}
    return {kind: sum(_lines(Path(path) / name) for path in paths) for kind, name in files.items()}


def _lines(file: Path) -> int:
    """Lines that are not blank in a file, gzip unless it is empty; 0 where it is absent."""
    if not file.is_file() or not file.stat().st_size:
        return 0
    with gzip.open(file, "rb") as lines:
        return sum(1 for line in lines if line.strip())


def load(recordings: Sequence[Path], out: Path, flags: dict[str, Any], config: Path | None) -> JobConfig:
    """The job's configuration for this run: files only, whatever else the configuration file writes to."""
    from jobs.config_loading import load_config

    paths = [str(path.resolve()) for path in recordings]
    own = {
        "sources": [{"type": "recordings", "paths": paths}],
        "sinks": {"kafka": None, "files": {"dir": str(out.resolve())}},
    }
    return load_config(config, {**flags, **own})


def _inputs(config: JobConfig) -> dict[str, str]:
    """Folder to graph name of each recording."""
    from jobs.jvm_config import graph_names
    from records.recordings import open_recording

    opened = [open_recording(path) for path in config.recording_paths]
    return {str(each.path): name for each, name in zip(opened, graph_names(opened), strict=True)}


def show(run: RunFolder, json: bool) -> None:
    """Prints the incidents of a finished run and where its report is."""
    from faultline import incident_table
    from faultline.history import histories
    from faultline.judge import judge
    from faultline.run_folder import REPORT

    incidents, faults = histories(run.events()), run.faults()
    judgement = judge(incidents, faults, run.spans()) if faults else None
    report = str(run.path / REPORT)
    if json:
        told = incident_table.to_json(incidents, judgement)
        console.say_json({**told, "counts": run.counts(), "report": report})
        return
    incident_table.show(incidents, judgement)
    console.say(f"report: {report}")
