"""What a worker makes of a bundle that was published: proved and kept, or refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.model_loading import kept_model, prove_published
from jobs.models import LoadModels
from onnx_models.bundle import GOLDEN, MANIFEST, MODEL, Bundle, default_bundle, file_sha256, load_bundle
from onnx_models.errors import BundleError
from onnx_models.places import bundle_folder
from records.model_control import BundleRef
from records.signals import SIGNALS
from tests.jobs.bundles import bundle
from tests.jobs.test_serving import ref_of
from tests.records.test_model_control import record

PATIENT_MS = 10_000.0


def rewritten(made: Bundle, **says: Any) -> Bundle:
    """The bundle with other words in its manifest."""
    file = made.path / MANIFEST
    file.write_text(json.dumps({**json.loads(file.read_text()), **says}), encoding="utf-8")
    return made


def cut_short(made: Bundle) -> Bundle:
    file = made.path / MODEL
    file.write_bytes(file.read_bytes()[:-1])
    return made


def without(made: Bundle, name: str) -> Bundle:
    (made.path / name).unlink()
    return made


REFUSALS: dict[str, tuple[Callable[[Path], Bundle], str]] = {
    "wrong hash": (lambda at: cut_short(bundle(at)), "its manifest says"),
    "no golden arrays": (lambda at: without(bundle(at), GOLDEN), "no golden.npz"),
    "wrong feature order": (
        lambda at: rewritten(bundle(at), signals=list(reversed(SIGNALS))),
        "signals is",
    ),
    "wrong features": (lambda at: rewritten(bundle(at), feature_schema_hash="0" * 64), "feature_schema_hash"),
    "another window": (lambda at: rewritten(bundle(at), window_ticks=11), "window_ticks is 11"),
    "unknown key": (lambda at: rewritten(bundle(at), author="me"), "author"),
    "wrong operator set": (lambda at: bundle(at, opset=17), "is of operator set 18, its manifest says 17"),
    "NaN on its golden arrays": (lambda at: bundle(at, fault="breaks"), "by inf"),
    "other answers": (lambda at: bundle(at, golden_factor=4.0), "differs from the golden answers"),
    "nothing to prove it on": (lambda at: bundle(at, factor=float("nan")), "no golden arrays"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_does_not_fit_is_refused(name: str, tmp_path: Path) -> None:
    make, said = REFUSALS[name]
    made = make(tmp_path)
    with pytest.raises(BundleError, match=said):
        prove_published(ref_of(made), "cpu", PATIENT_MS)


def test_a_bundle_that_is_slow_is_refused(tmp_path: Path) -> None:
    made = bundle(tmp_path, fault="is slow")
    with pytest.raises(BundleError, match="ms for a golden snapshot, more than 50 ms"):
        prove_published(ref_of(made), "cpu", 50.0)


def test_another_bundle_than_the_published_one_is_refused(tmp_path: Path) -> None:
    wanted = ref_of(bundle(tmp_path, version=2))
    other = bundle(tmp_path, version=3)
    with pytest.raises(BundleError, match=r"holds loudest-3 .*, loudest-2 .* was published"):
        prove_published(wanted.model_copy(update={"path": str(other.path)}), "cpu", PATIENT_MS)


def test_a_model_that_the_runtime_does_not_load_is_refused(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    whole = made.model_file.read_bytes()
    made.model_file.write_bytes(whole.replace(b"ReduceMax", b"ReduceNot"))
    rewritten(made, sha256=file_sha256(made.model_file))
    changed = load_bundle(made.path)
    with pytest.raises(BundleError, match="ONNX Runtime does not load it"):
        prove_published(ref_of(changed), "cpu", PATIENT_MS)
    assert kept_model(changed.manifest.sha256, "cpu") is None


def test_what_is_proved_is_kept_and_the_newest_stay(tmp_path: Path) -> None:
    made = [bundle(tmp_path, version=number, factor=1.0 + number) for number in range(6)]
    for each in made:
        prove_published(ref_of(each), "cpu", PATIENT_MS)
    kept = [kept_model(each.manifest.sha256, "cpu") for each in made]
    assert [model is not None for model in kept] == [False, False, True, True, True, True]
    assert [model.reference.version for model in kept if model is not None] == ["2", "3", "4", "5"]


def test_a_folder_is_a_path_or_a_file_url(tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    assert bundle_folder(str(folder)) == bundle_folder(folder.as_uri()) == folder
    assert bundle_folder(default_bundle().name) == default_bundle()
    assert bundle_folder(None) == bundle_folder("") == default_bundle()
    with pytest.raises(BundleError, match="file://elsewhere/gnn-1"):
        bundle_folder("file://elsewhere/gnn-1")


def test_the_operator_says_what_is_wrong_with_a_record(tmp_path: Path) -> None:
    operator = LoadModels("cpu", PATIENT_MS)
    assert operator.made_ready(None) == (None, None)
    nothing, reason = operator.made_ready(b'{"v":1,"action":"publish","time":1,"request":"r","lives":null}')
    assert nothing is None
    assert reason == "unknown key 'lives'; did you mean 'live'?"
    gone = BundleRef(name="gone", version=1, sha256="1" * 64, path=str(tmp_path / "gone-1"))
    wanted = record(live=gone)
    assert operator.made_ready(wanted.model_dump_json().encode()) == (
        wanted,
        f"no manifest.json in the bundle {tmp_path / 'gone-1'}",
    )
    good = record(live=ref_of(bundle(tmp_path)))
    assert operator.made_ready(good.model_dump_json().encode()) == (good, None)
