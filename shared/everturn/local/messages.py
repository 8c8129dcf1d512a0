"""One HTTP request and one HTTP answer as plain values, and the answers that the front makes.

Not here: the answers of handlers (edge/), sockets (front.py).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

# The same limit as the functions have (README, errors).
MAX_BODY_BYTES = 3 * 1_048_576

_VISIBLE_ASCII = "".join(map(chr, range(0x21, 0x7F)))
_CODES = {
    HTTPStatus.FORBIDDEN: "forbidden",
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.LENGTH_REQUIRED: "length_required",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too_large",
    HTTPStatus.REQUEST_URI_TOO_LONG: "too_large",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "too_large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported_media_type",
    HTTPStatus.INTERNAL_SERVER_ERROR: "internal",
}


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came; `target` is path and query in percent-encoded ASCII."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def raw_path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def raw_query(self) -> str:
        """What stands behind the first question mark, still encoded."""
        return self.target.partition("?")[2]

    def folded_headers(self) -> dict[str, str]:
        """Return the headers with lower-case names, repeated ones joined by commas."""
        folded: dict[str, str] = {}
        for name, value in self.headers:
            key = name.lower()
            folded[key] = f"{folded[key]},{value}" if key in folded else value
        return folded


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; several headers may share a name (set-cookie)."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def ascii_target(target: str) -> str:
    """Return a request target as visible ASCII: other bytes (one per character) percent-encoded."""
    return quote(target.encode("latin-1"), safe=_VISIBLE_ASCII)


def refusal(status: int, message: str, *, request_id: str) -> Answer:
    """Return an error in the API's own form; any other 4xx status is `malformed_request`."""
    error = {
        "code": _CODES.get(HTTPStatus(status), "malformed_request"),
        "message": message,
        "request_id": request_id,
        "retryable": False,
    }
    return json_answer(status, {"error": error})


def json_answer(status: int, value: object, headers: Iterable[tuple[str, str]] = ()) -> Answer:
    """Return a value as a JSON answer."""
    body = json.dumps(value, ensure_ascii=False).encode()
    return Answer(status, (("content-type", "application/json"), *headers), body)
