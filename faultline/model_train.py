"""`faultline model simulate, train, export`: simulated systems as recordings, and from them to a bundle.
Imports the simulator and training inside the commands.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faultline import console
from faultline.words import plural

if TYPE_CHECKING:
    from gnn.release import Plan
    from onnx_models.bundle import Bundle

Config = Annotated[
    Path | None, typer.Option(exists=True, dir_okay=False, help="A configuration, such as gnn/config.yaml.")
]
Work = Annotated[Path, typer.Option(file_okay=False, help="Where data, learning curve and weights lie.")]
Out = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="The folder that gets the bundle; the shipped ones' if unsaid."),
]
Version = Annotated[int | None, typer.Option(min=1, help="Instead of the configuration's.")]
Judge = Annotated[
    list[Path] | None,
    typer.Option(
        exists=True, file_okay=False, help="A recording to judge on, for the card; may be repeated."
    ),
]
Fresh = Annotated[int, typer.Option(min=1, help="Simulated systems to judge on, for the card.")]
_WORK = Path("runs/release")


def register(app: typer.Typer) -> None:
    """Adds the commands to `faultline model`."""
    for command in (simulate, train, export):
        app.command()(command)


def simulate(
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder that gets a recording per system.")],
    systems: Annotated[int, typer.Option(min=1, help="How many.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of the first; the next ones count on from it.")] = 0,
    episodes: Annotated[int, typer.Option(min=0, help="About how many faults each; 0: healthy.")] = 6,
    family: Annotated[
        str, typer.Option(help="fresh (as in training), watched (for the whole job), large, deep, ...")
    ] = "fresh",
    json: console.Json = False,
) -> None:
    """Write simulated systems with faults as recordings: the worlds that the model is trained on."""
    from gnn.simulator.families import family_named
    from gnn.simulator.recording import write_simulation

    make = family_named(family).make
    for number in range(seed, seed + systems):
        simulation = make(number, episodes, f"{family}-{number}")
        about = f"simulated, {family}, seed {number}"
        recording = write_simulation(out / simulation.graph, simulation, description=about)
        told = {
            "recording": str(recording.path),
            "nodes": len(simulation.names),
            "series": len(simulation.series),
            "faults": len(simulation.faults),
            "seed": number,
        }
        if json:
            console.say_json(told)
        else:
            sizes = f"{plural(len(simulation.names), 'node')}, {len(simulation.series)} series"
            console.say(f"{recording.path}: {sizes}, {plural(len(simulation.faults), 'fault')}")


def train(
    config: Config = None,
    work: Work = _WORK,
    out: Out = None,
    judge: Judge = None,
    fresh: Fresh = 60,
    version: Version = None,
    json: console.Json = False,
) -> None:
    """Make a bundle from nothing: simulate, normalise in the JVM, train, calibrate, export, judge. A training
    that was stopped goes on.
    """
    from gnn.release import release

    _end(release(_plan(config, work, out, judge, fresh, version)), json)


def export(
    config: Config = None,
    work: Work = _WORK,
    out: Out = None,
    judge: Judge = None,
    fresh: Fresh = 60,
    version: Version = None,
    json: console.Json = False,
) -> None:
    """Make a bundle of the best weights that a training left in its work folder, ended or not."""
    from gnn.release import release_weights

    _end(release_weights(_plan(config, work, out, judge, fresh, version)), json)


def _plan(
    config: Path | None,
    work: Path,
    out: Path | None,
    judge: list[Path] | None,
    fresh: int,
    version: int | None,
) -> Plan:
    from dataclasses import replace

    from gnn.config import DEFAULT_CONFIG, load_config
    from gnn.release import Plan
    from onnx_models.bundle import RELEASED

    _log_progress()
    read = load_config(config or DEFAULT_CONFIG)
    named = read if version is None else replace(read, version=version)
    return Plan(named, work, out or RELEASED, fresh, recordings=tuple(judge or ()))


def _log_progress() -> None:
    """Lets training tell on stderr where it stands."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    for name in ("gnn", "onnx_models"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.handlers = [handler]


def _end(bundle: Bundle, json: bool) -> None:
    if json:
        console.say_json({"path": str(bundle.path), **bundle.manifest.model_dump(mode="json")})
    else:
        console.say(f"{bundle.path}: written, sha256 {bundle.manifest.sha256[:16]}")
