"""`faultline job`: the job on a Flink cluster."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faultline import console, exits
from faultline.words import clock, duration

if TYPE_CHECKING:
    from faultline.cluster import Cluster
    from jobs.config import JobConfig

app = typer.Typer(no_args_is_help=True, help="The job on a Flink cluster.")

Flink = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="The cluster's REST interface; else what FLINK_CONF_DIR says."),
]
Job = Annotated[
    str | None, typer.Argument(metavar="[JOB]", help="The job's id or name; the only one if unsaid.")
]


Config = Annotated[
    Path,
    typer.Option(exists=True, dir_okay=False, envvar="FAULTLINE_CONFIG", help="The job's configuration."),
]
Settings = Annotated[
    list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Keys that beat the file's, dotted.")
]


@app.command()
def submit(
    config: Config,
    settings: Settings = None,
    flink: Flink = None,
    from_savepoint: Annotated[
        str | None, typer.Option(help="The savepoint or checkpoint to go on from.")
    ] = None,
    allow_non_restored_state: Annotated[
        bool, typer.Option(help="Leave out state that this configuration has no operator for.")
    ] = False,
    json: console.Json = False,
) -> None:
    """Submit the job and print its id."""
    loaded = _load(config, settings)
    told = _told(loaded, settings)
    _submit(flink, config, told, from_savepoint, partly=allow_non_restored_state, json=json)


@app.command()
def resume(
    config: Config,
    settings: Settings = None,
    flink: Flink = None,
    checkpoints: Annotated[
        str | None, typer.Option(metavar="DIR", help="The job's checkpoints; else as configured.")
    ] = None,
    json: console.Json = False,
) -> None:
    """Submit a job that was lost, with the state of its newest checkpoint, and print its id."""
    from faultline.checkpoints import folder_of, newest
    from faultline.cluster import checkpoints_folder
    from records.errors import ConfigError, UsageError

    loaded = _load(config, settings)
    folder = checkpoints or folder_of(loaded, checkpoints_folder())
    if folder is None:
        raise ConfigError(
            f"{config}: checkpoint.dir is unsaid, and in Flink's configuration too", "--checkpoints DIR"
        )
    live = [each.id for each in _cluster(flink).jobs() if each.name == loaded.name and not each.ended]
    if live:
        raise UsageError(f"job {loaded.name!r} is not lost: it is {live[0]}", "`faultline job stop` ends it")
    found = newest(folder)
    console.note(f"going on from {found.uri}, taken {clock(found.taken)}")
    _submit(flink, config, _told(loaded, settings), found.uri, claim=True, json=json)


def _load(config: Path, settings: list[str] | None) -> JobConfig:
    from jobs.config_loading import load_config
    from jobs.main import read_settings

    return load_config(config, read_settings(settings or []))


def _told(loaded: JobConfig, settings: list[str] | None) -> list[str]:
    """The settings, and where the job's own checkpoints go where nobody said so."""
    from faultline.checkpoints import folder_of
    from faultline.cluster import checkpoints_folder

    folder = None if loaded.checkpoint.dir else folder_of(loaded, checkpoints_folder())
    return [*(settings or []), *([] if folder is None else [f"checkpoint.dir={folder}"])]


def _submit(
    flink: str | None,
    config: Path,
    settings: list[str],
    state: str | None,
    *,
    claim: bool = False,
    partly: bool = False,
    json: bool,
) -> None:
    from faultline.cluster import address_of, submit

    address = address_of(flink)
    console.note(f"submitting to {address}")
    job_id = submit(address, config, settings, state, claim=claim, partly=partly)
    if json:
        console.say_json({"id": job_id, "flink": address})
    else:
        console.say(job_id)


@app.command()
def status(job: Job = None, flink: Flink = None, json: console.Json = False) -> None:
    """Show the cluster's jobs; exit 1 where JOB is named and does not run."""
    cluster = _cluster(flink)
    jobs = [cluster.job(job)] if job else cluster.jobs()
    if json:
        for each in jobs:
            console.say_json(asdict(each))
    elif jobs:
        rows = [
            (
                each.id,
                each.name,
                each.state,
                clock(each.start),
                duration(each.duration_ms),
                "-" if each.checkpoint is None else clock(each.checkpoint),
                each.reason or "",
            )
            for each in jobs
        ]
        console.table(("id", "name", "state", "started", "for", "checkpoint", "reason"), rows)
    else:
        console.say("no job")
    if job and jobs[0].state != "RUNNING":
        raise typer.Exit(exits.FINDINGS)


@app.command()
def stop(
    job: Job = None,
    flink: Flink = None,
    savepoints: Annotated[
        str | None, typer.Option(help="The folder for the savepoint; else where the cluster keeps them.")
    ] = None,
    savepoint: Annotated[bool, typer.Option(help="Keep the job's state for the next one.")] = True,
    json: console.Json = False,
) -> None:
    """Stop the job with a savepoint and print its path."""
    cluster = _cluster(flink)
    state = cluster.job(job)
    path = None
    if savepoint:
        path = cluster.stop(state, savepoints)
    else:
        cluster.cancel(state)
    if json:
        console.say_json({"id": state.id, "savepoint": path})
    else:
        console.say(path or f"{state.id} cancelled")


def _cluster(flink: str | None) -> Cluster:
    from faultline.cluster import Cluster, address_of

    return Cluster(address_of(flink))
