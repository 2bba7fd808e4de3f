"""`faultline doctor`: names each missing or mismatched piece and its mend."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from faultline import console, exits
from faultline.cli import version
from faultline.kafka_security import KafkaConfig, brokers


class ProviderName(StrEnum):
    """Where the model is to run."""

    cpu = "cpu"
    gpu = "gpu"


def doctor(
    bootstrap_servers: Annotated[
        str | None, typer.Option(help="Kafka broker(s) that must answer, HOST:PORT.")
    ] = None,
    kafka_config: KafkaConfig = None,
    provider: Annotated[ProviderName, typer.Option(help="Where the model is to run.")] = ProviderName.cpu,
    model: Annotated[
        str | None, typer.Option(help="A bundle's folder or URL, instead of the released one.")
    ] = None,
    flink_conf: Annotated[
        Path | None, typer.Option(file_okay=False, help="Flink's configuration folder (else FLINK_CONF_DIR).")
    ] = None,
    json: console.Json = False,
) -> None:
    """Look at everything the job needs on this machine; exit 3 where a piece is missing or does not fit."""
    from faultline.checks import Asked, examine

    servers = None if bootstrap_servers is None else brokers(bootstrap_servers, kafka_config)
    asked = Asked("gpu" if provider == "gpu" else "cpu", model, servers, flink_conf, version())
    failed = 0
    for finding in examine(asked):
        failed += not finding.ok
        if json:
            console.say_json({name: getattr(finding, name) for name in ("piece", "ok", "detail", "mend")})
            continue
        mark = typer.style("ok  ", fg="green") if finding.ok else typer.style("FAIL", fg="red", bold=True)
        console.say(f"{mark}  {finding.piece}: {finding.detail}")
        if finding.mend:
            console.say(f"      mend: {finding.mend}")
    if failed:
        console.note(f"{failed} of the pieces above must be mended")
        raise typer.Exit(exits.ENVIRONMENT)
