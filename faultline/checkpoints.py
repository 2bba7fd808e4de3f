"""Where a job's checkpoints lie, and which of them is the newest that is complete.

A cluster that lost its JobManager and keeps no record of its jobs knows them no more; their checkpoints are
still there. Imports the job's configuration and the standard library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from records.errors import MachineError, UsageError

if TYPE_CHECKING:
    from jobs.config import JobConfig

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_COMPLETE: Final = "*/chk-*/_metadata"
"""Below a job's folder: an id for each time it was submitted. Flink writes this file last."""
_MEND: Final = (
    "`faultline job submit --from-savepoint PATH`, of a savepoint or of a checkpoint (DIR/JOB-ID/chk-N)"
)


@dataclass(frozen=True)
class Checkpoint:
    """A complete checkpoint. `uri`: what Flink is given; `taken`: when it was complete, ms."""

    uri: str
    taken: int


def folder_of(config: JobConfig, cluster: str | None) -> str | None:
    """The folder of the job's checkpoints: as configured, else one of its name below the cluster's.

    `cluster`: the folder that Flink's configuration names. None where neither names one.
    """
    if config.checkpoint.dir is not None:
        return config.checkpoint.dir
    return None if cluster is None else f"{cluster.rstrip('/')}/{_UNSAFE.sub('_', config.name)}"


def newest(folder: str) -> Checkpoint:
    """The newest complete checkpoint of a job's folder.

    UsageError where there is none, MachineError for a folder that only Flink can read.
    """
    root = _local(folder)
    found = [(file.stat().st_mtime_ns, file.parent) for file in root.glob(_COMPLETE)]
    if not found:
        raise UsageError(
            f"{folder}: no complete checkpoint", f"a job that was stopped has a savepoint: {_MEND}"
        )
    taken, checkpoint = max(found)
    return Checkpoint(checkpoint.as_uri(), taken // 1_000_000)


def _local(folder: str) -> Path:
    parts = urlsplit(folder)
    if parts.scheme not in ("", "file"):
        raise MachineError(f"{folder}: only Flink can look into it", f"name the newest checkpoint: {_MEND}")
    return Path(unquote(parts.path) if parts.scheme else folder).resolve()
