"""`faultline decode`: shows how payloads are read, by the job's own decoders, without a job.

Owns the request to `io.faultline.cli.Decode` and its answer in words. Imports records and jobs inside the
command.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from faultline import console, exits
from faultline.decode_words import in_words, to_map
from faultline.words import plural
from records.formats import Format

MAIN_CLASS: Final = "io.faultline.cli.Decode"
_RECORD_KEYS: Final = ("value", "value_base64", "key", "timestamp", "partition", "headers")


def decode(
    wire: Annotated[Format, typer.Option("--format", help="The format of the payloads.")],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", exists=True, dir_okay=False, help="Payloads, a file each."),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Records with value, key, timestamp, headers: a YAML or JSON list.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            envvar="FAULTLINE_CONFIG",
            help="A job's configuration: identity, rules, tick.",
        ),
    ] = None,
    rules: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Signal rules that go before the configuration's and the shipped ones.",
        ),
    ] = None,
    normalised: Annotated[
        bool,
        typer.Option("--normalised", help="After counters, units, signals and baseline; by which rules."),
    ] = False,
    json: console.Json = False,
) -> None:
    """Show how payloads are read; exit 1 where one cannot be."""
    from records.errors import UsageError
    from records.java import QUICK_START, run_main

    if not files and records is None:
        raise UsageError("no payload", "name a file, or --records")
    sent = [_record({"value_base64": b64encode(file.read_bytes()).decode()}) for file in files or ()]
    sent += [] if records is None else read_records(records)
    settings = _settings(config, wire, rules or [])
    request = {"format": wire.value, "normalised": normalised, "records": sent, **settings}
    counts, unmapped = _show(run_main(MAIN_CLASS, request, jvm_options=QUICK_START), json)
    told = [plural(counts[kind], kind.replace("_", " ")) for kind in ("sample", "edge", "dead_letter")]
    console.note(f"{plural(len(sent), 'record')}: {', '.join(told)}, {counts['ignored']} ignored")
    if unmapped:
        console.note(to_map(unmapped))
    if counts["dead_letter"]:
        raise typer.Exit(exits.FINDINGS)


def _show(lines: Iterable[dict[str, Any]], json: bool) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Prints the lines as they come; how many there were of each type, and those of unmapped names."""
    from records.rules import stub

    counts: Counter[str] = Counter()
    unmapped = []
    for line in lines:
        counts[line["type"]] += 1
        if line["type"] == "unmapped":
            line["stub"] = stub(line["metric"], histogram=line["histogram"])
            unmapped.append(line)
        if json:
            console.say_json(line)
        else:
            console.say(in_words(line))
    return counts, unmapped


def read_records(file: Path) -> list[dict[str, Any]]:
    """Records as a consumer would have them: `value` is text or null, `value_base64` bytes."""
    import yaml

    from records.errors import ConfigError

    mend = "write a list: - {value: text or null, value_base64: .., key: .., timestamp: ms, headers: {..}}"
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: no YAML: {' '.join(str(error).split())}", mend) from error
    if not isinstance(read, list) or not all(isinstance(each, dict) for each in read):
        raise ConfigError(f"{file}: not a list of records", mend)
    for index, each in enumerate(read):
        _check(each, f"{file}: record {index}")
    return [_record(each) for each in read]


def _check(record: Mapping[str, Any], place: str) -> None:
    from records.errors import ConfigError
    from records.validation import nearest

    for key in record:
        if key not in _RECORD_KEYS:
            raise ConfigError(
                f"{place}: unknown key {key!r}{nearest(str(key), _RECORD_KEYS)}", "correct the key"
            )
    for key in ("value", "value_base64", "key"):
        if not isinstance(record.get(key), str | None):
            raise ConfigError(f"{place}: {key} is no text", "put it in quotes")
    headers = record.get("headers") or {}
    if not isinstance(headers, dict) or not all(
        isinstance(text, str) for pair in headers.items() for text in pair
    ):
        raise ConfigError(
            f"{place}: headers are no names with text", "write headers: {content-type: text/plain}"
        )


def _record(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of the request; a value that is null is a tombstone."""
    value = None if record.get("value_base64") is None else b64decode(record["value_base64"])
    text = record.get("value")
    return {
        "value_base64": _base64(value if text is None else text.encode()),
        "key_base64": _base64(None if record.get("key") is None else record["key"].encode()),
        "timestamp": record.get("timestamp"),
        "partition": record.get("partition"),
        "headers": record.get("headers"),
    }


def _base64(value: bytes | None) -> str | None:
    return None if value is None else b64encode(value).decode()


def _settings(config: Path | None, wire: Format, rules: Sequence[Path]) -> dict[str, Any]:
    """What a job of this configuration would be told about identity, rules and ticks."""
    from records.rules import load_rules

    if config is None:
        return {"rules": load_rules(rules)}
    from jobs.config import KafkaSource
    from jobs.config_loading import load_config

    loaded = load_config(config)
    sources = [each for each in loaded.sources if isinstance(each, KafkaSource) and each.format == wire.value]
    reading = sources[0].reading() if sources else {}
    return {
        **reading,
        "graph": loaded.graph,
        "rules": load_rules([*rules, *([] if loaded.rules is None else [loaded.rules])]),
        "tick_ms": loaded.tick,
        "graph_ticks": loaded.graph_ticks,
        "max_future_ms": loaded.max_future,
        "edge_ttl_ms": loaded.edge_ttl,
        "edge_side": loaded.edge_side,
    }
