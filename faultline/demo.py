"""`faultline demo`: a simulated incident through the embedded job. Imports the simulator inside the
command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faultline import console
from faultline.run import Model, Provider, run_recordings, show


def demo(
    seed: Annotated[
        int, typer.Option(min=0, help="Which system and fault: the same seed gives the same.")
    ] = 7,
    nodes: Annotated[int, typer.Option(min=1, max=70, help="Size of the system.")] = 12,
    kind: Annotated[
        str | None, typer.Option(help="The kind of fault; drawn by the seed when unsaid.")
    ] = None,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="The folder for the recording and the run.")
    ] = Path("out/demo"),
    model: Model = None,
    provider: Provider = None,
    json: console.Json = False,
) -> None:
    """Simulate a system with a fault and let the job find it."""
    from gnn.simulator import incident_recording

    flags = {"model": model, "score.provider": provider}
    with console.progress() as progress:
        progress(f"simulating a system of {nodes} nodes with one fault (seed {seed})")
        recording = incident_recording(out / "recording", seed, kind=kind, nodes=nodes)
        finished = run_recordings([recording.path], out / "run", flags, None, progress)
    show(finished, json)
