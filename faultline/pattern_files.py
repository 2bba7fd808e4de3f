"""`faultline pattern new, diff, lock`: pattern files, and what they mean apart from how they are written."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faultline import console, exits
from faultline.words import plural

if TYPE_CHECKING:
    from cep_patterns.model import PatternModel


def register(app: typer.Typer) -> None:
    """Adds the commands to `faultline pattern`."""
    app.command("new")(new)
    app.command("diff")(diff)
    app.command("lock")(lock)


def new(
    id_: Annotated[str, typer.Argument(metavar="ID", help="The pattern's id, and the name of its file.")],
    family: Annotated[
        str,
        typer.Option(
            help="saturation, latency, errors, traffic, availability, restarts, silence or topology."
        ),
    ] = "latency",
    out: Annotated[Path, typer.Option(file_okay=False, help="The folder of the files.")] = Path("."),
    json: console.Json = False,
) -> None:
    """Write a commented pattern and its test, which passes as it is; then make both yours."""
    from cep_patterns.scaffold import scaffold
    from cep_patterns.yaml_loader import LIBRARY
    from records.errors import UsageError

    id_ = id_.removesuffix(".yaml")  # Who names the file means the same.
    library = os.path.relpath(LIBRARY, out)
    pattern, test = scaffold(id_, family, owner=_owner(), library=library)
    files = {out / f"{id_}.yaml": pattern, out / f"{id_}.test.yaml": test}
    there = [str(file) for file in files if file.exists()]
    if there:
        raise UsageError(f"{' and '.join(there)}: already there", "choose another id, or another folder")
    out.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        file.write_text(text, encoding="utf-8")
        if not json:
            console.say(str(file))
    if json:
        console.say_json({"id": id_, "family": family, "files": [str(file) for file in files]})
    console.note(f"next: faultline pattern test {out / f'{id_}.yaml'}")


def _owner() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "sre"


def diff(
    before: Annotated[Path, typer.Argument(metavar="OLD.yaml|DIR", exists=True)],
    after: Annotated[Path, typer.Argument(metavar="NEW.yaml|DIR", exists=True)],
    json: console.Json = False,
) -> None:
    """Say what differs in meaning between two patterns, or two folders by id; exit 1 where something does.

    Names, comments, descriptions and the way a condition is written are no difference.
    """
    from cep_patterns.yaml_loader import load_some

    old, new_ = load_some([before]), load_some([after])
    pairs = _pairs(old, new_)
    differing = 0
    for name, one, other in pairs:
        lines = _differences(one, other)
        differing += bool(lines)
        if json:
            console.say_json({"pattern": name, "differences": lines})
            continue
        for line in lines:
            console.say(f"{name}: {line}")
    console.note(f"{plural(len(pairs), 'pattern')}, {differing} differ in meaning")
    if differing:
        raise typer.Exit(exits.FINDINGS)


def _pairs(
    old: list[PatternModel], new_: list[PatternModel]
) -> list[tuple[str, PatternModel | None, PatternModel | None]]:
    """By id; two single patterns are compared whatever their ids."""
    if len(old) == 1 and len(new_) == 1:
        return [(new_[0].id, old[0], new_[0])]
    before, after = {each.id: each for each in old}, {each.id: each for each in new_}
    return [(name, before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))]


def _differences(old: PatternModel | None, new_: PatternModel | None) -> list[str]:
    from cep_patterns.meaning import differences

    if old is None or new_ is None:
        return ["added" if old is None else "removed"]
    return differences(old, new_)


def lock(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", exists=True, file_okay=False, help="The shipped ones if unsaid."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit 1 where it is stale.")] = False,
    json: console.Json = False,
) -> None:
    """Bring DIR/lock.json up to date; exit 1 where a meaning changed and the version did not."""
    from cep_patterns.lock import forbidden, lock_of, read_lock, stale, write_lock
    from cep_patterns.yaml_loader import LIBRARY, load_patterns
    from records.errors import UsageError

    place = folder or LIBRARY
    locked, now = read_lock(place), lock_of(load_patterns([place]))
    if not locked and not now:
        raise UsageError(f"{place}: no patterns, and no lock", "name a folder of pattern files")
    wrong = forbidden(locked, now)
    behind = stale(locked, now)
    told = [*wrong, *(behind if check else [])]
    if json:
        console.say_json({"folder": str(place), "patterns": len(now), "refused": wrong, "stale": behind})
    else:
        for line in told:
            console.say(line)
    if told:
        raise typer.Exit(exits.FINDINGS)
    if not check and behind:
        write_lock(place, now)
    console.note(f"{place}: {plural(len(now), 'pattern')} locked")
