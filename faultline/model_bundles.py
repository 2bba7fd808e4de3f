"""`faultline model list, validate, compare`: bundles as they lie on disk. Imports inside the commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from faultline import console, exits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx_models.bundle import Bundle

GOLDEN_TOLERANCE: Final = 1e-4
"""How far the outputs may lie from the golden ones, as at the export."""
_HASH: Final = 64
BUNDLE_HELP: Final = "A bundle's folder or URL, or the name of a released one such as faultline-gnn-2."

Folder = Annotated[
    Path | None, typer.Option("--dir", exists=True, file_okay=False, help="Instead of the shipped bundles.")
]


def register(app: typer.Typer) -> None:
    """Adds the commands to `faultline model`."""
    app.command("list")(list_bundles)
    app.command("validate")(validate)
    app.command("compare")(compare)


def bundle_at(name: str) -> Bundle:
    """The verified bundle that a command line names. BundleError where there is none or it is damaged."""
    from onnx_models.bundle import load_bundle

    return load_bundle(folder_at(name))


def folder_at(name: str) -> Path:
    """The folder that a command line names: itself, a released bundle's by its name, or a URL's."""
    from onnx_models.places import bundle_folder

    return Path(name) if Path(name).exists() else bundle_folder(name)


def list_bundles(folder: Folder = None, json: console.Json = False) -> None:
    """List bundles, oldest version first; the job takes the last shipped one unless told otherwise."""
    from onnx_models.bundle import RELEASED, load_bundle, released

    bundles = [load_bundle(path) for path in released(folder or RELEASED)]
    if json:
        for each in bundles:
            console.say_json({"path": str(each.path), **each.manifest.model_dump(mode="json")})
        return
    rows = [
        (
            each.path.name,
            f"{each.manifest.parameters:,}",
            str(each.encoding_version),
            f"{each.manifest.trained_on.get('snapshots', 0):,}",
            each.manifest.sha256[:12],
            str(each.path),
        )
        for each in bundles
    ]
    console.table(("bundle", "parameters", "encoding", "snapshots", "sha256", "path"), rows)


def validate(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help=BUNDLE_HELP)], json: console.Json = False
) -> None:
    """Check that a bundle is whole, fits this version, and answers here as it did when it was made; exit 1
    where it does not answer so, 3 where it cannot be loaded.
    """
    from onnx_models.scorer import Scorer

    found = bundle_at(bundle)
    scorer = Scorer(found)
    worst = scorer.check_golden()
    good = worst <= GOLDEN_TOLERANCE
    if json:
        console.say_json(
            {
                "path": str(found.path),
                "sha256": found.manifest.sha256,
                "golden_difference": worst,
                "ok": good,
                "provider": scorer.provider,
            }
        )
    else:
        word = "good" if good else "bad"
        console.say(f"{found.path.name}: {word}: golden answers differ by {worst:.1e} on {scorer.provider}")
    if not good:
        raise typer.Exit(exits.FINDINGS)


def compare(
    one: Annotated[str, typer.Argument(metavar="BUNDLE", help=BUNDLE_HELP)],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Another.")],
    json: console.Json = False,
) -> None:
    """Show in what two bundles differ: sizes, features, training."""
    bundles = [bundle_at(name) for name in (one, other)]
    told = [flat(each.manifest.model_dump(mode="json")) for each in bundles]
    keys = sorted({key for each in told for key in each})
    rows = {key: [each.get(key) for each in told] for key in keys}
    differ = {key: values for key, values in rows.items() if values[0] != values[1]}
    if json:
        console.say_json({"bundles": [str(each.path) for each in bundles], "differ": differ})
        return
    console.table(
        ("", *(each.path.name for each in bundles)),
        [(key, *(_cell(value) for value in values)) for key, values in differ.items()],
    )
    console.note(f"{len(differ)} of {len(keys)} keys of the manifests differ")


def flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Nested mappings as one, with dotted keys."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            result.update(flat(value, f"{before}{key}."))
        else:
            result[before + key] = value
    return result


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(_cell(each) for each in value)
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return text[:16] if len(text) == _HASH else text
