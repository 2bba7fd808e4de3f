"""`faultline model evaluate`: how well a bundle ranks causes, beside what it has to beat and beside another
bundle. Imports the evaluation inside the command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from faultline import console, exits
from faultline.model_bundles import BUNDLE_HELP, bundle_at
from faultline.report.evaluation import (
    cells,
    evaluation_view,
    failure_cells,
    findings,
    heading,
    late_rows,
    pair_cells,
    verdict_of,
)

if TYPE_CHECKING:
    from gnn.evaluation.study import Study

JSON_FILE: Final = "evaluation.json"
PAGE_FILE: Final = "evaluation.html"

Data = Annotated[
    list[Path] | None,
    typer.Option(
        exists=True, file_okay=False, help="A recording with faults, or a folder of some; may be repeated."
    ),
]
Against = Annotated[str | None, typer.Option(help="Another bundle; exit 1 where BUNDLE is worse than it.")]
Simulated = Annotated[
    int,
    typer.Option(min=0, help="Simulated systems of the first family, the others in proportion; 0: none."),
]
Families = Annotated[
    list[str] | None,
    typer.Option("--family", help="Of this simulated family only; may be repeated; all if unsaid."),
]
TreesOption = Annotated[
    int, typer.Option("--trees", min=0, help="Training systems of the trees beside it; 0: no trees.")
]
Work = Annotated[Path, typer.Option(file_okay=False, help="Where the trees' data are kept.")]
Out = Annotated[Path, typer.Option(file_okay=False, help=f"The folder of {JSON_FILE} and {PAGE_FILE}.")]


def register(app: typer.Typer) -> None:
    """Adds the command to `faultline model`."""
    app.command("evaluate")(evaluate)


def evaluate(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help=BUNDLE_HELP)],
    data: Data = None,
    against: Against = None,
    simulated: Simulated = 60,
    family: Families = None,
    trees: TreesOption = 160,
    failures: Annotated[int, typer.Option(min=0, help="Failing faults to print per set.")] = 5,
    work: Work = Path("runs/evaluate"),
    out: Out = Path("out/evaluate"),
    json: console.Json = False,
) -> None:
    """Judge a bundle on recorded and simulated faults, beside other methods on the same windows; exit 1 where
    it is worse than --against beyond noise.
    """
    from gnn.evaluation.run import Request, recordings_in
    from gnn.evaluation.run import evaluate as run
    from gnn.simulator.families import FAMILIES

    request = Request(
        bundle=bundle_at(bundle),
        against=None if against is None else bundle_at(against),
        recordings=recordings_in(data or []),
        systems=simulated,
        families=tuple(family or FAMILIES),
        trees=trees,
        work=work,
    )
    with console.progress() as progress:
        study = run(request, progress)
    told = _written(study, out)
    if json:
        console.say_json(told)
    else:
        show(study, failures)
    console.note(f"written: {out / JSON_FILE}, {out / PAGE_FILE}")
    if study.worse:
        raise typer.Exit(exits.FINDINGS)


def _written(study: Study, out: Path) -> dict[str, object]:
    """The study as plain data, once it and its page are in the folder."""
    from dataclasses import asdict

    import orjson

    from faultline.report.render import render_evaluation

    told = {**asdict(study), "worse": study.worse}
    out.mkdir(parents=True, exist_ok=True)
    (out / JSON_FILE).write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    (out / PAGE_FILE).write_text(render_evaluation(evaluation_view(study)), encoding="utf-8")
    return told


def show(study: Study, failures: int) -> None:
    """Prints a study: per set the table, what follows from it, and the first failures."""
    for group in study.groups:
        console.say(f"{group.name}: {heading(group)}")
        console.table(
            ("", "AC@1 (95%)", "AC@3", "AC@5", "Avg@5 (95%)", "with signal AC@1", "AC@3", "Avg@5"),
            [(row.name, *cells(row.node), *pair_cells(row.pair)) for row in group.rows],
        )
        head, rows = late_rows(group)
        if rows:
            console.table(head, rows)
        for line in findings(group):
            console.say(f"  {line}")
        for each in group.failures[:failures]:
            place, fault, rank, sure, named = failure_cells(each)
            console.say(f"  {place} {fault}: rank {rank}, confidence {sure}; told {named}")
        if len(group.failures) > failures:
            console.say(f"  and {len(group.failures) - failures} more failures")
        console.say()
    verdict = verdict_of(study)
    if study.against is not None:
        console.say(f"{study.bundle['name']} against {study.against['name']}: {verdict}")
