"""A receiver of HTTP posts on a free port, whose answers are scripted: what a test's events are sent to."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import orjson


@dataclass(frozen=True)
class Reply:
    """What is answered to one post."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Posted:
    """One post as it came; ``body`` parsed strictly: a NaN would fail the test."""

    path: str
    headers: Mapping[str, str]
    body: Any


class HttpReceiver:
    """A server while the ``with`` lasts: ``replies`` in their order, then the last one for ever.

    ``posts`` is what came. The last reply is 200 where none is scripted.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies: Sequence[Reply] = replies or (Reply(),)
        self.posts: list[Posted] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(receiver: HttpReceiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.posts.append(Posted(self.path, headers, orjson.loads(body)))
            reply = receiver.replies[min(len(receiver.posts), len(receiver.replies)) - 1]
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Says nothing."""

    return Handler
