"""A web server and object store on a free port over a folder: as much of HTTP and S3 as a reader needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.kit.http_server import HttpServer, QuietHandler

NOT_THERE = b"<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>"


class Store(HttpServer):
    """Answers GET and HEAD, with ranges, while the ``with`` lasts: a folder in it is a bucket.

    ``asked``: the paths of all GETs so far. ``change``: makes of a file's path and bytes what is answered.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.change: Callable[[str, bytes], bytes] = lambda path, content: content
        super().__init__(_handler(self))

    def http(self, path: str) -> str:
        """The URL of a path in the folder."""
        return f"http://{self.place}/{path}"

    def s3(self, path: str) -> str:
        """The URL of BUCKET/KEY for a reader of S3 that knows no such place."""
        return f"s3://{path}?endpoint_override={self.place}&scheme=http&region=us-east-1&anonymous=true"


def _handler(store: Store) -> type[QuietHandler]:
    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            store.asked.append(self._path())
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def _path(self) -> str:
            return unquote(urlsplit(self.path).path).lstrip("/")

        def _answer(self, *, with_body: bool) -> None:
            file = store.folder / self._path()
            there = file.is_file()
            whole = store.change(self._path(), file.read_bytes()) if there else NOT_THERE
            asked = self.headers.get("Range") if there else None
            first, last = _range(asked, len(whole))
            self.send_response(404 if not there else 206 if asked else 200)
            if asked:
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(whole)}")
            self.send_header("Content-Type", "application/octet-stream" if there else "application/xml")
            self.send_header("Content-Length", str(last + 1 - first))
            self.end_headers()
            if with_body:
                self.wfile.write(whole[first : last + 1])

    return Handler


def _range(asked: str | None, size: int) -> tuple[int, int]:
    """The first and the last byte of `bytes=FIRST-[LAST]`."""
    if asked is None:
        return 0, size - 1
    first, _, last = asked.removeprefix("bytes=").partition("-")
    return int(first), min(int(last) if last else size - 1, size - 1)
