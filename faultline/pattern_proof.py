"""`faultline pattern test, backtest, explain`: proof before a pattern pages anyone.

Imports the pattern language inside the commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faultline import console, exits, pattern_backtest, pattern_explain
from faultline.words import plural

if TYPE_CHECKING:
    from cep_patterns.testing import TestOutcome

Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="PATTERN.yaml|DIR", exists=True, help="The shipped ones if unsaid."),
]


def register(app: typer.Typer) -> None:
    """Adds the commands to `faultline pattern`."""
    app.command("test")(run_their_tests)
    app.command("backtest")(pattern_backtest.backtest)
    app.command("explain")(pattern_explain.explain)


def run_their_tests(
    paths: Files = None,
    run: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only tests with this in their name (a regex).")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the outcomes as JUnit XML, too.")
    ] = None,
    json: console.Json = False,
) -> None:
    """Run the `.test.yaml` beside each pattern on the production engine.

    Exit 1 where a test fails, 2 where a file cannot be used.
    """
    from cep_patterns.junit import junit_xml
    from cep_patterns.testing import run_tests
    from cep_patterns.yaml_loader import LIBRARY
    from records.errors import UsageError

    if junit is not None and not junit.parent.is_dir():
        raise UsageError(f"--junit {junit}: there is no folder {junit.parent}", "make it, or name another")
    outcomes = run_tests(paths or [LIBRARY], only=run)
    for each in outcomes:
        _show(each, json)
    if junit is not None:
        junit.write_bytes(junit_xml(outcomes))
    wrong = sum(each.is_error for each in outcomes)
    failed = sum(not each.passed for each in outcomes) - wrong
    unused = f", {plural(wrong, 'file')} cannot be used" if wrong else ""
    console.note(f"{plural(len(outcomes) - wrong, 'test')}, {failed} failed{unused}")
    if wrong or failed:
        raise typer.Exit(exits.USAGE if wrong else exits.FINDINGS)


def _show(outcome: TestOutcome, json: bool) -> None:
    if json:
        told = {
            "file": str(outcome.file),
            "name": outcome.name,
            "kind": outcome.kind,
            "passed": outcome.passed,
        }
        lists = {name: list(getattr(outcome, name)) for name in ("patterns", "differences", "timeline")}
        console.say_json({**told, **lists})
        return
    if outcome.is_error:
        console.complain(outcome.differences[0])
        return
    console.say(f"{'ok  ' if outcome.passed else 'FAIL'}  {outcome.file.name}: {outcome.name}")
    for difference in outcome.differences:
        console.say(f"      {difference}")
    for line in outcome.timeline:
        console.say(f"        {line}")
