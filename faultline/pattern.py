"""`faultline pattern`: the life of a pattern. Imports the pattern language inside the commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faultline import console, exits, pattern_files, pattern_live, pattern_proof
from faultline.pattern_proof import Files
from faultline.spans import Lateness, Tick
from faultline.words import duration, moment, plural

if TYPE_CHECKING:
    from cep_patterns.gateway import Cost, Found
    from records.samples import Sample

app = typer.Typer(no_args_is_help=True, help="CEP patterns: what counts as an anomaly.")
pattern_proof.register(app)
pattern_files.register(app)
pattern_live.register(app)


@app.command("list")
def list_patterns(paths: Files = None, json: console.Json = False) -> None:
    """List patterns with what they watch and how ripe they are."""
    from cep_patterns.yaml_loader import LIBRARY, load_some

    patterns = load_some(paths or [LIBRARY])
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
            each.description.partition(". ")[0],
        )
        for each in patterns
    ]
    console.table(("id", "version", "maturity", "severity", "key", "within", "description"), rows)


@app.command()
def validate(paths: Files = None, json: console.Json = False) -> None:
    """Check pattern files; exit 1 where one would be refused."""
    from cep_patterns.yaml_loader import LIBRARY, read_patterns, without_patterns
    from records.errors import UsageError

    loaded = read_patterns(paths or [LIBRARY])
    if without := without_patterns(paths or [LIBRARY]):
        raise UsageError(f"no patterns in {', '.join(map(str, without))}", "name files that end in .yaml")
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


@app.command("import")
def import_pattern(
    file: Annotated[Path, typer.Argument(metavar="PATTERN.json", exists=True, dir_okay=False)],
    key: Annotated[str, typer.Option(help="What one run follows: series, node or graph.")] = "series",
    json: console.Json = False,
) -> None:
    """Print a pattern in the JSON form of Flink's dynamic CEP (FLIP-200) as YAML (or JSON)."""
    import orjson

    from cep_patterns.document import read_document
    from cep_patterns.dump import yaml_of
    from cep_patterns.flip200 import document_of_graph
    from records.errors import PatternError

    try:
        raw = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise PatternError(f"{file}: no JSON: {error}", "correct the file") from error
    for graph in raw if isinstance(raw, list) else [raw]:
        try:
            document = document_of_graph(graph, key)
        except PatternError as error:
            raise PatternError(f"{file}: {error.message}", error.mend) from error
        pattern, problems = read_document(document, str(file))
        for problem in problems:
            console.note(f"{problem.severity} {problem}")
        if pattern is None:
            raise typer.Exit(exits.FINDINGS)
        if json:
            console.say_json(document)
        else:
            console.say(_item(yaml_of(pattern)) if isinstance(raw, list) else yaml_of(pattern).rstrip())


def _item(text: str) -> str:
    """A document as one of a list."""
    return "- " + text.rstrip().replace("\n", "\n  ")


@app.command("run")
def run_pattern(
    pattern: Annotated[Path, typer.Argument(metavar="PATTERN.yaml", exists=True)],
    samples: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Native samples, NDJSON.")],
    edges: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Native edges, NDJSON.")
    ] = None,
    out_of_orderness: Lateness = 0,
    tick: Tick = 60_000,
    json: console.Json = False,
) -> None:
    """Feed samples to a pattern in the file's order and print its matches, timeouts and late samples."""
    from cep_patterns.gateway import Run, Settings, run_patterns
    from cep_patterns.yaml_loader import load_some
    from faultline.pattern_runs import beside, read_samples, refuse
    from records.recordings import numbered_lines
    from records.rules import load_rules
    from records.samples import Edge

    fed = read_samples(samples)
    known = [edge for _, edge in numbered_lines(edges, Edge)] if edges else []
    settings = Settings(tick_ms=tick, out_of_orderness_ms=out_of_orderness, rules=load_rules([]))
    patterns = load_some([pattern])
    own = {each.id for each in patterns}
    result = run_patterns([*patterns, *beside(patterns)], [Run("run", fed, known)], settings)["run"]
    result.found = [each for each in result.found if each.pattern in own]
    refuse(result.refused, f"{pattern}: ")
    lines = [_found(each) for each in result.found] + [_late(index, fed[index]) for index in result.late]
    for line in lines:
        if json:
            console.say_json(line)
        else:
            console.say(_in_words(line))
    for told in _contained(each for each in result.costs if each.pattern in own):
        console.note(told)
    console.note(
        f"{plural(result.samples, 'sample')}, {plural(len(result.found), 'result')}, {len(result.late)} late"
    )


def _contained(costs: Iterable[Cost]) -> Iterator[str]:
    """What the engine had to contain, in words."""
    for each in costs:
        if each.condition_errors:
            told = (
                f"{plural(each.condition_errors, 'number')} could not be computed, such as a division by zero"
            )
            yield f"{each.pattern}: {told}; the condition was false (condition_errors)"
        if each.evicted:
            told = f"{plural(each.evicted, 'partial match')} went, the oldest first"
            yield f"{each.pattern}: {told}: a key held too many (partials_evicted)"
        if each.failed:
            told = f"the automaton failed {plural(each.failed, 'time')}, and a run was given up"
            yield f"{each.pattern}: {told} (pattern_failures)"


def _found(found: Found) -> dict[str, Any]:
    return {
        "type": found.kind,
        "pattern": found.pattern,
        "key": found.key,
        "steps": {name: list(times) for name, times in found.steps.items()},
        "ready_at": found.ready_at,
    }


def _late(index: int, sample: Sample) -> dict[str, Any]:
    """A sample that came too late; `line` is its place in the file, from 0."""
    return {"type": "late", "key": f"{sample.graph}/{sample.node}", "line": index, "time": sample.time}


def _in_words(line: Mapping[str, Any]) -> str:
    if line["type"] == "late":
        return f"late     {line['key']}  line {line['line']}, time {moment(line['time'])}"
    steps = "  ".join(
        f"{name}: {', '.join(moment(time)[11:] for time in times)}" for name, times in line["steps"].items()
    )
    return f"{line['type']:<7}  {line['key']}  {line['pattern']}  ready {moment(line['ready_at'])}  {steps}"
