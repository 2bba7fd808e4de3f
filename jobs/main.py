"""The entry of `flink run -pym jobs.main`: builds the job of a configuration file and submits it.

main.py CONFIG [KEY=VALUE ...]      keys as in the file, dotted; they beat FAULTLINE_* and the file
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import yaml

from jobs.config_loading import load_config
from records.errors import FaultlineError, UsageError


def main(arguments: Sequence[str]) -> None:
    """Builds and executes; UsageError without a configuration file, else what `pipeline.build` raises."""
    from pyflink.datastream import StreamExecutionEnvironment

    from jobs.pipeline import build

    if not arguments:
        raise UsageError("no configuration file", "flink run -pym jobs.main ... CONFIG [KEY=VALUE ...]")
    file, *settings = arguments
    config = load_config(file, read_settings(settings))
    env = StreamExecutionEnvironment.get_execution_environment()
    build(env, config)
    env.execute(config.name)


def read_settings(settings: Sequence[str]) -> dict[str, object]:
    """KEY=VALUE pairs, the values read as YAML; UsageError for one without `=`."""
    pairs = [setting.partition("=") for setting in settings]
    wrong = [key for key, equals, _ in pairs if not equals]
    if wrong:
        raise UsageError(f"{wrong[0]}: not KEY=VALUE", "write for example resend=2m or score.provider=gpu")
    return {key: yaml.safe_load(value) for key, _, value in pairs}


def run() -> None:
    """What `flink run` starts: the process's own arguments; a FaultlineError ends it with its message."""
    try:
        main(sys.argv[1:])
    except FaultlineError as error:
        sys.exit(f"faultline: {error}")


if __name__ == "__main__":
    run()
