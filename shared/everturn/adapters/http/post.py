"""One JSON request to a model's service over HTTP, bounded in time and in size."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final

import httpx

from everturn.adapters.http.errors import translated
from everturn.adapters.http.service_retries import in_time
from everturn.errors import UnavailableError
from everturn.ports.clock import Clock

_CONNECT_S: Final = 2.0
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back: `body` is b"" where it was not wanted; `after_s` is the pause asked for."""

    status: int
    body: bytes
    after_s: float | None


def open_client(
    *, key: str, headers: Sequence[tuple[str, str]], transport: httpx.BaseTransport | None
) -> httpx.Client:
    """Return a client that sends these with each request, and follows no redirect.

    Args:
        key: sent as a bearer token; "" sends none.
        headers: sent beside it, for a gateway's metering.
        transport: what carries the requests; httpx's own if None.
    """
    # Uncompressed, so that the size of an answer is known before it is in memory.
    sent = {"Accept-Encoding": "identity", **dict(headers)}
    if key:
        sent["Authorization"] = f"Bearer {key}"
    return httpx.Client(headers=sent, follow_redirects=False, transport=transport)


def post_json(
    client: httpx.Client,
    url: str,
    asked: Mapping[str, object],
    *,
    clock: Clock,
    timeout_s: float,
    max_bytes: int,
    wanted: Container[int],
) -> HttpAnswer:
    """Send one request, and read the body of an answer whose status is among the wanted ones.

    Raises:
        UnavailableError: no answer within `timeout_s` seconds, or one above `max_bytes` bytes.
        MisconfiguredError: the address is none.
    """

    def act() -> HttpAnswer:
        end_s = clock.monotonic_s() + timeout_s
        timeout = httpx.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
        with (
            translated(),
            client.stream("POST", url, json=asked, timeout=timeout) as response,
        ):
            status, after_s = response.status_code, pause_s(response.headers)
            body = _body(response, max_bytes, clock, end_s) if status in wanted else b""
            return HttpAnswer(status, body, after_s)

    return in_time(act, timeout_s)


def pause_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an answer asks to be waited, None where it says nothing usable.

    A date counts from the answer's own: the clock here may be wrong.
    https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    """
    text = headers.get("retry-after", "")
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        then, now = (parsedate_to_datetime(date) for date in (text, headers.get("date", "")))
        return max((then - now).total_seconds(), 0.0)
    except (TypeError, ValueError):
        # No date, or one of the two without an offset.
        return None


def _body(response: httpx.Response, max_bytes: int, clock: Clock, end_s: float) -> bytes:
    # The timeout of httpx is one for each piece, and a server may send very small ones.
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > max_bytes:
            raise UnavailableError(f"its answer is too large bytes={len(body)}")
        if clock.monotonic_s() > end_s:
            raise UnavailableError("no answer in time")
    return bytes(body)
