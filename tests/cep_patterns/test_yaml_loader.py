"""Pattern files: folders, lists, what is wrong with one and not with the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from cep_patterns.yaml_loader import load_patterns, load_some, read_patterns
from records.errors import PatternError

GOOD = "id: {id}\nversion: 1\nkey: series\nsteps: [{{name: a}}]\n"


def test_a_folder_holds_patterns_and_their_tests(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text(GOOD.format(id="b"))
    (tmp_path / "a.yaml").write_text(GOOD.format(id="a"))
    (tmp_path / "a.test.yaml").write_text("tests: []")
    (tmp_path / "notes.txt").write_text("nothing")
    assert [pattern.id for pattern in load_patterns([tmp_path])] == ["a", "b"]
    assert [pattern.id for pattern in load_patterns([tmp_path / "b.yaml"])] == ["b"]


def test_a_file_may_hold_a_list(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text("- {id: a, version: 1, key: series, steps: [{name: a}]}\n- {id: b}\n")
    loaded = read_patterns([file])
    assert [pattern.id for _, pattern in loaded.patterns] == ["a"]
    assert {problem.pattern for problem in loaded.errors} == {"b"}


def test_one_bad_file_does_not_touch_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD.format(id="a").replace("version: 1", "verson: 1"))
    (tmp_path / "b.yaml").write_text(GOOD.format(id="b"))
    (tmp_path / "c.yaml").write_text("id: [")
    loaded = read_patterns([tmp_path])
    assert [pattern.id for _, pattern in loaded.patterns] == ["b"]
    told = "\n".join(str(problem) for problem in loaded.errors)
    assert "a.yaml: pattern a: unknown key 'verson'; did you mean 'version'?" in told
    assert "c.yaml: no YAML: while parsing a flow node" in told
    assert "at line 1, column 6" in told


def test_what_is_nested_beyond_reason_is_no_yaml(tmp_path: Path) -> None:
    for text in ("[" * 5_000, "{a: " * 5_000, "- " * 5_000):
        (tmp_path / "deep.yaml").write_text(text)
        (problem,) = read_patterns([tmp_path]).problems
        assert "deep.yaml: no YAML: nested too deeply" in str(problem)


def test_an_error_is_raised_with_every_finding(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD.format(id="a").replace("series", "grahp"))
    (tmp_path / "b.yaml").write_text(GOOD.format(id="b").replace("name: a", "nam: a"))
    with pytest.raises(PatternError) as caught:
        load_patterns([tmp_path])
    assert "a.yaml" in caught.value.message
    assert "b.yaml" in caught.value.message


def test_an_id_is_used_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(GOOD.format(id="same"))
    with pytest.raises(PatternError, match=r"b\.yaml: pattern same: the id is taken by .*a\.yaml"):
        load_patterns([tmp_path])


def test_a_key_that_appears_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(GOOD.format(id="a") + "version: 2\n")
    with pytest.raises(PatternError, match="key 'version' appears twice"):
        load_patterns([file])


def test_several_documents_are_refused_with_the_mend(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(GOOD.format(id="a") + "---\n" + GOOD.format(id="b"))
    with pytest.raises(
        PatternError, match="several documents at line 5, column 1; write several patterns as"
    ):
        load_patterns([file])


def test_a_path_that_holds_no_pattern_is_named_where_one_is_wanted(tmp_path: Path) -> None:
    good, none = tmp_path / "a.yaml", tmp_path / "none"
    good.write_text(GOOD.format(id="a"))
    none.mkdir()
    assert [each.id for each in load_some([good, good])] == ["a"], "named twice, read once"
    assert load_patterns([good, none]) == load_some([good])
    with pytest.raises(PatternError, match="none: no patterns"):
        load_some([good, none])
    (tmp_path / "b.yaml").write_text("[]")
    with pytest.raises(PatternError, match=r"b\.yaml: no patterns"):
        load_some([tmp_path / "b.yaml"])


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PatternError, match=r"none\.yaml: cannot be read"):
        load_patterns([tmp_path / "none.yaml"])
