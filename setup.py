"""Packages, extras and the console script of Faultline.

Three extras, one per kind of user: ``job`` runs the job and never needs torch, ``train`` retrains the model,
``dev`` checks the code. Exact versions, known to resolve together, are in constraints.txt
(``pip install -c constraints.txt``).
"""

from setuptools import find_packages, setup

VERSION = "0.1.0"

JOB = [
    "apache-flink==2.2.1",
    "apache-beam==2.61.0",
    "cloudevents>=2.2",
    "Jinja2>=3.1",
    "kafka-python>=3.0",
    "numpy>=2.1,<2.2",
    "onnxruntime-gpu>=1.31",
    "orjson>=3.9",
    "pydantic>=2.14",
    "PyYAML>=6.0",
    "rich>=15.0",
    "typer>=0.29",
]
TRAIN = [
    "numpy>=2.1,<2.2",
    "onnx==1.22.0",  # 1.23 wants a protobuf that apache-flink refuses
    "onnxscript>=0.7",
    "scikit-learn>=1.9",  # the trees that a model has to beat
    "setuptools<81",  # torch alone brings a version that breaks tensorboard
    "tensorboard<2.21",  # 2.21 wants a grpcio that apache-beam refuses
    "torch>=2.13",
    "torch-geometric>=2.8",
]
DEV = [
    "crc32c>=2.9",  # kafka-python checks records with it; its own code is too slow to fill a topic
    "hypothesis>=6.170",
    "mypy>=2.4",
    "opentelemetry-proto>=1.45",
    "pytest>=9.2",
    "pytest-timeout>=2.4",
    "ruff>=0.17",
    "types-PyYAML",
]

PACKAGES = ["cep_patterns", "faultline", "gnn", "jobs", "onnx_models", "records"]

setup(
    name="faultline",
    version=VERSION,
    description="Root causes found in the stream: CEP patterns and a graph model in one PyFlink job.",
    license="Apache-2.0",
    python_requires=">=3.11,<3.12",
    packages=find_packages(include=[*PACKAGES, *(f"{name}.*" for name in PACKAGES)]),
    package_data={
        "cep_patterns": ["library/*.yaml", "library/**/*.yaml", "library/lock.json"],
        "faultline": ["templates/*"],
        "onnx_models": ["released/*/*"],
        "records": ["signal_rules/*.yaml", "schemas/*.json"],
    },
    install_requires=[],
    extras_require={"job": JOB, "train": TRAIN, "dev": DEV},
    entry_points={"console_scripts": ["faultline = faultline.main:app"]},
)
