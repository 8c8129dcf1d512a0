"""The HTTP API as the commands use it, over a network or in process alike.

Not here: how answers are shown. It is no SDK: no retries, no waiting.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from everturn.cli.failures import ApiError, ApiFault, CliError
from everturn.domain.visible_text import well_formed

TRANSPORT_FAILURES: dict[type[Exception], str] = {
    httpx.InvalidURL: "this is no url",
    httpx.UnsupportedProtocol: "a url begins with http:// or https://",
    httpx.ConnectError: "nothing answers",
    httpx.TimeoutException: "no answer in time",
    httpx.TransportError: "the connection failed",
}
"""What a failure of the network means; that of the nearest class in this table."""

# A page is 3 MiB at most whatever the limit; this is the API's own ceiling.
_PAGE = 1_000


class Api:
    """Calls one Everturn; every error is raised as a `CliError`."""

    def __init__(self, client: httpx.Client, *, log: Path | None = None) -> None:
        """Take a client whose base URL and headers are set, and the log of what answers it."""
        self._client = client
        self._log = log

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Make one request; a mapping as body is sent as JSON.

        Raises:
            ApiError: the answer is an error.
            CliError: there is no answer.
        """
        sent = dict(headers or {})
        if body is not None:
            sent["content-type"] = "application/json"
        content = None if body is None else encoded(body)
        try:
            response = self._client.request(
                method, path, params=params, content=content, headers=sent
            )
        except (httpx.TransportError, httpx.InvalidURL) as exc:
            reason = next(
                TRANSPORT_FAILURES[k] for k in type(exc).__mro__ if k in TRANSPORT_FAILURES
            )
            raise CliError(f"{reason} url={self._client.base_url}") from exc
        if response.is_error:
            raise ApiError(self._with_log(_fault_of(response)))
        return response

    def _with_log(self, fault: ApiFault) -> ApiFault:
        """An answer of ours hides why a store failed; its log, if there is one, does not."""
        hidden = fault.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if hidden and self._log is not None and self._log.is_file():
            return replace(fault, log=self._log)
        return fault

    def read(self, path: str, params: Mapping[str, str | int] | None = None) -> dict[str, Any]:
        """GET a JSON object."""
        answer: dict[str, Any] = self.call("GET", path, params=params).json()
        return answer

    def turn_pages(self, conversation_id: str) -> Iterator[dict[str, Any]]:
        """Read all turns of a conversation, one page of the API at a time, oldest first."""
        first: int | None = 0
        while first is not None:
            page = self.read(
                f"{conversation_path(conversation_id)}/turns", {"from": first, "limit": _PAGE}
            )
            yield page
            first = page.get("next")


def conversation_path(conversation_id: str) -> str:
    """Return the path of a conversation; any id is one segment of it."""
    segment = quote(conversation_id, safe="", errors="surrogateescape")
    # RFC 3986, section 5.2.4: clients take these two for steps in the path.
    if segment in {".", ".."}:
        segment = segment.replace(".", "%2E")
    return f"/v1/conversations/{segment}"


def encoded(value: object) -> bytes:
    """Return a value as JSON in UTF-8; lone surrogates, which UTF-8 cannot hold, as U+FFFD."""
    return well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":"))).encode()


def _fault_of(response: httpx.Response) -> ApiFault:
    try:
        body = response.json()
    except ValueError:
        body = None
    known = body if isinstance(body, dict) else {}
    error = known.get("error")
    if not isinstance(error, dict):
        # API Gateway's own answers have this form.
        message = str(known.get("message") or response.reason_phrase)
        return ApiFault(response.status_code, message.lower())
    return ApiFault(
        response.status_code,
        str(error.get("message")),
        error.get("code"),
        error.get("field"),
        error.get("request_id"),
    )
