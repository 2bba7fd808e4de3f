"""What every command of Faultline has in common: how it ends.

A FaultlineError becomes one clear message with its mend and an exit code, and so does a file or folder that
cannot be read or written; anything else is a fault of Faultline and says so. With --debug all show where they
come from. Imports typer and the error tree.
"""

from __future__ import annotations

import importlib.metadata
import os
from typing import Any

import typer
from typer.core import TyperGroup

from faultline import console, exits
from records.errors import FaultlineError, MachineError, UsageError


class FaultlineGroup(TyperGroup):
    """The root of the commands; called once per process, around the command that was typed."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Runs the command and turns its errors into exit codes."""
        try:
            return super().invoke(ctx)
        except (FaultlineError, KeyboardInterrupt) as error:
            if ctx.params.get("debug"):
                raise
            raise typer.Exit(_told(error)) from error
        except Exception as error:
            if ctx.params.get("debug") or _is_typers(error):
                raise
            if isinstance(error, OSError) and isinstance(error.filename, str | bytes):
                raise typer.Exit(_told(_of_file(error))) from error
            console.complain(f"{type(error).__name__}: {error}")
            console.note("  this is a fault of Faultline: `faultline --debug ...` shows where")
            raise typer.Exit(exits.INTERNAL) from error


def _told(error: FaultlineError | KeyboardInterrupt) -> int:
    if isinstance(error, KeyboardInterrupt):
        console.note("stopped")
        return exits.INTERRUPTED
    console.complain(str(error))
    return exits.exit_code(error)


def _of_file(error: OSError) -> FaultlineError:
    """A place that is not there or not allowed is the user's to name; any other trouble is the machine's."""
    message = f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError):
        return UsageError(message, "name a file in a folder that is there and that you may use")
    return MachineError(message, "look at the disk")


def _is_typers(error: Exception) -> bool:
    """Whether typer itself ends the command this way: Exit, Abort, a usage error, a closed pipe."""
    return (isinstance(error, OSError) and error.errno == 32) or type(error).__module__.startswith(
        ("typer", "click")
    )


def version() -> str:
    """The version of the installed package; `unknown` where it runs from a folder without being installed."""
    try:
        return importlib.metadata.version("faultline")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
