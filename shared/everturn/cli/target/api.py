"""The HTTP API as the commands use it, over a network or in process alike.

It is no SDK: no retries, no waiting.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

import httpx

from everturn.cli.output.errors import ApiError, ApiFault, CliError
from everturn.cli.target.answer_shapes import ANY_OBJECT, TURNS, Shape, has_shape
from everturn.errors import MisconfiguredError
from everturn.values.visible_text import one_line, well_formed

TRANSPORT_FAILURES: dict[type[Exception], str] = {
    httpx.InvalidURL: "this is no url",
    httpx.UnsupportedProtocol: "a url begins with http:// or https://",
    httpx.ConnectError: "nothing answers",
    httpx.TimeoutException: "no answer in time",
    httpx.LocalProtocolError: "a user or a key cannot be sent in a header",
    httpx.DecodingError: "the answer cannot be decoded, this is no everturn",
    httpx.TransportError: "the connection failed",
    httpx.RequestError: "the request failed",
}
"""What a failure of the network means; that of the nearest class in this table."""

# A page is 3 MiB at most whatever the limit; this is the API's own ceiling.
_PAGE = 1_000
_MEMORY_URI = "everturn://memory/"


class Api:
    """Calls one Everturn; every error is raised as a `CliError`."""

    def __init__(
        self, client: httpx.Client, *, log: Path | None = None, in_process: bool = False
    ) -> None:
        """Take a client whose base URL and headers are set, and the log of what answers it."""
        self._client = client
        self._log = log
        self._in_process = in_process

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        shape: Shape = None,
    ) -> httpx.Response:
        """Make one request; a mapping as body is sent as JSON.

        With `shape`, the answer is JSON of this shape.

        Raises:
            ApiError: the answer is an error.
            CliError: there is no answer, or it is none of an Everturn.
        """
        sent = [(b"content-type", b"application/json")] if body is not None else []
        for name, value in (headers or {}).items():
            sent.append((name.encode(), value.encode("utf-8", "surrogateescape")))
        response = self._send(
            method,
            path,
            params=params and {name: _sendable(value) for name, value in params.items()},
            content=None if body is None else encoded(body),
            headers=sent,
        )
        if response.is_error:
            raise ApiError(self._explained(_fault_of(response)))
        if not response.is_success:
            self._refuse_redirect(response)
        if shape is not None and not has_shape(_json_of(response), shape):
            raise CliError(f"this is no everturn: it answers otherwise url={self._client.base_url}")
        return response

    def _send(self, method: str, path: str, **parts: Any) -> httpx.Response:  # noqa: ANN401 - httpx's own
        try:
            return self._client.request(method, path, **parts)
        except (httpx.RequestError, httpx.InvalidURL) as exc:
            reason = next(
                TRANSPORT_FAILURES[k] for k in type(exc).__mro__ if k in TRANSPORT_FAILURES
            )
            raise CliError(f"{reason} url={self._client.base_url}") from exc

    def _refuse_redirect(self, response: httpx.Response) -> NoReturn:
        to = one_line(response.headers.get("location", ""))
        raise CliError(
            "this leads elsewhere, give the url of an everturn"
            f" status={response.status_code} location={to} url={self._client.base_url}"
        )

    def _explained(self, fault: ApiFault) -> ApiFault:
        """An answer of ours hides why a store failed; its log does not, and neither does doctor."""
        if fault.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return fault
        if self._log is not None and self._log.is_file():
            return replace(fault, log=self._log)
        if self._in_process and fault.code == MisconfiguredError.code:
            return replace(fault, message=f"{fault.message}, everturn doctor says what")
        return fault

    def read(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        shape: Shape = ANY_OBJECT,
    ) -> dict[str, Any]:
        """GET a JSON object of a shape."""
        answer: dict[str, Any] = self.call("GET", path, params=params, shape=shape).json()
        return answer

    def turn_pages(self, conversation_id: str) -> Iterator[dict[str, Any]]:
        """Read all turns of a conversation, one page of the API at a time, oldest first."""
        first: int | None = 0
        while first is not None:
            page = self.read(
                f"{conversation_path(conversation_id)}/turns",
                {"from": first, "limit": _PAGE},
                shape=TURNS,
            )
            yield page
            first = page.get("next")


def conversation_path(conversation_id: str) -> str:
    """Return the path of a conversation; any id is one segment of it.

    Raises:
        CliError: it is no Unicode text.
    """
    return f"/v1/conversations/{_segment(conversation_id, of='conversation')}"


def memory_path(rid: str) -> str:
    """Return the path of a memory, which its id or its URI names.

    Raises:
        CliError: it is no Unicode text.
    """
    id_ = rid.rpartition("/")[2] if rid.startswith(_MEMORY_URI) else rid
    return f"/v1/memories/{_segment(id_, of='memory')}"


def _segment(id_: str, *, of: str) -> str:
    try:
        segment = quote(id_, safe="")
    except UnicodeEncodeError as exc:
        raise CliError(f"an id is no valid unicode text {of}={well_formed(id_)}") from exc
    # RFC 3986, section 5.2.4: clients take these two for steps in the path.
    return segment.replace(".", "%2E") if segment in {".", ".."} else segment


def encoded(value: object) -> bytes:
    """Return a value as JSON in UTF-8; lone surrogates, which UTF-8 cannot hold, as U+FFFD."""
    return well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode()


def _sendable(value: str | int) -> str | int:
    return well_formed(value) if isinstance(value, str) else value


def _json_of(response: httpx.Response) -> object:
    """Return an answer's JSON; None where it is none, or too deep to be one of ours."""
    try:
        value: object = response.json()
    except (ValueError, RecursionError):
        return None
    return value


def _fault_of(response: httpx.Response) -> ApiFault:
    body = _json_of(response)
    known = body if isinstance(body, dict) else {}
    error = known.get("error")
    if not isinstance(error, dict):
        # API Gateway's own answers have this form.
        message = str(known.get("message") or response.reason_phrase)
        return ApiFault(response.status_code, one_line(message).lower())
    parts = (error.get(name) for name in ("code", "field", "request_id"))
    code, field, request_id = (one_line(str(part)) if part else None for part in parts)
    message = one_line(str(error.get("message")))
    return ApiFault(response.status_code, message, code, field, request_id)
