"""Bundles by URL: fetched once, verified, moved into place as a whole, and refused in words."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from onnx_models import download
from onnx_models.bundle import GOLDEN, MANIFEST, MODEL, Bundle, load_bundle
from onnx_models.download import MOST_KEPT, downloaded
from onnx_models.errors import BundleError
from onnx_models.places import bundle_folder
from tests.jobs.bundles import bundle
from tests.kit.store import Store

NAME = "models/loudest-1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store") as running:
        yield running


@pytest.fixture
def made(store: Store) -> Bundle:
    return bundle(store.folder / "models")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


def whole(cache: Path) -> list[Path]:
    """What lies in the cache but for nothing that is half."""
    return [folder for place in cache.iterdir() for folder in place.iterdir()]


@pytest.mark.parametrize("kind", ["http", "s3"])
def test_a_bundle_is_fetched_once_and_verified(store: Store, made: Bundle, cache: Path, kind: str) -> None:
    url = store.s3(NAME) if kind == "s3" else store.http(NAME)
    folder = downloaded(url, made.manifest.sha256, cache)
    assert folder.name == "loudest-1"
    assert load_bundle(folder).manifest == made.manifest
    assert {path.rpartition("/")[2] for path in store.asked} == {MANIFEST, MODEL, GOLDEN}
    before = len(store.asked)
    assert downloaded(url, made.manifest.sha256, cache) == folder
    assert len(store.asked) == before
    assert downloaded(url, None, cache) == folder
    assert {path.rpartition("/")[2] for path in store.asked[before:]} == {MANIFEST}


def test_what_is_asked_for_keeps_the_query_and_the_slash_at_the_end_is_no_matter(
    store: Store, made: Bundle, cache: Path
) -> None:
    assert load_bundle(downloaded(store.http(f"{NAME}/?token=a"), None, cache)).manifest == made.manifest


def test_a_bundle_that_is_cut_short_on_the_way_is_never_used(store: Store, made: Bundle, cache: Path) -> None:
    store.change = lambda path, content: content[:-1] if path.endswith(MODEL) else content
    with pytest.raises(BundleError, match=f"{store.http(NAME)}/{MODEL} has SHA-256 .* its manifest says"):
        downloaded(store.http(NAME), made.manifest.sha256, cache)
    assert whole(cache) == []
    store.change = lambda path, content: content
    assert load_bundle(downloaded(store.http(NAME), made.manifest.sha256, cache))


def test_what_was_damaged_in_the_cache_is_fetched_again(store: Store, made: Bundle, cache: Path) -> None:
    folder = downloaded(store.http(NAME), made.manifest.sha256, cache)
    (folder / MODEL).write_bytes(b"")
    assert load_bundle(downloaded(store.http(NAME), made.manifest.sha256, cache))


def test_another_bundle_than_the_wanted_one_is_not_fetched(store: Store, made: Bundle, cache: Path) -> None:
    with pytest.raises(BundleError, match=r"/loudest-1 holds loudest-1 .*, 111111111111 is wanted"):
        downloaded(store.http(NAME), "1" * 64, cache)
    assert store.asked == [f"{NAME}/{MANIFEST}"]


@pytest.mark.parametrize("kind", ["http", "s3"])
def test_what_is_not_there_is_said_with_the_file(store: Store, made: Bundle, cache: Path, kind: str) -> None:
    url = store.s3("models/none-1") if kind == "s3" else store.http("models/none-1")
    with pytest.raises(
        BundleError, match=r"none-1.*manifest\.json cannot be read: .*(404|NoSuchKey|not exist)"
    ):
        downloaded(url, None, cache)
    assert whole(cache) == []


def test_a_store_that_is_away_is_said(tmp_path: Path, cache: Path) -> None:
    with Store(tmp_path) as gone:
        url = gone.http(NAME)
    with pytest.raises(BundleError, match=r"manifest\.json cannot be read: .*refused"):
        downloaded(url, None, cache)


def test_too_much_is_refused(
    store: Store, made: Bundle, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "MOST_BYTES", 1 << 20)
    store.change = lambda path, content: content + bytes(1 << 20) if path.endswith(MODEL) else content
    with pytest.raises(BundleError, match=r"model\.onnx: more than 1 MiB"):
        downloaded(store.http(NAME), None, cache)
    assert whole(cache) == []


def test_a_manifest_s_name_leads_nowhere_else(store: Store, made: Bundle, cache: Path) -> None:
    store.change = lambda path, content: content.replace(b'"loudest"', b'"../../loudest"')
    with pytest.raises(BundleError, match="is no name of a bundle"):
        downloaded(store.http(NAME), None, cache)
    assert whole(cache) == []


def test_those_used_last_are_kept(store: Store, cache: Path) -> None:
    for number in range(MOST_KEPT + 2):
        made = bundle(store.folder / "models", version=number, factor=1.0 + number)
        folder = downloaded(store.http(f"models/loudest-{number}"), made.manifest.sha256, cache)
        os.utime(folder.parent, (number, number))
    kept = sorted(int(folder.name.rpartition("-")[2]) for folder in whole(cache))
    assert kept == list(range(2, MOST_KEPT + 2))


def test_several_fetch_the_same_at_once(store: Store, made: Bundle, cache: Path) -> None:
    found: list[Path] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(downloaded(store.http(NAME), made.manifest.sha256, cache))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert load_bundle(found[0]).manifest == made.manifest


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("gs://bucket/loudest-1", "only paths, file:///"),
        ("file://elsewhere/loudest-1", "only paths, file:///"),
        ("http:///loudest-1", "only paths, file:///"),
        ("s3://key:secret@bucket/loudest-1", "^s3://bucket/loudest-1: a user in the URL"),
        ("s3://bucket/loudest-1?regin=eu", "unknown option 'regin'.*region"),
    ],
)
def test_a_url_that_cannot_be_read(url: str, said: str, cache: Path) -> None:
    with pytest.raises(BundleError, match=said) as refused:
        downloaded(url, None, cache)
    assert "secret" not in str(refused.value)


def test_a_place_is_named_as_people_name_it(
    store: Store, made: Bundle, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(cache))
    assert bundle_folder(str(made.path)) == bundle_folder(made.path.as_uri()) == made.path
    folder = bundle_folder(store.http(NAME), made.manifest.sha256)
    assert load_bundle(folder).manifest == made.manifest
    assert folder.is_relative_to(cache)
    assert (cache / f"faultline-bundles-{os.getuid()}").stat().st_mode & 0o077 == 0
