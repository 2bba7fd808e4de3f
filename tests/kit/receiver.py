"""A receiver of HTTP posts on a free port, whose answers are scripted: what a test's events are sent to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from tests.kit.http_server import HttpServer, QuietHandler


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


class HttpReceiver(HttpServer):
    """A server while the ``with`` lasts: ``replies`` in their order, then the last one for ever.

    ``posts`` is what came. The last reply is 200 where none is scripted.
    """

    def __init__(self, *replies: Reply) -> None:
        self.replies: Sequence[Reply] = replies or (Reply(),)
        self.posts: list[Posted] = []
        super().__init__(_handler(self))

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://{self.place}"


def _handler(receiver: HttpReceiver) -> type[QuietHandler]:
    class Handler(QuietHandler):
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

    return Handler
