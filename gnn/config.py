"""The configuration of a release: one YAML file, every key known, unknown keys refused. Loads no torch."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

import yaml

from records.errors import ConfigError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DataConfig:
    """Simulated systems: ``systems`` with about ``episodes`` faults each, ``cuts`` snapshots per fault.

    The first system's seed is ``seed`` * 1,000,000. ``shard_systems`` per file, ``workers`` processes.
    """

    seed: int = 1
    systems: int = 4000
    episodes: int = 10
    cuts: int = 3
    shard_systems: int = 80
    workers: int = 1


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Sizes of the network: ``hidden`` per node, ``rounds`` of messages, ``channels`` of the temporal
    encoder."""

    hidden: int = 64
    rounds: int = 3
    channels: int = 16
    signal_size: int = 24
    edge_size: int = 16
    dropout: float = 0.1


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """AdamW with one cycle of the learning rate. Shares are of systems, losses are weighted as named.

    Training stops ``patience`` evaluations (every ``evaluate_every`` steps) after the best one; the best
    weights are kept. ``start``: the released bundle whose weights it starts from, none when empty.
    ``drop_*``: how often edges, edge features, one or two signals, or the alarms are taken away in
    training; ``decoys``: how often levels are shifted for no fault, there, in what chooses the weights, and
    in calibration. ``plain``: how many plain systems (:mod:`gnn.plain`) come into a batch, as a share of it.
    """

    seed: int = 1
    epochs: float = 2.0
    batch: int = 64
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    threads: int = 1
    validation_share: float = 0.03
    test_share: float = 0.02
    evaluate_every: int = 250
    patience: int = 6
    smoothing: float = 0.05
    signal_loss: float = 0.4
    anomaly_loss: float = 0.2
    path_loss: float = 0.1
    drop_edges: float = 0.06
    drop_edge_features: float = 0.24
    drop_signals: float = 0.15
    drop_alarms: float = 0.15
    decoys: float = 0.0
    plain: float = 0.0
    start: str = ""


@dataclass(frozen=True, slots=True)
class ReleaseConfig:
    """Everything that makes a bundle, from simulation to name and version."""

    name: str = "faultline-gnn"
    version: int = 1
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)


DEFAULT_CONFIG = Path(__file__).parent / "config.yaml"


def load_config(path: Path | str = DEFAULT_CONFIG) -> ReleaseConfig:
    """Return the configuration in a YAML file.

    Raises ConfigError that names the file, the key and the nearest valid key, or the value of a wrong type.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(
            f"{path}: cannot be read: {error}", "name a YAML file such as gnn/config.yaml"
        ) from error
    return from_mapping(ReleaseConfig, content or {}, str(path))


def from_mapping(kind: type[T], content: object, place: str) -> T:
    """Return dataclass ``kind`` from nested mappings; ``place`` says where the content comes from, for
    errors."""
    if not isinstance(content, dict):
        raise ConfigError(f"{place}: expected keys and values, found {content!r}", "write one key per line")
    hints = get_type_hints(kind)
    known = [one.name for one in fields(cast(Any, kind))]
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1, 0.0)
            raise ConfigError(
                f"{place}: unknown key {key!r}", f"did you mean {near[0]!r}? known: {', '.join(known)}"
            )
        values[key] = _value(hints[key], value, f"{place}: {key}")
    return kind(**values)


def _value(kind: Any, value: object, place: str) -> object:
    if is_dataclass(kind):
        return from_mapping(cast(type[Any], kind), value, place)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ConfigError(f"{place}: expected {kind.__name__}, found {value!r}", "correct the value")
    return value
