"""Reads a JobConfig: a flag beats FAULTLINE_*, which beats the file, which beats the default.

Every finding names where the key was said: the file, the variable or the flag. Imports PyYAML, pydantic,
records.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from jobs.config import JobConfig
from records.errors import ConfigError
from records.validation import explain, nearest

PREFIX: Final = "FAULTLINE_"
NOT_KEYS: Final = ("FAULTLINE_JAR", "FAULTLINE_DATA", "FAULTLINE_CONFIG")
"""Variables of Faultline that are no keys of the configuration."""
NOT_KEYS_PREFIX: Final = "FAULTLINE_TEST_"
_PATHS: Final = ("model", "rules")
_Origins = dict[tuple[str, ...], str]


def load_config(
    file: Path | str | None = None,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> JobConfig:
    """The configuration of `file` (YAML), the environment (the process's own when unsaid) and `flags`.

    `flags`: key to value; `score.provider` names a key within a key. In a variable two underscores do:
    FAULTLINE_SCORE__PROVIDER. Relative paths: of the file's folder in a file, of the working directory
    elsewhere. ConfigError names file, key and nearest valid key.
    """
    origins: _Origins = {}
    merged: dict[str, Any] = {}
    if file is not None:
        _lay(merged, origins, _read(Path(file)), str(file), Path(file).resolve().parent)
    variables = os.environ if environment is None else environment
    for name, value in _of_environment(variables).items():
        _lay(merged, origins, _nested(name, value), _variable(name), Path.cwd())
    for name, value in (flags or {}).items():
        if value is not None:
            _lay(merged, origins, _nested(name, value), f"flag {name}", Path.cwd())
    try:
        return JobConfig.model_validate(merged)
    except ValidationError as error:
        raise _refusal(error, origins, str(file) if file is not None else "configuration") from error


def _read(file: Path) -> dict[str, Any]:
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}", "name a YAML file") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: no YAML: {' '.join(str(error).split())}", "mend the file") from error
    if not isinstance(read, dict) or not all(isinstance(key, str) for key in read):
        raise ConfigError(f"{file}: not a mapping of keys to values", "see docs/reference for the keys")
    return read


def _of_environment(variables: Mapping[str, str]) -> dict[str, Any]:
    """Dotted key to value for each FAULTLINE_* variable.

    Values are read as YAML, so lists and numbers work.
    """
    found = {}
    for name in sorted(variables):
        if name.startswith(PREFIX) and name not in NOT_KEYS and not name.startswith(NOT_KEYS_PREFIX):
            key = name.removeprefix(PREFIX).lower().replace("__", ".")
            if key.partition(".")[0] not in JobConfig.model_fields:
                valid = [_variable(field) for field in JobConfig.model_fields]
                raise ConfigError(
                    f"environment: unknown variable {name}{nearest(name, valid)}", f"unset {name}"
                )
            try:
                found[key] = yaml.safe_load(variables[name])
            except yaml.YAMLError as error:
                raise ConfigError(f"{name}: no YAML value: {variables[name]!r}", "quote it") from error
    return found


def _variable(key: str) -> str:
    return PREFIX + key.upper().replace(".", "__")


def _nested(key: str, value: Any) -> dict[str, Any]:
    head, _, rest = key.partition(".")
    return {head: _nested(rest, value) if rest else value}


def _lay(merged: dict[str, Any], origins: _Origins, layer: dict[str, Any], origin: str, base: Path) -> None:
    """Lays `layer` over `merged`: mappings are merged, everything else is replaced."""
    _over(merged, _absolute(layer, base), origins, origin, ())


def _over(
    below: dict[str, Any], above: dict[str, Any], origins: _Origins, origin: str, place: tuple[str, ...]
) -> None:
    for key, value in above.items():
        here = (*place, key)
        origins[here] = origin
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _over(below[key], value, origins, origin, here)
        else:
            for old in [old for old in origins if old[: len(here)] == here and old != here]:
                del origins[old]
            below[key] = value


def _absolute(layer: dict[str, Any], base: Path) -> dict[str, Any]:
    """The layer with its paths absolute, relative ones taken from `base`."""

    def full(path: Any) -> Any:
        return str(base / path) if isinstance(path, str) else path

    result = {key: _local(value, full) if key in _PATHS else value for key, value in layer.items()}
    patterns = result.get("patterns")
    if isinstance(patterns, list):
        result["patterns"] = [each if each == "library" else full(each) for each in patterns]
    if isinstance(result.get("sources"), list):
        result["sources"] = [_absolute_source(each, full) for each in result["sources"]]
    for outer, inner in (("sinks", "files"), ("checkpoint", None)):
        holder = result.get(outer)
        holder = holder.get(inner) if inner and isinstance(holder, dict) else holder
        if isinstance(holder, dict) and "dir" in holder:
            changed = {**holder, "dir": _local(holder["dir"], full)}
            result[outer] = {**result[outer], inner: changed} if inner else changed
    return result


def _absolute_source(source: Any, full: Any) -> Any:
    if not isinstance(source, dict) or not isinstance(source.get("paths"), list):
        return source
    return {**source, "paths": [full(path) for path in source["paths"]]}


def _local(path: Any, full: Any) -> Any:
    """A path made absolute; a URI (`s3://...`) stays as it is."""
    return path if isinstance(path, str) and "://" in path else full(path)


def _refusal(error: ValidationError, origins: _Origins, default: str) -> ConfigError:
    findings = []
    for finding, sentence in zip(error.errors(include_url=False), explain(error, JobConfig), strict=True):
        place = tuple(str(part) for part in finding["loc"])
        known = (origins[place[:size]] for size in range(len(place), 0, -1) if place[:size] in origins)
        findings.append(f"{next(known, default)}: {sentence}")
    return ConfigError("\n".join(findings), "correct the keys named above; docs/reference lists all of them")
