"""The embeddings of OpenAI's API, as most gateways and providers speak it, over httpx.

Not here: batches and retries (remote_embedder.py), what a failure means (http_answers.py).
https://platform.openai.com/docs/api-reference/embeddings/create
"""

import json
from collections.abc import Callable, Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final

import httpx

from everturn.adapters.embedding_wire import WireLimits
from everturn.adapters.http_answers import status_error, translated
from everturn.adapters.remote_embedder import RemoteEmbedder, open_remote
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.embedder import Purpose

_CONNECT_S: Final = 2.0
# OpenAI takes 2,048 texts of 8,192 tokens and 300,000 tokens in all; a token is some 3 bytes, and
# at least one. Servers of one's own take fewer texts, 32 by default in Hugging Face's.
# https://platform.openai.com/docs/api-reference/embeddings/create
# https://huggingface.co/docs/text-embeddings-inference/cli_arguments
LIMITS: Final = WireLimits(
    max_batch=32, max_texts=32, max_text_bytes=24_000, max_request_bytes=262_144
)
# 32 vectors of 4,096 numbers of 25 characters, and as much again.
_MAX_ANSWER_BYTES: Final = 8_388_608


class HttpWire:
    """`POST {url}/embeddings` for one model; redirects are not followed."""

    limits: Final = LIMITS

    def __init__(self, client: httpx.Client, *, url: str, model: str, clock: Clock) -> None:
        """Send to the address below `url` that is named `embeddings`."""
        self._client = client
        self._url = f"{url.rstrip('/')}/embeddings"
        self._model = model
        self._clock = clock

    def ask(
        self, texts: Sequence[str], *, purpose: Purpose, timeout_s: float
    ) -> Mapping[int, object]:
        """Return the vectors by the `index` that the service gives them; see EmbeddingWire."""
        del purpose  # the API does not tell them apart
        asked = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        return _in_time(lambda: self._asked(asked, timeout_s), timeout_s)

    def _asked(self, asked: Mapping[str, object], timeout_s: float) -> Mapping[int, object]:
        end_s = self._clock.monotonic_s() + timeout_s
        timeout = httpx.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
        with (
            translated(),
            self._client.stream("POST", self._url, json=asked, timeout=timeout) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise status_error(response.status_code, after_s=_pause_s(response))
            return vectors_by_index(self._body(response, end_s))

    def _body(self, response: httpx.Response, end_s: float) -> bytes:
        # The timeout of httpx is one for each piece, and a server may send very small ones.
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > _MAX_ANSWER_BYTES:
                raise UnavailableError(f"its answer is too large bytes={len(body)}")
            if self._clock.monotonic_s() > end_s:
                raise UnavailableError("no answer in time")
        return bytes(body)


def _in_time(act: Callable[[], Mapping[int, object]], timeout_s: float) -> Mapping[int, object]:
    """Return what `act` returns, if it does so in time; else it is left to itself.

    The timeouts of httpx are per read, and a server may send its headers byte by byte.
    """
    done: SimpleQueue[Mapping[int, object] | Exception] = SimpleQueue()

    def run() -> None:
        try:
            done.put(act())
        except EverturnError as exc:
            done.put(exc)

    Thread(target=run, daemon=True).start()
    try:
        answer = done.get(timeout=timeout_s)
    except Empty:
        raise UnavailableError("no answer in time") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def vectors_by_index(body: bytes) -> dict[int, object]:
    """Return `{index: embedding}` of an answer; the first of two with the same index counts.

    Raises:
        UnavailableError: the body is not what the API describes.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise UnavailableError("its answer is no json") from exc
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise UnavailableError("its answer holds no data")
    found: dict[int, object] = {}
    for item in data:
        index = item.get("index") if isinstance(item, dict) else None
        if type(index) is int:  # True is an int too
            found.setdefault(index, item.get("embedding"))
    return found


def open_http_embedder(
    *,
    url: str,
    key: str,
    headers: Sequence[tuple[str, str]],
    model: str,
    clock: Clock,
    entropy: Entropy,
    transport: httpx.BaseTransport | None = None,
) -> RemoteEmbedder:
    """Return an embedder at an address that ends before `/embeddings`, asked once.

    Args:
        url: an `http` or `https` address without credentials.
        key: sent as a bearer token; "" sends none.
        headers: sent with each request beside it, for a gateway's metering.
        model: the service's name of the model.
        clock: for the deadlines.
        entropy: for the waits.
        transport: what carries the requests; httpx's own if None.

    Raises:
        UnavailableError: no answer in time.
        MisconfiguredError: the address, the key or the model is wrong.
    """
    # Uncompressed, so that the size of an answer is known before it is in memory.
    sent = {"Accept-Encoding": "identity", **dict(headers)}
    if key:
        sent["Authorization"] = f"Bearer {key}"
    client = httpx.Client(headers=sent, follow_redirects=False, transport=transport)
    wire = HttpWire(client, url=url, model=model, clock=clock)
    try:
        return open_remote(wire, model=model, clock=clock, entropy=entropy)
    except (UnavailableError, MisconfiguredError):
        # It is opened anew every minute while the service is away.
        client.close()
        raise


def _pause_s(response: httpx.Response) -> float | None:
    # The form as a date is rare, and a wrong clock makes it worthless.
    # https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isascii() and text.isdigit() else None
