"""Where a bundle is: the folder of what a person or a record names. Imports the download inside functions."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from onnx_models.bundle import RELEASED, default_bundle


def bundle_folder(named: str | None, sha256: str | None = None) -> Path:
    """The bundle's folder, of a path, a URL, or the name of one that this installation has released; unnamed,
    the newest of those.

    What is at a URL of another kind than file:// is downloaded, verified, and kept; with the model's `sha256`
    it is not asked for again. BundleError where that fails, or for a URL of another kind.
    """
    if not named:
        return default_bundle()
    if "/" not in named and (RELEASED / named).is_dir():
        return RELEASED / named
    if "://" not in named:
        return Path(named)
    url = urlsplit(named)
    if url.scheme == "file" and url.netloc in ("", "localhost"):
        return Path(unquote(url.path))
    from onnx_models.download import downloaded

    return downloaded(named, sha256)
