"""`faultline pattern explain`: what a pattern's automaton does, and why samples did not match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faultline import console
from faultline.spans import Lateness, Tick
from faultline.words import moment
from records.errors import PatternError

if TYPE_CHECKING:
    from cep_patterns.model import PatternModel
    from records.samples import Edge, Sample


def explain(
    pattern: Annotated[Path, typer.Argument(metavar="PATTERN.yaml", exists=True)],
    dot: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False, allow_dash=True, help="Write the picture as Graphviz text; - for stdout."
        ),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write the picture of one pattern as SVG.")
    ] = None,
    samples: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Native samples: say what became of them."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="GRAPH/NODE", help="Of the samples, only this node's.")
    ] = None,
    edges: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Native edges, NDJSON.")
    ] = None,
    out_of_orderness: Lateness = 0,
    tick: Tick = 60_000,
    json: console.Json = False,
) -> None:
    """Show a pattern's automaton and its warnings; with samples, which step was reached and what failed."""
    from cep_patterns.gateway import automata
    from cep_patterns.yaml_loader import load_some, read_patterns
    from faultline.pattern_runs import refuse

    loaded = load_some([pattern])
    _check(pattern, loaded, svg, None if samples else {"--key": key, "--edges": edges})
    warnings = [str(each) for each in read_patterns([pattern]).problems]
    timelines, refused = (
        _timelines(loaded, samples, edges, key, (tick, out_of_orderness)) if samples else ({}, {})
    )
    for one, automaton in zip(loaded, automata(loaded), strict=True):
        _draw(one, automaton, dot, svg)
        lines = timelines.get(one.id, [])
        if json:
            console.say_json({"automaton": automaton, "warnings": warnings, "timeline": lines})
        elif dot is None or str(dot) != "-":
            _show(one, automaton, warnings, lines)
    refuse(refused, f"{pattern}: ")


def _check(
    file: Path, loaded: Sequence[PatternModel], svg: Path | None, idle: Mapping[str, object] | None
) -> None:
    """UsageError where an option cannot do anything; `idle`: those that need samples, if there are none."""
    from records.errors import UsageError

    if svg is not None and len(loaded) != 1:
        raise UsageError(f"{file}: {len(loaded)} patterns", "--svg draws one: name a file that holds one")
    for name, value in (idle or {}).items():
        if value is not None:
            raise UsageError(f"{name} says which samples, and there are none", "add --samples FILE")


def _draw(pattern: PatternModel, automaton: Any, dot: Path | None, svg: Path | None) -> None:
    """Writes the pictures that were asked for."""
    from cep_patterns.automaton import dot as drawn
    from cep_patterns.picture import svg as picture

    if "refused" in automaton:
        raise PatternError(f"{pattern.id}: {automaton['refused']}", "correct the pattern")
    if dot is not None:
        _write(dot, drawn(automaton, pattern))
    if svg is not None:
        _write(svg, picture(automaton, pattern))


def _write(file: Path, text: str) -> None:
    if str(file) == "-":
        console.say(text.rstrip())
    else:
        file.write_text(text, encoding="utf-8")


def _show(pattern: PatternModel, automaton: Any, warnings: Sequence[str], timeline: Sequence[str]) -> None:
    from cep_patterns.automaton import summary, text

    for line in summary(pattern):
        console.say(line)
    console.say("\nautomaton")
    for line in text(automaton):
        console.say(f"  {line}")
    for warning in warnings:
        console.say(f"\nwarning {warning}")
    if timeline:
        console.say("\nwhat became of the samples")
        for line in timeline:
            console.say(f"  {line}")


def _timelines(
    patterns: Sequence[PatternModel],
    samples: Path,
    edges: Path | None,
    key: str | None,
    spans: tuple[int, int],
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The timeline of each pattern, and which were given up and why."""
    from cep_patterns.gateway import Run, Settings, run_patterns
    from cep_patterns.timeline import timeline
    from faultline.pattern_runs import beside, read_samples
    from records.recordings import numbered_lines
    from records.rules import load_rules
    from records.samples import Edge

    fed = _chosen(read_samples(samples), key)
    known: list[Edge] = [each for _, each in numbered_lines(edges, Edge)] if edges else []
    every = [*patterns, *beside(patterns)]
    settings = Settings(tick_ms=spans[0], out_of_orderness_ms=spans[1], rules=load_rules([]))
    result = run_patterns(every, [Run("run", fed, known, trace=True)], settings)["run"]
    return {each.id: timeline(each, result, moment) for each in patterns}, result.refused


def _chosen(samples: list[Sample], key: str | None) -> list[Sample]:
    """The samples of one node, all where none is named; UsageError where it has none."""
    from records.errors import UsageError

    chosen = [each for each in samples if key is None or f"{each.graph}/{each.node}" == key]
    if not chosen:
        there = ", ".join(sorted({f"{each.graph}/{each.node}" for each in samples})[:5])
        raise UsageError(f"--key {key}: no sample of this node", f"the file has {there}")
    return chosen
