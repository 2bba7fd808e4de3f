"""The entry of `flink run`: arguments."""

from __future__ import annotations

import pytest

from jobs.main import main, read_settings
from records.errors import ConfigError, UsageError


def test_settings_are_read_as_yaml() -> None:
    assert read_settings(["resend=2m", "parallelism=4", "score.provider=gpu", "patterns=[a, b]"]) == {
        "resend": "2m",
        "parallelism": 4,
        "score.provider": "gpu",
        "patterns": ["a", "b"],
    }


def test_a_setting_without_a_value_is_refused() -> None:
    with pytest.raises(UsageError, match="resend: not KEY=VALUE"):
        read_settings(["resend"])


def test_without_a_file_it_says_how_to_call_it() -> None:
    with pytest.raises(UsageError, match="no configuration file"):
        main([])


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: cannot be read"):
        main(["nowhere.yaml"])
