"""`faultline recording`: checks, imports and cuts recordings. Imports records inside the commands."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faultline import console, exits
from faultline.cut import cut
from faultline.words import plural

if TYPE_CHECKING:
    from records.checking import CheckReport
    from records.importers.shared import Imported

app = typer.Typer(no_args_is_help=True, help="Recordings: folders with samples, edges and faults.")
app.command("cut")(cut)

Folders = Annotated[list[Path], typer.Argument(metavar="RECORDING...", exists=True, file_okay=False)]


@app.command()
def check(paths: Folders, json: console.Json = False) -> None:
    """Read recordings from end to end; exit 1 where one is unfit."""
    from records.checking import check_recording

    reports = []
    for path in paths:
        console.note(f"reading {path}")
        reports.append((path, check_recording(path)))
    for path, report in reports:
        if json:
            console.say_json({"recording": str(path), **_as_data(report)})
        else:
            _show(path, report)
    if not all(report.ok for _, report in reports):
        raise typer.Exit(exits.FINDINGS)


class Publisher(StrEnum):
    """The data sets that can be imported."""

    nezha = "nezha"
    petshop = "petshop"
    rcaeval = "rcaeval"


@app.command("import")
def import_recordings(
    publisher: Annotated[Publisher, typer.Argument(help="Whose data set it is.")],
    source: Annotated[
        Path,
        typer.Argument(metavar="DIR", exists=True, file_okay=False, help="The data set, or a part of it."),
    ],
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder for the recordings.")] = Path(
        "recordings"
    ),
    edges: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="rcaeval without traces: calls, a CSV of source,target."
        ),
    ] = None,
    json: console.Json = False,
) -> None:
    """Make recordings of a public data set that was fetched from its publisher; exit 1 where a part of it
    is unfit.
    """
    with console.progress() as progress:
        imported = _import(publisher, source, out, edges, progress)
    for each in imported.recordings:
        if json:
            console.say_json({"recording": str(each.path), **each.meta.model_dump()})
        else:
            console.say(f"{each.path}: {each.meta.description}")
    for part in imported.left_out:
        if json:
            console.say_json({"left_out": part.case, "reason": part.reason})
        else:
            console.complain(f"{part.case} is left out: {part.reason}")
    console.note(f"{plural(len(imported.recordings), 'recording')}, {len(imported.left_out)} left out")
    if imported.left_out:
        raise typer.Exit(exits.FINDINGS)


def _import(
    publisher: Publisher, source: Path, out: Path, edges: Path | None, progress: console.Progress
) -> Imported:
    from records.errors import UsageError
    from records.importers.nezha import import_nezha
    from records.importers.petshop import import_petshop
    from records.importers.rcaeval import import_rcaeval

    if publisher is Publisher.rcaeval:
        return import_rcaeval(source, out, progress, edges)
    if edges is not None:
        raise UsageError(f"{publisher.value} has its own calls", "leave --edges out")
    return (import_nezha if publisher is Publisher.nezha else import_petshop)(source, out, progress)


def _show(path: Path, report: CheckReport) -> None:
    parts = (
        plural(report.samples, "sample"),
        plural(report.series, "series").replace("serieses", "series"),
        plural(len(report.nodes), "node"),
        plural(report.edges, "edge"),
        plural(report.faults, "fault"),
    )
    console.say(f"{path}: {'fit' if report.ok else 'unfit'}: {', '.join(parts)}")
    for finding in report.findings:
        console.say(f"  {finding}")
    for kind, count in sorted(report.left_out.items()):
        console.say(f"  and {count} more: {kind}")


def _as_data(report: CheckReport) -> dict[str, Any]:
    return {
        "ok": report.ok,
        "samples": report.samples,
        "series": report.series,
        "nodes": len(report.nodes),
        "edges": report.edges,
        "faults": report.faults,
        "findings": [
            {
                "severity": each.severity,
                "file": each.file,
                "line": each.line,
                "kind": each.kind,
                "message": each.message,
            }
            for each in report.findings
        ],
        "left_out": dict(report.left_out),
    }
