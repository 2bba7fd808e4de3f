"""Exit codes and which error ends in which. Imports the error tree only."""

from __future__ import annotations

from typing import Final

from records.errors import ConfigError, DataError, FaultlineError, UsageError

OK: Final = 0
FINDINGS: Final = 1
"""The command worked and found something wrong: a failed test, a bad line, a missed fault it was asked
about.
"""
USAGE: Final = 2
"""A wrong argument, or a file of the user's (configuration, pattern) that cannot be used."""
ENVIRONMENT: Final = 3
"""Something is missing or wrong on this machine, in the cluster, or in the installed model."""
INTERNAL: Final = 70
"""A fault of Faultline itself: never mistaken for a finding."""
INTERRUPTED: Final = 130
"""Stopped with Ctrl-C."""


def exit_code(error: FaultlineError) -> int:
    """The exit code for an error that ends a command."""
    if isinstance(error, UsageError | ConfigError):
        return USAGE
    return FINDINGS if isinstance(error, DataError) else ENVIRONMENT
