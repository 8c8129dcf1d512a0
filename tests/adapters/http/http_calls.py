"""How the tests of the HTTP embedder open one, and what may go wrong on its way."""

from typing import Any

import httpx

from emulation.embeddings_service import EmbeddingsService
from everturn.adapters.http.embedder import open_http_embedder
from everturn.adapters.http.remote_embedder import RemoteEmbedder
from everturn.adapters.system_clock import ManualClock, SeededEntropy

URL = "https://gateway.test/v1"
KEY = "sk-very-secret"
PRIVATE = "my door code is 4711"

FAILURES = [
    httpx.ConnectError("x"),
    httpx.ConnectTimeout("x"),
    httpx.ReadTimeout("x"),
    httpx.RemoteProtocolError("x"),
    httpx.Response(429),
    httpx.Response(500),
    httpx.Response(503, headers={"Retry-After": "1"}),
    httpx.Response(200, content=b"<html>"),
    httpx.Response(200, content=b"[" * 100_000),
    httpx.Response(200, json=[]),
    httpx.Response(200, json={"error": "later"}),
    httpx.Response(200, content=b"\xff"),
]


def opened(service: EmbeddingsService, clock: ManualClock, **changed: object) -> RemoteEmbedder:
    parts: dict[str, Any] = {
        "url": URL,
        "key": KEY,
        "headers": (("X-Team", "agents"),),
        "model": "small",
        "clock": clock,
        "entropy": SeededEntropy(),
        "transport": service,
    }
    return open_http_embedder(**(parts | changed))


def again(answer: httpx.Response | Exception) -> httpx.Response | Exception:
    """The same answer once more: a response can be read once."""
    if isinstance(answer, Exception):
        return answer
    return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)
