"""From nothing to a bundle with one command: ``python -m gnn.release``.

Simulate, normalise in the JVM, train, calibrate, judge on fresh systems, export with parity checks, write the
bundle. Data already in the work folder are used again. Progress goes to the log; an error ends with its mend
and code 3.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import torch

from gnn.calibration import degraded, fit_confidence, fit_temperature
from gnn.card import SIMULATED_ONLY, Judged, card
from gnn.cases import Case, recording_cases, recording_rows, simulated_cases
from gnn.config import DEFAULT_CONFIG, ModelConfig, ReleaseConfig, load_config
from gnn.course import STATE
from gnn.dataset import build
from gnn.decoys import laid
from gnn.evaluate import by_kind, compare, reliability, signal_accuracy
from gnn.evaluation.contenders import contenders
from gnn.examples import Arrays, Example, load, select, unpack
from gnn.export import OPSET, check_parity, run_torch, shapes_of, to_onnx
from gnn.matrix import FrameMaker, jvm_frames
from gnn.model import RootCauseNet, parameters_of
from gnn.parts import Split, split
from gnn.train import train
from onnx_models.bundle import RELEASED, Bundle, Confidence, Manifest, write_bundle
from onnx_models.errors import BundleError
from onnx_models.features import INPUTS, OUTPUTS, WINDOW_TICKS, schema_hash
from onnx_models.scorer import Scorer
from records.errors import FaultlineError
from records.frames import VERSION as FRAME_VERSION
from records.recordings import open_recording
from records.signals import SIGNALS

FRESH_SEED = 900_000_000
"""Systems for the card's scores start here, far from any training seed."""
SHOWN_BY_KIND = ("model", "model, no edges", "fallback", "N-sigma", "BARO's scorer")
_GOLDEN = 3
_CALIBRATE_ON = 1500

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is fitted on the validation systems after training."""

    temperature: float
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Plan:
    """One release: its configuration, where the data and the run lie (``work``), where the bundle goes
    (``out``).

    ``fresh`` simulated systems and the faults of ``recordings`` are judged for the card; ``make`` makes
    frames.
    """

    config: ReleaseConfig
    work: Path
    out: Path = RELEASED
    fresh: int = 60
    recordings: tuple[Path, ...] = ()
    make: FrameMaker = jvm_frames


def release(plan: Plan) -> Bundle:
    """Make and return the bundle of ``plan``.

    Raises BundleError when parity fails or the bundle exists, JavaError when the normaliser cannot run,
    RecordingError for a recording that cannot be read.
    """
    config = plan.config
    _refuse_existing(plan)
    begun = time.monotonic()
    packed = load(build(config.data, plan.work / "data", plan.make))
    parts = split(packed, config.train)
    model = train(packed, parts, config.model, config.train, plan.work / "run")
    return finish(plan, model, packed, parts, (time.monotonic() - begun) / 60)


def release_weights(plan: Plan) -> Bundle:
    """Make the bundle of the best weights that a training of ``plan`` left in its work folder, ended or not.

    Raises BundleError when there are none or the bundle exists, JavaError when the normaliser cannot run.
    """
    _refuse_existing(plan)
    model, minutes = trained(plan.config.model, plan.work / "run")
    packed = load(build(plan.config.data, plan.work / "data", plan.make))
    return finish(plan, model, packed, split(packed, plan.config.train), minutes)


def trained(config: ModelConfig, run: Path) -> tuple[RootCauseNet, float]:
    """Return the network with the best weights of a run folder, and the minutes it took.

    Raises BundleError when there are none, or those of a network of other sizes.
    """
    if not (run / "best.pt").is_file():
        raise BundleError(f"{run}: no best.pt: nothing was trained there", "faultline model train")
    weights, seconds = _read(run / "best.pt"), _read(run / STATE).get("seconds")
    model = RootCauseNet(config)
    try:
        model.load_state_dict(weights)
    except (RuntimeError, TypeError) as error:
        raise BundleError(
            f"{run / 'best.pt'}: weights of another network: {str(error).splitlines()[-1].strip()}",
            "name the --config that it was trained with",
        ) from error
    if not isinstance(seconds, float):
        raise BundleError(f"{run / STATE} does not say how long it took", "train it anew")
    return model.eval(), seconds / 60


def _read(file: Path) -> dict[str, Any]:
    """Return what training wrote to a file. Raises BundleError for anything else."""
    try:
        found = torch.load(file, weights_only=True)
    except (OSError, RuntimeError, ValueError, EOFError, KeyError, UnpicklingError) as error:
        raise BundleError(
            f"{file}: cannot be read: {str(error).splitlines()[0]}", "train it anew: faultline model train"
        ) from error
    if not isinstance(found, dict):
        raise BundleError(f"{file}: not what training writes", "train it anew: faultline model train")
    return found


def _refuse_existing(plan: Plan) -> None:
    target = plan.out / f"{plan.config.name}-{plan.config.version}"
    if target.exists():
        raise BundleError(
            f"{target} exists and is never overwritten", "raise the version in the configuration"
        )


def finish(plan: Plan, model: RootCauseNet, packed: Arrays, parts: Split, minutes: float) -> Bundle:
    """Calibrate, export, check, judge and write: everything after training, which took ``minutes`` with its
    data."""
    return written(plan, draft(plan, model, packed, parts, minutes))


@dataclass(frozen=True, slots=True)
class Draft:
    """A bundle that was checked but lies in the work folder, and what it is made of."""

    bundle: Bundle
    manifest: Manifest
    model: bytes
    golden: list[tuple[Arrays, Arrays]]


def written(plan: Plan, made: Draft, section: str = "") -> Bundle:
    """Judge a draft and write it as the bundle of ``plan``; ``section`` goes to the end of its card."""
    text = card(made.manifest, judge_all(plan, Scorer(made.bundle)))
    whole = f"{text}\n{section}" if section else text
    return write_bundle(plan.out, made.manifest, made.model, made.golden, whole)


def draft(
    plan: Plan,
    model: RootCauseNet,
    packed: Arrays,
    parts: Split,
    minutes: float,
    source: str = SIMULATED_ONLY,
    archive: Mapping[str, int] | None = None,
) -> Draft:
    """Calibrate, export and check a network that was trained on ``source`` in ``minutes``; ``archive``: what
    the manifest says of a job's archive. Raises BundleError when parity fails."""
    held_out = list(unpack(select(packed, parts.validation[:_CALIBRATE_ON])))
    calibration = calibrate(model, held_out, plan.config.train.decoys)
    exported = to_onnx(model)
    golden = [run_pair(model, example) for example in held_out[:_GOLDEN]]
    check_parity(model, exported, [pair[0] for pair in golden])
    manifest = _manifest(plan.config, model, packed, parts, calibration, minutes, source)
    if archive is not None:
        trained_on = {**manifest.trained_on, "archive": dict(archive)}
        manifest = manifest.model_copy(update={"trained_on": trained_on})
    bundle = write_bundle(plan.work / "draft" / str(time.time_ns()), manifest, exported, golden, "")
    return Draft(bundle, manifest, exported, golden)


def judge_all(plan: Plan, scorer: Scorer) -> Judged:
    """Return the scores for the card: fresh simulated systems, and the plan's recordings."""
    cases = list(simulated_cases(range(FRESH_SEED, FRESH_SEED + plan.fresh), 6, 1, plan.make))
    real: dict[str, dict[str, dict[str, float]]] = {}
    for path in plan.recordings:
        recording = open_recording(path)
        rows = recording_rows(recording, plan.make)
        real[recording.meta.name] = compare(list(recording_cases(recording, rows)), scorer)
    known = contenders(scorer, None)
    judged = Judged(
        scores=compare(cases, scorer),
        kinds=by_kind(cases, {name: known[name] for name in SHOWN_BY_KIND}),
        signal=signal_accuracy(cases, scorer),
        reliability=reliability(cases, scorer),
        healthy=_healthy(cases, scorer),
        recordings=real,
    )
    log.info("event=judged cases=%d scores=%s", len(cases), judged.scores)
    return judged


def calibrate(model: RootCauseNet, examples: Sequence[Example], decoys: float = 0.0) -> Calibration:
    """Return temperature and confidence from labelled snapshots that training never saw, every other one with
    parts missing, a share with ``decoys``."""
    lies = np.random.default_rng(0).random(len(examples)) < decoys
    examples = [laid(number, one) if lies[number] else one for number, one in enumerate(examples)]
    examples = [
        replace(one, snapshot=degraded(number, one.snapshot)) if number % 2 else one
        for number, one in enumerate(examples)
    ]
    outputs = [run_torch(model, dict(example.snapshot.inputs())) for example in examples]
    logits = [np.asarray(one["node_score"], np.float64) for one in outputs]
    faulty = [i for i, example in enumerate(examples) if example.truth >= 0]
    temperature = fit_temperature([logits[i] for i in faulty], [examples[i].truth for i in faulty])
    anomaly = [float(one["anomaly"][0]) for one in outputs]
    return Calibration(temperature, fit_confidence(examples, logits, anomaly, temperature))


def run_pair(model: RootCauseNet, example: Example) -> tuple[Arrays, Arrays]:
    """Return inputs and outputs of one snapshot, for the golden file."""
    inputs = dict(example.snapshot.inputs())
    return inputs, run_torch(model, inputs)


def _healthy(cases: Sequence[Case], scorer: Scorer) -> dict[str, float]:
    """Return mean anomaly with and without a fault, and the confidence without."""
    faulty = [scorer.score(c.example.snapshot) for c in cases if c.example.truth >= 0]
    quiet = [scorer.score(c.example.snapshot) for c in cases if c.example.truth < 0]
    return {
        "anomaly_faulty": float(np.mean([one.anomaly for one in faulty])),
        "anomaly_healthy": float(np.mean([one.anomaly for one in quiet])),
        "confidence_healthy": float(np.mean([one.confidence for one in quiet])),
    }


def _manifest(
    config: ReleaseConfig,
    model: RootCauseNet,
    packed: Arrays,
    parts: Split,
    calibration: Calibration,
    minutes: float,
    source: str,
) -> Manifest:
    trained_on: dict[str, Any] = {
        "source": source,
        "systems": len(np.unique(packed["system"][parts.train])),
        "snapshots": len(parts.train),
        "minutes": round(minutes, 1),
        "torch": torch.__version__,
        "config": asdict(config),
    }
    return Manifest(
        name=config.name,
        version=config.version,
        opset=OPSET,
        window_ticks=WINDOW_TICKS,
        signals=tuple(SIGNALS),
        frame_version=FRAME_VERSION,
        feature_schema_hash=schema_hash(),
        inputs=shapes_of(INPUTS),
        outputs=shapes_of(OUTPUTS),
        sha256="",
        golden_sha256="",
        temperature=calibration.temperature,
        confidence=calibration.confidence,
        trained_on=trained_on,
        parameters=parameters_of(model),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a release from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m gnn.release", description=__doc__)
    parser.add_argument("--config", type=Path, default=DEFAULT_CONFIG, help="YAML file, see gnn/config.yaml")
    parser.add_argument(
        "--work", type=Path, default=Path("runs/release"), help="folder for data, curve, weights"
    )
    parser.add_argument("--out", type=Path, default=RELEASED, help="folder that gets the bundle")
    parser.add_argument(
        "--judge", type=Path, nargs="*", default=[], help="recordings with faults to judge on, for the card"
    )
    parser.add_argument("--version", type=int, help="instead of the configuration's")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    for name in ("gnn", "onnx_models", "__main__"):
        logging.getLogger(name).setLevel(logging.INFO)
    try:
        config = load_config(options.config)
        if options.version:
            config = replace(config, version=options.version)
        bundle = release(Plan(config, options.work, options.out, recordings=tuple(options.judge)))
    except FaultlineError as error:
        log.error("event=failed error=%s", error)
        return 3
    log.info("event=released path=%s sha256=%s", bundle.path, bundle.manifest.sha256)
    return 0


if __name__ == "__main__":
    sys.exit(main())
