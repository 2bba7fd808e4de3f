"""Bundles on a web server or in an object store: downloaded into a cache folder, verified, only then used.

    http(s)://HOST/PATH    what follows a `?` goes with the name of each file
    s3://BUCKET/KEY        credentials as AWS's own tools find them, never from the URL; options as of
                           pyarrow's URLs: ?endpoint_override=HOST:PORT&scheme=http&region=R&anonymous=true

A download lies beside its place until the files are those of the manifest, and is then moved there as a
whole: nobody ever sees half a bundle. What is there is verified again on each use. Imports pyarrow inside
functions.
"""

from __future__ import annotations

import http.client
import importlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256 as hashed
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, urlsplit
from urllib.request import urlopen

from onnx_models.bundle import GOLDEN, MANIFEST, MODEL, folder_name, load_bundle, read_manifest
from onnx_models.errors import BundleError
from records.validation import nearest

MOST_BYTES: Final = 256 << 20
"""Of the files of one bundle together."""
MOST_KEPT: Final = 8
"""Bundles in the cache folder, those used last."""
SILENCE_S: Final = 10.0
"""Longest wait for the next bytes."""
WHOLE_S: Final = 120.0
"""Longest time for all files."""
_CHUNK: Final = 1 << 16
_DAY_S: Final = 86_400.0
_S3_OPTIONS: Final = ("endpoint_override", "scheme", "region", "anonymous")
_MEND: Final = "see that the URL is the bundle's folder, and that this machine may read it"


def downloaded(url: str, sha256: str | None = None, folder: Path | None = None) -> Path:
    """The folder with the bundle at `url`, verified; `sha256`: of the model that is wanted, any if unsaid.

    With a hash that is in the cache `folder` nothing is asked for. BundleError names the file and what is
    wrong.
    """
    parts = _checked(url)
    try:
        kept = _own_folder() if folder is None else folder
        found = None if sha256 is None else _kept(kept, url, sha256)
        if found is not None:
            return found
        with tempfile.TemporaryDirectory(dir=kept, prefix=".") as scratch:
            return _fetched(url, _reader(parts, url), Path(scratch), sha256, kept)
    except OSError as error:
        message = f"{url}: cannot be kept on this machine: {error}"
        raise BundleError(message, "free space, or name another folder with TMPDIR") from error


def _checked(url: str) -> SplitResult:
    """The parts of a URL; BundleError where it cannot be one of a bundle."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "s3") or not parts.netloc:
        kinds = "only paths, file:///, http(s):// and s3:// are read"
        raise BundleError(f"{url}: {kinds}", "copy the bundle to where one of these reaches it")
    if "@" in parts.netloc:
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        mend = "who may read it is for the machines to know: AWS_ACCESS_KEY_ID, or a role"
        raise BundleError(f"{place}: a user in the URL, which stands on topics and in logs", mend)
    return parts


def _own_folder() -> Path:
    """This user's, and nobody else's to write."""
    folder = Path(tempfile.gettempdir()) / f"faultline-bundles-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise BundleError(f"{folder} is another user's", "remove it, or name another folder with TMPDIR")
    return folder


def _place(kept: Path, url: str, sha256: str) -> Path:
    return kept / hashed(f"{sha256} {url}".encode()).hexdigest()[:16]


def _kept(kept: Path, url: str, sha256: str) -> Path | None:
    """The bundle in the cache; one that is damaged there is removed."""
    place = _place(kept, url, sha256)
    for folder in place.glob("*"):
        try:
            load_bundle(folder)
        except BundleError:
            shutil.rmtree(place, ignore_errors=True)
        else:
            os.utime(place)
            return folder
    return None


def _fetched(url: str, read: Reader, scratch: Path, sha256: str | None, kept: Path) -> Path:
    folder = scratch / "bundle"
    folder.mkdir()
    try:
        _get(url, read, folder, MANIFEST)
        manifest = read_manifest(folder)
        name = folder_name(manifest)
        if sha256 not in (None, manifest.sha256):
            message = f"{url} holds {name} {manifest.sha256[:12]}, {str(sha256)[:12]} is wanted"
            raise BundleError(message, "publish the bundle that lies there")
        found = _kept(kept, url, manifest.sha256)
        if found is not None:
            return found
        for each in (MODEL, GOLDEN):
            _get(url, read, folder, each)
        load_bundle(folder)
    except BundleError as error:
        raise BundleError(error.message.replace(str(folder), url), error.mend) from error
    return _moved(folder, name, _place(kept, url, manifest.sha256))


def _moved(folder: Path, name: str, place: Path) -> Path:
    """Puts a bundle that is whole into its place, where another process may have put it meanwhile."""
    whole = folder.parent / "whole"
    whole.mkdir()
    folder.rename(whole / name)
    try:
        whole.rename(place)
    except OSError:
        if not (place / name).is_dir():
            raise
    _pruned(place.parent)
    return place / name


def _pruned(kept: Path) -> None:
    """Removes what was used least lately, and what a download left that was cut off."""
    with suppress(OSError):
        places = sorted(kept.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
        cut_off = [
            each for each in places if each.name[0] == "." and time.time() - each.stat().st_mtime > _DAY_S
        ]
        whole = [each for each in places if each.name[0] != "."]
        for old in [*whole[MOST_KEPT:], *cut_off]:
            shutil.rmtree(old, ignore_errors=True)


class Budget:
    """What one download may still take, of bytes and of time."""

    def __init__(self) -> None:
        self._bytes = MOST_BYTES
        self._until = time.monotonic() + WHOLE_S

    def take(self, chunk: bytes) -> bytes:
        """The chunk; BundleError where it is too much or too late."""
        self._bytes -= len(chunk)
        if self._bytes < 0:
            raise BundleError(f"more than {MOST_BYTES >> 20} MiB", "see that the URL is a bundle's")
        if time.monotonic() > self._until:
            raise BundleError(f"not there within {WHOLE_S:g} s", "keep the bundle nearer to the workers")
        return chunk


Reader = Callable[[str], Iterator[bytes]]
"""The bytes of the file of a name."""


def _reader(parts: SplitResult, url: str) -> Reader:
    opened = _s3(parts, url) if parts.scheme == "s3" else _web(parts)
    budget = Budget()

    def read(name: str) -> Iterator[bytes]:
        with opened(name) as stream:
            # read1 gives what is there: a server that sends drop by drop meets the budget too.
            while chunk := getattr(stream, "read1", stream.read)(_CHUNK):
                yield budget.take(chunk)

    return read


def _get(url: str, read: Reader, folder: Path, name: str) -> None:
    """Writes one file; BundleError where it cannot be read."""
    try:
        with (folder / name).open("wb") as out:
            for chunk in read(name):
                out.write(chunk)
    except BundleError as error:
        raise BundleError(f"{url}: {name}: {error.message}", error.mend) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise BundleError(f"{url}: {name} cannot be read: {error or repr(error)}", _MEND) from error


def _web(parts: SplitResult) -> Callable[[str], Any]:
    folder = parts.path.rstrip("/")

    def opened(name: str) -> Any:
        return urlopen(parts._replace(path=f"{folder}/{name}").geturl(), timeout=SILENCE_S)

    return opened


def _s3(parts: SplitResult, url: str) -> Callable[[str], Any]:
    try:
        made = importlib.import_module("pyarrow.fs").S3FileSystem
    except ImportError as error:
        raise BundleError(f"{url}: pyarrow is missing, which reads S3", "pip install pyarrow") from error
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    for key in options:
        if key not in _S3_OPTIONS:
            message = f"{url}: unknown option {key!r}{nearest(key, _S3_OPTIONS)}"
            raise BundleError(message, f"one of {', '.join(_S3_OPTIONS)}")
    options["anonymous"] = options.get("anonymous") == "true"
    folder = f"{parts.netloc}/{parts.path.strip('/')}"

    @cache
    def store() -> Any:
        return made(**options, connect_timeout=SILENCE_S, request_timeout=SILENCE_S)

    return lambda name: store().open_input_stream(f"{folder}/{name}")
