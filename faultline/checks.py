"""What `faultline doctor` looks at: one function per piece of the machine, each with the mend for what it
finds.

Owns the pieces and the words; doctor.py shows them. Looks only, changes nothing. Imports records, the bundle
format and the pattern loader inside the checks, ONNX Runtime through the scorer.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from faultline.kafka_security import Servers
from records.errors import FaultlineError, MachineError

FLINK_VERSION: Final = "2.2.1"
PYTHON: Final = (3, 11)
PACKAGES: Final = ("apache-flink", "apache-beam", "onnxruntime-gpu", "kafka-python", "pydantic", "numpy")
ADD_OPENS: Final = tuple(
    f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in ("java.lang", "java.util", "java.time")
)
"""What Flink 2.2 needs at least under JDK 17; flink-conf/config.yaml has the whole list."""
_POM: Final = "META-INF/maven/io.faultline/faultline/pom.properties"
_ENTRY: Final = "io/faultline/Entry.class"
_CONNECTOR: Final = "org/apache/flink/connector/kafka/source/KafkaSource.class"


@dataclass(frozen=True)
class Asked:
    """What the person means to use: the doctor looks for that and no more."""

    provider: Literal["cpu", "gpu"] = "cpu"
    model: str | None = None
    bootstrap_servers: Servers | None = None
    flink_conf: Path | None = None
    version: str = "unknown"


@dataclass(frozen=True)
class Finding:
    """One piece: `ok`, or what is missing or does not fit, and its mend."""

    piece: str
    ok: bool
    detail: str
    mend: str = ""


def examine(asked: Asked) -> Iterator[Finding]:
    """Every finding, in the order in which the pieces are needed; none for a piece whose own needs are not
    met.
    """
    checks: list[tuple[str, Callable[[Asked], str], tuple[str, ...]]] = [
        ("python", python, ()),
        ("interpreter path", interpreter_path, ()),
        ("packages", packages, ()),
        ("java", java, ()),
        ("jar", jar, ()),
        ("kafka connector", connector, ("jar",)),
        ("flink", flink, ("packages",)),
        ("add-opens", add_opens, ()),
        ("patterns", patterns, ()),
        ("model", model, ()),
        ("provider", provider, ("packages", "model")),
    ]
    if asked.bootstrap_servers is not None:
        checks.append(("kafka", kafka, ("packages",)))
    wrong: set[str] = set()
    for piece, check, needs in checks:
        if wrong.isdisjoint(needs):
            try:
                yield Finding(piece, True, check(asked))
            except FaultlineError as error:
                wrong.add(piece)
                yield Finding(piece, False, error.message, error.mend)


def python(_: Asked) -> str:
    """The version of Python."""
    told = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info[:2] != PYTHON:
        wanted = ".".join(str(part) for part in PYTHON)
        raise MachineError(f"Python {told}", f"use Python {wanted}: apache-flink {FLINK_VERSION} needs it")
    return told


def interpreter_path(_: Asked) -> str:
    """The path that Flink's scripts start workers with: it must hold no space."""
    if " " in sys.executable:
        raise MachineError(
            f"{sys.executable} has a space in it, which Flink's scripts do not quote",
            "make the virtual environment in a folder without a space and run faultline from there",
        )
    return sys.executable


def packages(_: Asked) -> str:
    """The job's Python packages."""
    missing, told = [], []
    for name in PACKAGES:
        try:
            told.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        raise MachineError(f"not installed: {', '.join(missing)}", "pip install -c constraints.txt '.[job]'")
    return ", ".join(told)


def java(_: Asked) -> str:
    """Java of the right version."""
    from records.java import JAVA_VERSION, find_java

    return f"{find_java()}, version {JAVA_VERSION}"


def jar(asked: Asked) -> str:
    """The jar: there, whole, and of this version."""
    from records.java import find_jar

    path = find_jar()
    mend = "build it anew with `make jar`"
    names = _names_in(path)
    if _ENTRY not in names:
        raise MachineError(f"{path} holds no {_ENTRY}", mend)
    told = _jar_version(path) if _POM in names else "unknown"
    if asked.version != "unknown" and told != asked.version:
        raise MachineError(f"{path} is version {told}, the Python packages are {asked.version}", mend)
    return f"{path}, version {told}"


def connector(_: Asked) -> str:
    """Flink's Kafka connector, inside the jar."""
    from records.java import find_jar

    path = find_jar()
    if _CONNECTOR not in _names_in(path):
        raise MachineError(f"{path} holds no Kafka connector", "build it anew with `make jar`")
    return "in the jar"


def flink(_: Asked) -> str:
    """Flink's own libraries, of the version that the jar was built for."""
    from records.java import flink_libraries

    jars = flink_libraries()
    told = importlib.metadata.version("apache-flink")
    if told != FLINK_VERSION:
        raise MachineError(
            f"apache-flink is {told}, not {FLINK_VERSION}", f"pip install apache-flink=={FLINK_VERSION}"
        )
    if not any(jar.name.startswith("flink-cep") for jar in jars):
        raise MachineError(
            f"{jars[0].parent} has no flink-cep", f"install apache-flink=={FLINK_VERSION} again"
        )
    return f"{told}, {len(jars)} jars in {jars[0].parent}"


def add_opens(asked: Asked) -> str:
    """The options without which `flink run` fails under JDK 17, in the configuration in use."""
    folder = asked.flink_conf or Path(
        os.environ.get("FLINK_CONF_DIR") or Path(__file__).parents[1] / "flink-conf"
    )
    file = folder / "config.yaml"
    if not file.is_file():
        raise MachineError(
            f"{file}: no such file", "set FLINK_CONF_DIR to a copy of the project's flink-conf folder"
        )
    options = _java_options(file)
    missing = [each for each in ADD_OPENS if each not in options]
    if missing:
        mend = "copy env.java.opts.all from the project's flink-conf/config.yaml"
        raise MachineError(f"{file}: env.java.opts.all lacks {' '.join(missing)}", mend)
    return f"in {file}"


def patterns(_: Asked) -> str:
    """The shipped patterns."""
    from cep_patterns.yaml_loader import load_library

    found = load_library()
    if not found:
        raise MachineError("the library of patterns is empty", "install faultline again")
    return f"{len(found)} in the library"


def model(asked: Asked) -> str:
    """The bundle: there, its hashes right, made for this encoder."""
    from onnx_models.bundle import load_bundle
    from onnx_models.places import bundle_folder

    bundle = load_bundle(bundle_folder(asked.model))
    return f"{bundle.manifest.name} {bundle.manifest.version}, sha256 {bundle.manifest.sha256[:12]}"


def provider(asked: Asked) -> str:
    """Where the model would really run: ONNX Runtime falls back to the CPU without a word."""
    from onnx_models.bundle import load_bundle
    from onnx_models.places import bundle_folder
    from onnx_models.scorer import Scorer

    told = Scorer(load_bundle(bundle_folder(asked.model)), asked.provider).provider
    if asked.provider == "gpu" and told != "CUDAExecutionProvider":
        mend = "install the NVIDIA driver, CUDA 12 and cuDNN 9, or use the provider cpu"
        raise MachineError(f"the GPU was asked for, the model runs on {told}", mend)
    return told


def kafka(asked: Asked) -> str:
    """A broker that answers."""
    from faultline.kafka import check_broker

    topics = check_broker(asked.bootstrap_servers or "")
    return f"{asked.bootstrap_servers} answers, {topics} topics"


def _names_in(path: Path) -> frozenset[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return frozenset(archive.namelist())
    except (OSError, zipfile.BadZipFile) as error:
        raise MachineError(f"{path} is no jar: {error}", "build it anew with `make jar`") from error


def _jar_version(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        lines = archive.read(_POM).decode().splitlines()
    return next((line.partition("=")[2] for line in lines if line.startswith("version=")), "unknown")


def _java_options(file: Path) -> str:
    """`env.java.opts.all` of a Flink configuration, written nested or as one dotted key."""
    import yaml

    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise MachineError(f"{file}: cannot be read: {error}", "mend the file") from error
    node: object = read
    for key in ("env", "java", "opts", "all"):
        node = node.get(key) if isinstance(node, dict) else None
    flat = read.get("env.java.opts.all") if isinstance(read, dict) else None
    return str(node or flat or "")
