"""What docs/reference-patterns.md says of patterns is so: its tables are played, its names are there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from cep_patterns.pattern import AfterMatch, Pattern, WithinType
from cep_patterns.rows import Trial, find, run_trials
from tests.cep_patterns.tables import PAGE, lines, pattern_of, rows_of, told

JAVA_TESTS = Path(__file__).resolve().parents[2] / "jvm" / "src" / "test" / "java"


def test_the_tables_are_what_the_engine_finds() -> None:
    told_by_page = list(lines(PAGE.read_text(encoding="utf-8")))
    outcomes = run_trials([Trial(pattern_of(line.pattern), rows_of(line.events)) for line in told_by_page])
    wrong = [
        f"{line.heading}: {line.pattern} over {line.events} gives {told(outcome)}, not {line.matches}"
        for line, outcome in zip(told_by_page, outcomes, strict=True)
        if told(outcome) != line.matches
    ]
    assert wrong == []


def test_every_section_has_a_table() -> None:
    found = Counter(line.heading for line in lines(PAGE.read_text(encoding="utf-8")))
    wanted = {"Contiguity", "Negation", "Quantifiers", "Inside a loop", "Until", "Groups", "Windows"}
    assert wanted | {"After a match", "Conditions on earlier steps"} == set(found)
    assert sum(found.values()) > 40


def test_a_wrong_table_would_be_told() -> None:
    (line,) = lines('# T\n\n| `begin("a").next("b")` | `a b` | {a c} |\n')
    assert told(run_trials([Trial(pattern_of(line.pattern), rows_of(line.events))])[0]) == "{a b}"


def test_the_named_methods_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    here = re.findall(r"^\| `[A-Z].*? \| (.*) \|$", text.partition("## Flink's Java API")[2], re.M)
    assert len(here) > 30
    streams = {"in_event_time", "in_processing_time", "side_output_late", "side_output_timeouts"}
    names = {name for cell in here for name in re.findall(r"`\.(\w+)", cell)} - streams
    assert names - {"select", "flat_select"} <= set(dir(Pattern)) | set(Pattern.__dataclass_fields__)
    for owner, name in re.findall(r"`(AfterMatch|WithinType)\.(\w+)", " ".join(here)):
        assert hasattr({"AfterMatch": AfterMatch, "WithinType": WithinType}[owner], name)


def test_every_method_of_a_pattern_is_played() -> None:
    played = " ".join(line.pattern for line in lines(PAGE.read_text(encoding="utf-8")))
    own = {"of", "model", "on_timeout"}
    methods = {
        name for name, one in vars(Pattern).items() if callable(one) and not name.startswith("_")
    } - own
    methods |= {"begin", *(name for name in vars(AfterMatch) if not name.startswith("_"))}
    assert "or_where" in methods
    assert {name for name in methods if not re.search(rf"\b{name}\b", played)} == set()
    for name in ("times", "times_or_more", "one_or_more"):
        assert re.search(rf"\.{name}\([^)]*within=", played), name


def test_the_named_java_tests_are_there() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Known kinds of bugs")[2]
    named = [
        name for line in re.findall(r"\| ([^|]*) \|$", table, re.M) for name in re.findall("`(.*?)`", line)
    ]
    assert len(named) > 20
    sources = {file.stem: file.read_text(encoding="utf-8") for file in JAVA_TESTS.rglob("*Test.java")}
    for name in named:
        owner, _, method = name.rpartition(".")
        assert name in sources or f"void {method}(" in sources[owner or "KnownBugsTest"], name


def test_find_tells_rows_late_rows_and_keys() -> None:
    rows = [
        {"who": "x", "kind": "a", "at": 0},
        {"who": "y", "kind": "b", "at": 10},
        {"who": "x", "kind": "b", "at": 20},
        {"who": "x", "kind": "a", "at": 5},
    ]
    pattern = Pattern.begin("a").where('kind == "a"').followed_by("b").where('kind == "b"').within("15ms")
    found = find(pattern, rows, time="at", key=["who"], out_of_orderness_ms=20)
    assert [(each.kind, each.ready_at, dict(each.steps)) for each in found] == [
        ("timeout", 15, {"a": [rows[0]]}),
        ("timeout", 20, {"a": [rows[3]]}),
    ]
    assert run_trials([Trial(pattern, rows, time="at")])[0].late == [rows[3]]


def test_the_how_to_s_trial_is_so() -> None:
    page = (PAGE.parent / "how-to" / "cep-on-your-own-stream.md").read_text(encoding="utf-8")
    first, *_ = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    (trial,) = re.findall(r"^```python\n(from cep_patterns.rows.*?)^```$", page, re.M | re.S)
    pattern = first.partition("frauds =")[0].replace("CEP, ", "")
    exec(pattern + trial, {})  # the project's own page
