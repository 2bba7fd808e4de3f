"""`faultline pattern`: the life of a pattern. Imports the pattern language inside the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faultline import console, exits
from faultline.words import duration, plural

app = typer.Typer(no_args_is_help=True, help="CEP patterns: what counts as an anomaly.")

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATTERN.yaml|DIR]...", exists=True, help="The shipped ones if unsaid."),
]


@app.command("list")
def list_patterns(paths: Files = None, json: console.Json = False) -> None:
    """List patterns with what they watch and how ripe they are."""
    from cep_patterns.yaml_loader import LIBRARY, load_patterns

    patterns = load_patterns(paths or [LIBRARY])
    if json:
        for each in patterns:
            console.say_json(each.model_dump(mode="json", by_alias=True))
        return
    rows = [
        (
            each.id,
            str(each.version),
            each.maturity,
            each.severity,
            each.key,
            "" if each.within_ms is None else duration(each.within_ms),
            each.description,
        )
        for each in patterns
    ]
    console.table(("id", "version", "maturity", "severity", "key", "within", "description"), rows)


@app.command()
def validate(paths: Files = None, json: console.Json = False) -> None:
    """Check pattern files; exit 1 where one would be refused."""
    from cep_patterns.yaml_loader import LIBRARY, read_patterns

    loaded = read_patterns(paths or [LIBRARY])
    for problem in loaded.problems:
        if json:
            console.say_json(
                {name: getattr(problem, name) for name in ("severity", "file", "pattern", "step", "message")}
            )
        else:
            console.say(f"{problem.severity} {problem}")
    console.note(f"{plural(len(loaded.patterns), 'pattern')} can run, {plural(len(loaded.errors), 'error')}")
    if loaded.errors:
        raise typer.Exit(exits.FINDINGS)
