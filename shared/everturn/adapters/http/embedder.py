"""The embeddings of OpenAI's API, as most gateways and providers speak it, over httpx.

https://platform.openai.com/docs/api-reference/embeddings/create
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final

import httpx

from everturn.adapters.http.errors import status_error
from everturn.adapters.http.post import open_client, post_json
from everturn.adapters.http.remote_embedder import RemoteEmbedder, WireLimits, open_remote
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.embedder import Purpose

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
        answer = post_json(
            self._client,
            self._url,
            asked,
            clock=self._clock,
            timeout_s=timeout_s,
            max_bytes=_MAX_ANSWER_BYTES,
            wanted={httpx.codes.OK},
        )
        if answer.status != httpx.codes.OK:
            raise status_error(answer.status, after_s=answer.after_s)
        return vectors_by_index(answer.body)


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
    client = open_client(key=key, headers=headers, transport=transport)
    wire = HttpWire(client, url=url, model=model, clock=clock)
    try:
        return open_remote(wire, model=model, clock=clock, entropy=entropy)
    except (UnavailableError, MisconfiguredError):
        # It is opened anew every minute while the service is away.
        client.close()
        raise
