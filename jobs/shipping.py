"""What a cluster needs of Faultline's Python: the packages of the job, in a folder for `flink run -pyfs`.

Shipped with every submission, so that the workers run the code that built the job, whatever is installed
there; of the workers' environment only the dependencies of faultline[job] are wanted. Imports the standard
library only.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

PACKAGES: Final = ("cep_patterns", "jobs", "onnx_models", "records")
"""All that the job imports; never gnn, never faultline."""


def stage(folder: Path) -> Path:
    """Copies the packages, with their rules, patterns and released bundles, into `folder`; returns it."""
    root = Path(__file__).resolve().parent.parent
    for package in PACKAGES:
        unwanted = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(root / package, folder / package, ignore=unwanted, dirs_exist_ok=True)
    return folder
