"""Delivers one body over HTTP: what an answer means, how long to wait before the next try, and the post.

Owns the rules; who is told and what is in forward.py and receivers.py. Imports the standard library.

    2xx                       delivered
    3xx, 401, 403, 404, 405   the address or the key is wrong: the command ends, nothing is lost
    408, 429, 502, 503, 504,  the receiver is away: tried again for as long as it takes, first after a second,
    no connection             then after twice as long each time, up to a minute; or after Retry-After
    any other 5xx             the receiver fails: tried again likewise, but for `patience_s` only
    any other 4xx             refused: this body will never be taken
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 60.0
LONGEST_ASKED_S: Final = 300.0
"""A receiver that asks for more time than this in Retry-After is asked again all the same."""
MAX_ANSWER: Final = 4_096
"""Bytes of an answer that are read."""
_SETUP: Final = frozenset({401, 403, 404, 405})
_AWAY: Final = frozenset({408, 429, 502, 503, 504})

Verdict = Literal["delivered", "refused", "away", "failing", "setup"]


@dataclass(frozen=True)
class Answer:
    """What came back. `status`: None without a connection. `retry_after_s`: what the receiver asked for."""

    status: int | None
    text: str
    retry_after_s: float | None = None

    def __str__(self) -> str:
        """`503: no leader`, or why there was no connection."""
        text = " ".join(self.text.split())[:300]
        return text if self.status is None else f"{self.status}: {text}" if text else str(self.status)


def verdict(answer: Answer) -> Verdict:
    """What an answer means, as the module says."""
    status = answer.status
    if status is None or status in _AWAY:
        return "away"
    if 200 <= status < 300:
        return "delivered"
    if status in _SETUP or 300 <= status < 400:
        return "setup"
    return "failing" if status >= 500 else "refused"


def wait_s(tries: int, answer: Answer) -> float:
    """How long to wait after `tries` tries, s."""
    if answer.retry_after_s is not None:
        return min(answer.retry_after_s, LONGEST_ASKED_S)
    return float(min(FIRST_WAIT_S * 2.0 ** min(tries - 1, 16), LONGEST_WAIT_S))


def post(url: str, body: bytes, headers: Mapping[str, str], timeout_s: float) -> Answer:
    """One try. `timeout_s` bounds the wait for the connection and for each part of the answer."""
    request = urllib.request.Request(url, data=body, headers=dict(headers), method="POST")
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=timeout_s) as response:
            return Answer(response.status, _text(response))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, _text(error), _retry_after(error.headers.get("Retry-After")))
    except (OSError, http.client.HTTPException) as error:
        return Answer(None, f"no answer: {getattr(error, 'reason', None) or error or type(error).__name__}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would become a GET, whose 200 looks like a delivery."""

    def redirect_request(self, *arguments: Any) -> None:
        """Follows none: the answer stays what it is."""
        return


def _text(response: Any) -> str:
    try:
        return str(response.read(MAX_ANSWER).decode(errors="replace"))
    except (OSError, http.client.HTTPException):
        return ""


def _retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, which is a number of them or a date."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment - datetime.now(UTC)).total_seconds()) if moment.tzinfo else None
