"""The command `faultline`: puts the groups together. Importing it reads nothing and loads no heavy
library.
"""

from __future__ import annotations

from typing import Annotated

import typer

from faultline import console, decode, demo, doctor, events, job, model, pattern, recording, run
from faultline.cli import FaultlineGroup, version

app = typer.Typer(
    cls=FaultlineGroup,
    name="faultline",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Finds the root cause of an incident in metric streams, while it is happening.",
    epilog="Exit codes: 0 done, 1 findings or failed tests, 2 wrong use, 3 something missing here.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.say(f"faultline {version()}")
        raise typer.Exit


@app.callback()
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error comes from.")] = False,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of every command."""


app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)
app.command("run")(run.run)
app.command("decode")(decode.decode)
app.add_typer(job.app, name="job")
app.add_typer(pattern.app, name="pattern")
app.add_typer(recording.app, name="recording")
app.add_typer(model.app, name="model")
app.add_typer(events.app, name="events")
