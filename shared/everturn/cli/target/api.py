"""Call the HTTP API for the commands, over a network or in process alike.

This is not an SDK: it does not retry and does not wait.

Of each response the commands name the shape that they need, and `Api` checks it: whatever answers
at a URL may not be an Everturn.
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
from everturn.errors import MisconfiguredError
from everturn.values.visible_text import one_line, well_formed

Shape = Any
"""A type, or several; a list of one shape; a mapping of shapes by name, in which `?` ends an
optional name."""

_NUMBER = (int, float)
_TURN: Shape = {"index": int, "role": str, "text": str, "name?": str, "ts?": str}

ANY_OBJECT: Shape = {}
TURNS: Shape = {"turns": [_TURN], "turn_count": int, "next?": int}
RECENT: Shape = {
    "turns": [{**_TURN, "conversation_id": str, "title": str}],
    "skipped": int,
    "next_cursor?": str,
}
PAIRS: Shape = {
    "pairs": [{"conversation_id": str, "title": str, "question": _TURN, "answers": [_TURN]}],
    "skipped": int,
    "next_cursor?": str,
}
_FOUND_TURN: Shape = {**_TURN, "conversation_id": str}
_SEARCHED: Shape = {"conversations": int, "turns": int, "complete": bool, "oldest?": str}
FOUND: Shape = {
    "hits": [{**_FOUND_TURN, "score": _NUMBER, "neighbours?": [_TURN], "explain?": {}}],
    "filtered": int,
    "degraded": bool,
    "reason?": str,
    "over_budget?": bool,
    "searched?": _SEARCHED,
}
THEMES: Shape = {
    "themes": [
        {"terms": [str], "share": _NUMBER, "turns": [_FOUND_TURN], "since?": str, "until?": str}
    ],
    "searched": _SEARCHED,
    "degraded": bool,
    "reason?": str,
}
STATUS: Shape = {
    "backends": {
        "store": str,
        "derived": str,
        "embedder": {
            "name": str,
            "model": str,
            "dimensions": int,
            "semantic": bool,
            "reason": str,
            "tried": [{"name": str, "reason": str}],
        },
    },
    "consolidation?": {
        "queue": str,
        "extractor": str,
        "complete?": bool,
        "depth?": int,
        "in_flight?": int,
        "oldest?": str,
        "dead?": int,
        "pending?": int,
        "pending_turns?": int,
        "quarantined?": int,
        "last_success?": str,
    },
}
QUEUED: Shape = {"queued": bool, "reason?": str}
LISTING: Shape = {
    "conversations": [
        {"conversation_id": str, "title": str, "turn_count": int, "updated": str, "preview": str}
    ],
    "skipped": int,
    "next_cursor?": str,
}
APPENDED: Shape = {
    "conversation_id": str,
    "appended": int,
    "replayed": bool,
    "turn_count": int,
    "clamped": int,
    "ignored": int,
}
RECEIPT: Shape = {"deleted": {}, "complete": bool, "noncurrent_versions?": {"gone": str}}
EDITED: Shape = {
    "conversation_id": str,
    "turn_count": int,
    "complete": bool,
    "noncurrent_versions?": {"gone": str},
}
DOCUMENT: Shape = {"value": object}
CONVERSATION: Shape = {"conversation_id": str, "title": str, "updated": str}
RECORD: Shape = {"conversation_id": str}

_SPEC: Shape = {
    "name?": str,
    "trigger?": str,
    "preconditions?": [str],
    "steps?": [str],
    "gotchas?": [str],
    "success_criteria?": [str],
}
_SAID: Shape = {"statement?": str, "spec?": _SPEC}
_SOURCE: Shape = {"at?": str, "conversation_id?": str, "from?": int, "to?": int, "quote?": str}
_MEMORY: Shape = {
    **_SAID,
    "id": str,
    "uri": str,
    "kind": str,
    "subject?": str,
    "hard": bool,
    "importance": int,
    "count": int,
    "strength": _NUMBER,
    "sources": [_SOURCE],
    "first_seen": str,
    "last_seen": str,
    "valid_from?": str,
    "valid_to?": str,
    "supersedes?": [str],
    "superseded_by?": str,
    "pinned": bool,
    "provenance": str,
    "promoted?": {"name": str, "at": str},
}
_PERIOD: Shape = {**_SAID, "id": str, "valid_from?": str, "valid_to?": str, "forgotten?": object}
_DEGRADED: Shape = {"degraded": bool, "reason?": str}

REMEMBERED: Shape = {"memory": _MEMORY, "created": bool}
CHANGED: Shape = {"memory": _MEMORY, "superseded?": str}
PROMOTED: Shape = {"memory": _MEMORY, "name": str, "files": {}}
MEMORIES: Shape = {"memories": [_MEMORY], "skipped": int, "next_cursor?": str, "pending?": int}
HISTORY: Shape = {"memory": _MEMORY, "history": [_PERIOD]}
SNIPPETS: Shape = {
    **_DEGRADED,
    "snippets": [{"text": str, "uri": str, "kind": str, "score": _NUMBER, "explain?": {}}],
    "pending_turns": int,
    "filtered": int,
    "over_budget?": bool,
}
_PINNED_PARTS: Shape = {
    "identity": [str],
    "rules": [str],
    "constraints": [str],
    "profile": [str],
    "goal": [str],
}
PINNED: Shape = {
    "text": str,
    "tokens": int,
    "parts": _PINNED_PARTS,
    "cut": int,
    "degraded?": bool,
    "reason?": str,
}
PATTERNS: Shape = {
    "patterns": [{"spec": _SPEC, "confidence": _NUMBER, "coverage": int, "uri": str, "text": str}]
}
CONTEXT: Shape = {
    **_DEGRADED,
    "text": str,
    "tokens": int,
    "parts": {
        "pinned": _PINNED_PARTS,
        "memories": [object],
        "patterns": [object],
        "recalled": [object],
        "recent": [object],
    },
    "pending_turns": int,
}


def has_shape(value: object, shape: Shape) -> bool:
    """Say whether a value has at least what a shape names; null stands for an optional field."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            _field_has_shape(value, name, wanted) for name, wanted in shape.items()
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(has_shape(item, shape[0]) for item in value)
    return isinstance(value, shape)


def _field_has_shape(value: dict[str, object], name: str, shape: Shape) -> bool:
    if name.endswith("?"):
        found = value.get(name.removesuffix("?"))
        return found is None or has_shape(found, shape)
    return name in value and has_shape(value[name], shape)


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
