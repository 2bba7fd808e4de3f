"""An HTTP server on a free port while a ``with`` lasts; what it answers is for the class that extends it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class QuietHandler(BaseHTTPRequestHandler):
    """Says nothing about requests."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Says nothing."""


class HttpServer:
    """Answers as ``handler`` does, from the begin of the ``with`` to its end."""

    def __init__(self, handler: type[QuietHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def place(self) -> str:
        """HOST:PORT."""
        return f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
