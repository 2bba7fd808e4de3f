"""The configuration of a release: the shipped file loads, unknown keys and wrong types are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnn.config import ReleaseConfig, load_config
from records.errors import ConfigError


def test_the_shipped_configuration_loads() -> None:
    config = load_config()
    assert config.name == "faultline-gnn"
    assert config.data.systems > 0


def test_an_empty_file_is_all_defaults(tmp_path: Path) -> None:
    file = tmp_path / "empty.yaml"
    file.write_text("")
    assert load_config(file) == ReleaseConfig()


def test_an_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "typo.yaml"
    file.write_text("train:\n  epoch: 3\n")
    with pytest.raises(ConfigError, match="unknown key 'epoch'") as caught:
        load_config(file)
    assert "typo.yaml: train" in caught.value.message
    assert "did you mean 'epochs'" in caught.value.mend


@pytest.mark.parametrize(
    "text", ["version: two", "train: 3", "train:\n  batch: true", "- 1", "a: [", "data:\n  systems: 1.5"]
)
def test_a_wrong_type_or_no_yaml_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError):
        load_config(file)


def test_a_whole_number_is_a_number(tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text("train:\n  epochs: 1\n")
    assert load_config(file).train.epochs == 1.0
