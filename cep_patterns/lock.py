"""The lock of a folder of patterns: `lock.json` holds version, hash of the meaning and maturity by id.

A pattern whose meaning changed has another version: whoever sees a match knows what found it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from cep_patterns.meaning import meaning_hash
from cep_patterns.model import PatternModel
from records.errors import PatternError
from records.validation import Record, explain

LOCK_FILE: Final = "lock.json"


class Locked(Record):
    """What is locked of one pattern."""

    version: Annotated[int, Field(ge=1)]
    meaning: Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
    maturity: str


_LOCK: Final = TypeAdapter(dict[str, Locked])


def lock_of(patterns: Iterable[PatternModel]) -> dict[str, Locked]:
    """What the lock of these patterns says, in order of their ids."""
    return {
        each.id: Locked(version=each.version, meaning=meaning_hash(each), maturity=each.maturity)
        for each in sorted(patterns, key=lambda pattern: pattern.id)
    }


def read_lock(folder: Path) -> dict[str, Locked]:
    """The folder's lock, empty where it has none; PatternError where the file is no lock."""
    file = folder / LOCK_FILE
    if not file.exists():
        return {}
    try:
        return _LOCK.validate_json(file.read_bytes())
    except ValidationError as error:
        told = "; ".join(explain(error, Locked))
        raise PatternError(
            f"{file}: no lock: {told}", "take it from version control, or delete it and lock anew"
        ) from error


def write_lock(folder: Path, lock: Mapping[str, Locked]) -> Path:
    """Writes the folder's lock; returns the file."""
    file = folder / LOCK_FILE
    content = {name: locked.model_dump() for name, locked in lock.items()}
    file.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return file


def forbidden(locked: Mapping[str, Locked], now: Mapping[str, Locked]) -> list[str]:
    """Changes that no lock may take: another meaning under the same version, an older version."""
    told = []
    for name, new in now.items():
        old = locked.get(name)
        if old is None:
            continue
        if new.version < old.version:
            told.append(f"{name}: version {new.version} after {old.version}; versions only rise")
        elif new.version == old.version and new.meaning != old.meaning:
            told.append(f"{name}: its meaning changed and its version is still {old.version}; raise it")
    return told


def stale(locked: Mapping[str, Locked], now: Mapping[str, Locked]) -> list[str]:
    """Where the lock does not say what is there; `faultline pattern lock` brings it up to date."""
    told = [f"{name}: is not in the lock" for name in now if name not in locked]
    told += [f"{name}: is in the lock and no more here" for name in locked if name not in now]
    for name, new in now.items():
        old = locked.get(name)
        if old is not None and old != new:
            told.append(f"{name}: the lock has {_told(old)}, here is {_told(new)}")
    return told


def _told(locked: Locked) -> str:
    return f"version {locked.version} ({locked.maturity}, {locked.meaning[:15]})"
