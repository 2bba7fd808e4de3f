"""`faultline model evaluate`: how well a bundle ranks causes, beside what it has to beat and beside another
bundle. Imports the evaluation inside the command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from faultline import console, exits
from faultline.model_bundles import BUNDLE_HELP, bundle_at
from faultline.words import clock, plural

if TYPE_CHECKING:
    from gnn.evaluation.metrics import Accuracy, Interval
    from gnn.evaluation.study import Failure, Group, Study, Versus

JSON_FILE: Final = "evaluation.json"

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
TreesOption = Annotated[
    int, typer.Option("--trees", min=0, help="Training systems of the trees beside it; 0: no trees.")
]
Work = Annotated[Path, typer.Option(file_okay=False, help="Where the trees' data are kept.")]
Out = Annotated[Path, typer.Option(file_okay=False, help=f"The folder of {JSON_FILE}.")]


def register(app: typer.Typer) -> None:
    """Adds the command to `faultline model`."""
    app.command("evaluate")(evaluate)


def evaluate(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help=BUNDLE_HELP)],
    data: Data = None,
    against: Against = None,
    simulated: Simulated = 60,
    trees: TreesOption = 160,
    failures: Annotated[int, typer.Option(min=0, help="Failing faults to print per set.")] = 5,
    work: Work = Path("runs/evaluate"),
    out: Out = Path("out/evaluate"),
    json: console.Json = False,
) -> None:
    """Judge a bundle on recorded and simulated faults, beside other methods on the same windows; exit 1 where
    it is worse than --against beyond noise.
    """
    from dataclasses import asdict

    import orjson

    from gnn.evaluation.run import Request, recordings_in
    from gnn.evaluation.run import evaluate as run

    request = Request(
        bundle=bundle_at(bundle),
        against=None if against is None else bundle_at(against),
        recordings=recordings_in(data or []),
        systems=simulated,
        trees=trees,
        work=work,
    )
    with console.progress() as progress:
        study = run(request, progress)
    told = {**asdict(study), "worse": study.worse}
    out.mkdir(parents=True, exist_ok=True)
    (out / JSON_FILE).write_bytes(orjson.dumps(told, option=_OPTIONS))
    if json:
        console.say_json(told)
    else:
        show(study, failures)
    console.note(f"written: {out / JSON_FILE}")
    if study.worse:
        raise typer.Exit(exits.FINDINGS)


_OPTIONS: Final = 1 | 4  # indented, keys need not be texts


def show(study: Study, failures: int) -> None:
    """Prints a study: per set the table, what follows from it, and the first failures."""
    for group in study.groups:
        console.say(f"{group.name}: {heading(group)}")
        console.table(
            ("", "AC@1 (95%)", "AC@3", "AC@5", "Avg@5 (95%)", "with signal AC@1", "Avg@5"),
            [(row.name, *cells(row.node), *pair_cells(row.pair)) for row in group.rows],
        )
        for line in findings(group):
            console.say(line)
        for each in group.failures[:failures]:
            console.say(f"  {failure_line(each)}")
        if len(group.failures) > failures:
            console.say(f"  and {len(group.failures) - failures} more failures")
        console.say()
    if study.together is not None:
        console.say(f"all sets together: {versus_line(study.together)}")
    if study.against is not None:
        worse = ", ".join(study.worse)
        verdict = f"worse beyond noise ({worse})" if worse else "not worse beyond noise"
        console.say(f"{study.bundle['name']} against {study.against['name']}: {verdict}")


def heading(group: Group) -> str:
    """How many faults a set has, and what is not seen of them."""
    text = plural(group.faults, "fault")
    if group.hidden:
        text += f", of which {group.hidden} never show"
    return text + (f"; {group.unseen} more at nodes without any series" if group.unseen else "")


def cells(accuracy: Accuracy) -> tuple[str, ...]:
    """AC@1, AC@3, AC@5, Avg@5 as text."""
    return (
        with_interval(accuracy.ac1),
        f"{accuracy.ac3.mean:.2f}",
        f"{accuracy.ac5.mean:.2f}",
        with_interval(accuracy.avg5),
    )


def pair_cells(accuracy: Accuracy | None) -> tuple[str, str]:
    """AC@1 and Avg@5 of node and signal as text; `-` where signals are not ranked or not known."""
    if accuracy is None:
        return "-", "-"
    return with_interval(accuracy.ac1), f"{accuracy.avg5.mean:.2f}"


def with_interval(value: Interval) -> str:
    """`0.58 (0.49-0.66)`."""
    return f"{value.mean:.2f} ({value.low:.2f}-{value.high:.2f})"


def findings(group: Group) -> list[str]:
    """What follows from a set's table, in lines."""
    trust = group.trust
    lines = [
        f"  {versus_line(group.best)}",
        *(f"  {versus_line(each)}" for each in group.graph),
        f"  confidence: calibration error {trust.error:.2f}, mean {trust.confidence:.2f},"
        f" right {trust.right:.2f}"
        + (f"; mean {group.hidden_confidence:.2f} where nothing shows" if group.hidden else ""),
    ]
    late = [each for each in group.slices if each.by == "delay"]
    if late:
        told = ", ".join(f"{each.value} {each.ac1['model'].mean:.2f}" for each in late)
        lines.append(f"  AC@1 by delay after it shows: {told} ({plural(late[0].cases, 'fault')})")
    if group.signal.mean == group.signal.mean:
        lines.append(f"  signal of the true node right: {with_interval(group.signal)}")
    if group.against is not None:
        lines.append(f"  {versus_line(group.against)}")
    return lines


def versus_line(versus: Versus) -> str:
    """`AC@1 +0.12 (+0.03 to +0.21), Avg@5 ... against NAME`."""
    told = versus.difference
    ac1, avg5 = signed(told.ac1), signed(told.avg5)
    level = "" if told.level == 0.95 else f" at {told.level:.1%}"
    return f"against {versus.other}: AC@1 {ac1}, Avg@5 {avg5}{level}"


def signed(value: Interval) -> str:
    """`+0.12 (+0.03 to +0.21)`."""
    return f"{value.mean:+.2f} ({value.low:+.2f} to {value.high:+.2f})"


def failure_line(failure: Failure) -> str:
    """One failing fault with what was told instead."""
    told = ", ".join(f"{each.node} {each.signal} {each.score:.2f}" for each in failure.told)
    shown = "" if failure.shows else ", never shows"
    fault = f"{failure.node} {failure.signal or '-'} ({failure.kind}{shown})"
    place = f"rank {failure.rank} of {failure.nodes}, confidence {failure.confidence:.2f}"
    return f"{failure.source} {clock(failure.start)} {fault}: {place}; told {told}"
