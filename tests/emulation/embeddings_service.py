"""A service that speaks OpenAI's embeddings API, without a socket, and does wrong when told to."""

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import httpx

from emulation.word_vectors import word_vector

Answer: TypeAlias = httpx.Response | Exception

DIMENSIONS = 24


class EmbeddingsService(httpx.BaseTransport):
    """Answers like the real thing; `requests` and `bodies` are what it was sent.

    `planned` answers come first, one a request (an exception is raised as httpx would), `change`
    may spoil the list of vectors, `refuses` says which texts are answered with `refusal`.
    """

    def __init__(self) -> None:
        """Do everything right."""
        self.requests: list[httpx.Request] = []
        self.bodies: list[dict[str, Any]] = []
        self.planned: list[Answer] = []
        self.change: Callable[[list[Any]], list[Any]] = list
        self.refuses: Callable[[str], bool] = lambda _: False
        self.refusal = 400
        self.max_texts = 2_048

    @property
    def texts(self) -> list[list[str]]:
        """What was sent, by request."""
        return [body["input"] for body in self.bodies]

    def forget(self) -> None:
        """Count from here."""
        self.requests.clear()
        self.bodies.clear()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        self.requests.append(request)
        self.bodies.append(json.loads(request.read()))
        if self.planned:
            planned = self.planned.pop(0)
            if isinstance(planned, Exception):
                raise planned
            return planned
        texts = self.bodies[-1]["input"]
        if len(texts) > self.max_texts or any(map(self.refuses, texts)):
            return httpx.Response(self.refusal, json={"error": {"message": f"bad {texts}"}})
        return answered(self.change([item(n, text) for n, text in enumerate(texts)]))


def item(index: int, text: str) -> dict[str, Any]:
    """One entry of an answer."""
    return {"object": "embedding", "index": index, "embedding": word_vector(text, DIMENSIONS)}


def answered(data: object) -> httpx.Response:
    """An answer with these entries, non-finite numbers included."""
    return httpx.Response(200, content=json.dumps({"object": "list", "data": data}))
