"""One course of training: network, optimiser, learning rate and order of the data, one step at a time;
written to a file and taken up again."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.optim.lr_scheduler import LRScheduler, OneCycleLR

from gnn.batches import Batch, augment, make_batch
from gnn.config import ModelConfig, TrainConfig
from gnn.examples import Arrays, join, select
from gnn.loss import loss_of
from gnn.model import RootCauseNet
from gnn.parts import Split
from gnn.plain import plain_pack
from gnn.warm import start_from
from onnx_models.bundle import RELEASED, load_bundle
from records.errors import ConfigError

STATE = "state.pt"
_PLAIN = 1000
"""So many plain systems of each kind are drawn for a training."""


@dataclass(slots=True)
class Course:
    """Where training stands: ``step`` of ``steps``, running ``loss``, the best score and evaluations
    ``since``."""

    model: RootCauseNet
    optimiser: torch.optim.Optimizer
    schedule: LRScheduler
    config: TrainConfig
    steps: int
    mark: str
    rng: np.random.Generator
    step: int = 0
    loss: float = 0.0
    best: float = -1.0
    since: int = 0
    seconds: float = 0.0

    @classmethod
    def begin(cls, parts: Split, model_config: ModelConfig, config: TrainConfig) -> Course:
        """Return a course at its first step, seeded."""
        torch.manual_seed(config.seed)
        model = RootCauseNet(model_config)
        if config.start:
            start_from(model, load_bundle(RELEASED / config.start))
        steps = max(1, int(config.epochs * len(parts.train) / config.batch))
        optimiser = torch.optim.AdamW(
            model.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        text = repr((asdict(model_config), asdict(config), parts.train.tolist()))
        return cls(
            model=model,
            optimiser=optimiser,
            schedule=OneCycleLR(optimiser, config.learning_rate, steps, pct_start=0.15),
            config=config,
            steps=steps,
            mark=hashlib.sha256(text.encode()).hexdigest(),
            rng=np.random.default_rng(config.seed),
        )

    def batches(self, packed: Arrays, chosen: npt.NDArray[np.int64]) -> Iterator[Batch]:
        """Yield training batches without end from where the course stands, in a new order each time through.

        The order depends on the seed and the epoch only, so a resumed run sees what it would have seen.
        """
        size, seed = self.config.batch, self.config.seed
        per_epoch = -(-len(chosen) // size)
        epoch, skip = divmod(self.step, per_epoch)
        plain = plain_pack(seed, _PLAIN) if self.config.plain else None
        while True:
            order = np.random.default_rng((seed, epoch)).permutation(chosen)
            for number in range(skip, per_epoch):
                part = select(packed, order[number * size : (number + 1) * size])
                if plain is not None:
                    rng = np.random.default_rng((seed, epoch, number))
                    part = join([part, select(plain, rng.integers(0, 2 * _PLAIN, self._plain))])
                yield make_batch(part)
            epoch, skip = epoch + 1, 0

    @property
    def _plain(self) -> int:
        return max(1, round(self.config.plain * self.config.batch))

    def learn(self, batch: Batch) -> None:
        """Take one step on one batch."""
        self.model.train()
        seen = augment(self.rng, batch, self.config)
        loss = loss_of(self.model(seen.inputs, seen.batch, seen.graphs), seen, self.config)
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.schedule.step()
        self.step += 1
        now = float(loss.detach())
        self.loss = now if self.step == 1 else self.loss + 0.02 * (now - self.loss)

    def judged(self, score: float, run: Path) -> None:
        """Keep the weights in ``best.pt`` where the validation score is the best so far; write the state."""
        self.since = 0 if score > self.best else self.since + 1
        if score > self.best:
            self.best = score
            torch.save(self.model.state_dict(), run / "best.pt")
        partial = run / (STATE + ".part")
        torch.save(self._state(), partial)
        partial.replace(run / STATE)

    def _state(self) -> dict[str, Any]:
        kept = ("mark", "step", "loss", "best", "since", "seconds")
        return {
            **{name: getattr(self, name) for name in kept},
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "torch_rng": torch.get_rng_state(),
            "rng": repr(self.rng.bit_generator.state),
        }

    def resume(self, run: Path) -> None:
        """Go on where ``run`` was stopped, if it was. Raises ConfigError for the state of another course."""
        file = run / STATE
        if not file.exists():
            return
        state = torch.load(file, weights_only=True)
        if state["mark"] != self.mark:
            raise ConfigError(
                f"{file} was left by a run with another configuration or other data",
                "name another --work folder, or delete that file to begin anew",
            )
        for name in ("step", "loss", "best", "since", "seconds"):
            setattr(self, name, state[name])
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["torch_rng"])
        self.rng.bit_generator.state = ast.literal_eval(state["rng"])
