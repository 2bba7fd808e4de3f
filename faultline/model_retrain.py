"""`faultline model retrain`: from a job's frames and verdicts to a new bundle. Imports training inside the
command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from faultline import console, exits
from faultline.feedback import BESIDE, read_feedback
from faultline.kafka_security import KafkaConfig, Servers, brokers
from faultline.live_control import now_ms
from faultline.model_bundles import BUNDLE_HELP, bundle_at
from faultline.model_evaluate import show
from faultline.model_live import publish
from faultline.retrain_rule import EXAMPLE, parse_rule, seen, waits
from faultline.words import plural

if TYPE_CHECKING:
    from gnn.retrain import Retrained, Retraining
    from onnx_models.bundle import Bundle, Manifest
    from records.feedback import Feedback

FAILURES_SHOWN: Final = 3


Archive = Annotated[
    Path, typer.Option(exists=True, file_okay=False, help="Frames (*.bin), such as a run's folder.")
]
Verdicts = Annotated[
    list[Path] | None,
    typer.Option(
        exists=True, dir_okay=False, help=f"Verdicts (NDJSON); every {BESIDE} of the archive if unsaid."
    ),
]
Live = Annotated[str | None, typer.Option(help=f"What to start from: {BUNDLE_HELP}")]
Out = Annotated[Path, typer.Option(file_okay=False, help="The folder that gets the bundle.")]
Work = Annotated[Path, typer.Option(file_okay=False, help="Where data and weights go.")]
When = Annotated[str | None, typer.Option(help=f"Only where a rule holds, else exit 0: {EXAMPLE}.")]
Bootstrap = Annotated[
    str | None,
    typer.Option("--bootstrap", "--bootstrap-servers", help="Publish it as shadow here where it is better."),
]


def register(app: typer.Typer) -> None:
    """Adds the command to `faultline model`."""
    app.command("retrain")(retrain)


def retrain(
    archive: Archive,
    feedback: Verdicts = None,
    live: Live = None,
    out: Out = Path("bundles"),
    work: Work = Path("runs/retrain"),
    systems: Annotated[int, typer.Option(min=4, help="Simulated systems mixed in.")] = 160,
    epochs: Annotated[float, typer.Option(min=0.01, help="How often all snapshots are seen.")] = 1.0,
    judged: Annotated[int, typer.Option(min=1, help="Fresh simulated systems to judge on.")] = 30,
    when: When = None,
    bootstrap: Bootstrap = None,
    kafka_config: KafkaConfig = None,
    json: console.Json = False,
) -> None:
    """Fine-tune a bundle on a job's own frames and verdicts, and judge it against the one it came from; exit
    1 where it is worse beyond noise. The bundle is new; without --bootstrap nothing is published.
    """
    from onnx_models.bundle import default_bundle, load_bundle

    rule = None if when is None else parse_rule(when)
    servers = None if bootstrap is None else brokers(bootstrap, kafka_config)
    start = load_bundle(default_bundle()) if live is None else bundle_at(live)
    given = tuple(verdicts(archive, feedback, needed=rule is None))
    missing = None if rule is None else waits(rule, given, seen(_manifests(start, out)), now_ms())
    if missing is not None:
        _idle(missing, json)
        return
    if servers is not None:
        _reachable(servers)
    from gnn.retrain import Retraining

    done = _run(Retraining(start, archive, given, out, work, systems, epochs, judged=judged, at=now_ms()))
    if json:
        console.say_json(as_data(done))
    else:
        tell(done)
    if done.study.worse:
        raise typer.Exit(exits.FINDINGS)
    if bootstrap is not None:
        _shadow(done, bootstrap, kafka_config, json)


def _reachable(servers: Servers) -> None:
    """MachineError where no broker answers: before the training, not an hour later."""
    from faultline.kafka import check_broker

    check_broker(servers)


def _run(plan: Retraining) -> Retrained:
    from gnn.retrain import retrain as run

    with console.progress() as progress:
        return run(plan, progress)


def _idle(missing: str, json: bool) -> None:
    if json:
        console.say_json({"due": False, "missing": missing})
    else:
        console.say(f"nothing to do: {missing}")


def _shadow(done: Retrained, bootstrap: str, kafka_config: Path | None, json: bool) -> None:
    """Publishes the bundle as shadow where it is better than what it came from."""
    if done.better:
        publish(str(done.bundle.path), bootstrap, stage="shadow", kafka_config=kafka_config, json=json)
    else:
        console.note("not published: it is not better than what it came from")


def _manifests(live: Bundle, out: Path) -> list[Manifest]:
    """The manifests of the live bundle and of those of its name in `out`."""
    from onnx_models.bundle import read_manifest, released

    name = live.manifest.name
    made = [read_manifest(path) for path in released(out)]
    return [live.manifest, *(one for one in made if one.name == name)]


def verdicts(archive: Path, files: list[Path] | None, *, needed: bool = True) -> list[Feedback]:
    """The verdicts in `files`, or in every feedback.ndjson of the archive; UsageError without any that are
    `needed`.
    """
    from records.errors import UsageError

    found = files or sorted(archive.rglob(BESIDE))
    if not found and needed:
        raise UsageError(
            f"{archive}: no {BESIDE} in it", "give verdicts: faultline events feedback; or name a --feedback"
        )
    return [each for file in found for each in read_feedback(file.read_bytes().splitlines(), str(file))]


def as_data(done: Retrained) -> dict[str, object]:
    """What came of it, as plain data."""
    from dataclasses import asdict

    found = done.labelled
    return {
        "bundle": str(done.bundle.path),
        "sha256": done.bundle.manifest.sha256,
        "confirmed": found.confirmed,
        "healthy": found.healthy,
        "held_out": len(found.held_out),
        "unseen": found.unseen,
        "snapshots": {"archive": len(found.training), "repeats": done.repeats, "simulated": done.simulated},
        "worse": done.study.worse,
        "publish": None if done.study.worse else publish_line(done),
        "evaluation": asdict(done.study),
    }


def publish_line(done: Retrained) -> str:
    """What to type to try the bundle beside the live one."""
    return f"faultline model publish {done.bundle.path} --bootstrap localhost:9092 --stage shadow"


def tell(done: Retrained) -> None:
    """Prints what came of it, and what to type next."""
    found = done.labelled
    console.say(
        f"trained on {plural(found.confirmed, 'confirmed fault')} and {plural(found.healthy, 'false alarm')}"
        f" ({plural(len(found.training), 'snapshot')}, each {done.repeats} times)"
        f" beside {done.simulated:,} simulated; {len(found.held_out)} later faults kept for judging"
    )
    if found.unseen:
        console.note(f"{plural(found.unseen, 'verdict')} left out: no frame of that time and node")
    show(done.study, FAILURES_SHOWN)
    console.say(f"{done.bundle.path}: written, sha256 {done.bundle.manifest.sha256[:16]}")
    if done.study.worse:
        console.say("it is worse than what it came from: do not publish it")
    else:
        console.say(f"next: {publish_line(done)}")
