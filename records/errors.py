"""The errors a person can meet, each with its mend. Imports nothing.

FaultlineError
 ├── UsageError          a wrong argument of a command
 ├── ConfigError         a configuration, rules or pattern file that cannot be used
 │    └── PatternError   a pattern that is refused, with its step named
 ├── DataError           data that is not what it says it is
 │    ├── RecordingError a recording's file, with file and line
 │    ├── FrameError     bytes that are no frame row
 │    └── EventError     an incident event that must not be sent
 └── MachineError   something missing or wrong on this machine
      └── JavaError      Java, the jar or Flink's libraries, or a Java program that failed
"""

from __future__ import annotations


class FaultlineError(Exception):
    """Base of every error that is shown without a traceback; `mend` says what the reader can do."""

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend

    def __str__(self) -> str:
        """The message, and the mend on a line of its own where there is one."""
        return f"{self.message}\n  mend: {self.mend}" if self.mend else self.message


class UsageError(FaultlineError):
    """A wrong argument of a command."""


class ConfigError(FaultlineError):
    """A configuration, rules or pattern file that cannot be used."""


class PatternError(ConfigError):
    """A pattern that is refused; the message names the file, the pattern and the step."""


class DataError(FaultlineError):
    """Data that is not what it says it is."""


class RecordingError(DataError):
    """A recording that cannot be read or written; the message names file and line."""


class FrameError(DataError):
    """Bytes that are no frame row of a known version."""


class EventError(DataError):
    """An incident event that must not be sent."""


class MachineError(FaultlineError):
    """Something missing or wrong on this machine."""


class JavaError(MachineError):
    """Java, the jar or Flink's libraries are missing or wrong, or a Java program failed."""
