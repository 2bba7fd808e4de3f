"""One embedded run of the job in a process of its own; prints how much came out as JSON."""

from __future__ import annotations

import json
import sys

from jobs.config_loading import load_config
from jobs.pipeline import run_embedded


def main() -> None:
    """Run the configuration file named on the command line."""
    result = run_embedded(load_config(sys.argv[1], environment={}))
    sys.stdout.write(json.dumps(result.counts) + "\n")


if __name__ == "__main__":
    main()
