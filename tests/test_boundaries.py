"""The import rules of docs/architecture.md, held on what is really loaded: transitive imports count.

Each probe imports modules in a fresh interpreter and reports which modules came with them and which files of
the project were opened on the way. What a subprocess cannot see (a direct import inside a function, a read of
the environment at import) is checked on the syntax tree.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: Which packages of the project each package may load.
MAY_LOAD = {
    "records": set[str](),
    "onnx_models": {"records"},
    "cep_patterns": {"records"},
    "gnn": {"onnx_models", "records"},
    "jobs": {"cep_patterns", "onnx_models", "records"},
    "faultline": {"cep_patterns", "gnn", "jobs", "onnx_models", "records"},
}

#: Where a heavy library may be imported from, by prefix of the module; nowhere else, not even in a function.
HEAVY = {
    "torch": ("gnn",),
    "torch_geometric": ("gnn",),
    "onnx": ("gnn",),
    "onnxscript": ("gnn",),
    "tensorboard": ("gnn",),
    "sklearn": ("gnn",),
    "scipy": ("gnn",),
    "pyflink": ("jobs", "cep_patterns.streams"),
    "py4j": ("jobs", "cep_patterns.streams"),
    "apache_beam": ("jobs",),
    "onnxruntime": ("onnx_models.scorer",),
}

#: Parts that load no heavy library at all: (what it is, prefixes that belong to it, prefixes that don't).
LIGHT = [
    ("records", ("records",), ()),
    ("patterns", ("cep_patterns",), ("cep_patterns.streams",)),
    ("model formats", ("onnx_models",), ("onnx_models.scorer",)),
    ("simulator", ("gnn.simulator",), ()),
    ("command", ("faultline",), ()),
]

PROBE = """
import importlib, json, sys
root, names = sys.argv[1], sys.argv[2:]
opened = []
def watch(event, args):
    if event == "open" and isinstance(args[0], str) and args[0].startswith(root):
        opened.append(args[0])
sys.addaudithook(watch)
sys.path.insert(0, root)
for name in names:
    importlib.import_module(name)
print(json.dumps({"loaded": sorted(sys.modules), "opened": opened}))
"""


class Loaded(NamedTuple):
    """What a probe saw."""

    modules: frozenset[str]
    opened: tuple[Path, ...]


def modules_of(package: str) -> list[str]:
    """All modules of a package by their import name, itself included."""
    files = sorted((ROOT / package).rglob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    return [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]


def belongs(name: str, prefixes: tuple[str, ...]) -> bool:
    """True if a module is one of the prefixes or lies under it."""
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)


@cache
def probe(names: tuple[str, ...]) -> Loaded:
    """Import modules in a fresh interpreter."""
    command = [sys.executable, "-B", "-c", PROBE, str(ROOT), *names]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout.splitlines()[-1])
    return Loaded(frozenset(seen["loaded"]), tuple(Path(path) for path in seen["opened"]))


def trees(package: str) -> Iterator[tuple[str, ast.Module]]:
    """(module name, syntax tree) of each module of a package."""
    for name in modules_of(package):
        path = ROOT.joinpath(*name.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        yield name, ast.parse(file.read_text(encoding="utf-8"))


def imported(tree: ast.AST) -> Iterator[str]:
    """The names of all modules imported directly, in functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


def at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: all but the bodies of functions."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def reads_outside(node: ast.AST) -> bool:
    """True for ``os.environ``, ``os.getenv``, ``open(...)`` and the ``read_*`` of a path."""
    if isinstance(node, ast.Attribute):
        return node.attr in {"environ", "getenv", "read_text", "read_bytes", "argv"}
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open"


@pytest.mark.parametrize("package", MAY_LOAD)
def test_the_package_is_there(package: str) -> None:
    assert (ROOT / package / "__init__.py").is_file()


@pytest.mark.parametrize("package", MAY_LOAD)
def test_a_package_loads_only_what_it_may(package: str) -> None:
    loaded = {name.partition(".")[0] for name in probe(tuple(modules_of(package))).modules}
    assert loaded & set(MAY_LOAD) <= MAY_LOAD[package] | {package}


@pytest.mark.parametrize(("prefixes", "without"), [row[1:] for row in LIGHT], ids=[row[0] for row in LIGHT])
def test_importing_the_light_parts_loads_no_heavy_library(
    prefixes: tuple[str, ...], without: tuple[str, ...]
) -> None:
    names = [
        n
        for n in modules_of(prefixes[0].partition(".")[0])
        if belongs(n, prefixes) and not belongs(n, without)
    ]
    assert names
    loaded = {name.partition(".")[0] for name in probe(tuple(names)).modules}
    assert not loaded & (set(HEAVY) | {"pandas", "matplotlib"})


def test_the_job_never_loads_the_training_libraries() -> None:
    loaded = {name.partition(".")[0] for name in probe(tuple(modules_of("jobs"))).modules}
    assert not loaded & {"torch", "torch_geometric", "onnx", "tensorboard", "sklearn"}


@pytest.mark.parametrize("package", MAY_LOAD)
def test_heavy_libraries_are_named_only_where_they_belong(package: str) -> None:
    wrong = [
        f"{name} imports {target}"
        for name, tree in trees(package)
        for target in imported(tree)
        if not belongs(name, HEAVY.get(target.partition(".")[0], (name,)))
    ]
    assert wrong == []


@pytest.mark.parametrize("package", MAY_LOAD)
def test_importing_reads_no_file_of_the_project(package: str) -> None:
    opened = probe(tuple(modules_of(package))).opened
    installed = {".venv", "faultline.egg-info"}  # what pip put there: libraries read it
    own = [path for path in opened if path.relative_to(ROOT).parts[0] not in installed]
    assert [path.name for path in own if path.suffix not in {".py", ".pyc"}] == []


@pytest.mark.parametrize("package", MAY_LOAD)
def test_importing_reads_no_environment(package: str) -> None:
    reads = [
        f"{name}:{getattr(node, 'lineno', 0)}"
        for name, tree in trees(package)
        for node in at_import(tree)
        if reads_outside(node)
    ]
    assert reads == []


def test_the_checks_can_fail(tmp_path: Path) -> None:
    tree = ast.parse(
        "import torch.nn\nimport os\nHOME = os.environ['HOME']\ndef f():\n    return os.getenv('X')\n"
    )
    assert list(imported(tree)) == ["torch.nn", "os"]
    assert not belongs("records.samples", HEAVY["torch"])
    assert not belongs("gnnx.model", HEAVY["torch"])
    assert [getattr(node, "lineno", 0) for node in at_import(tree) if reads_outside(node)] == [3]
