"""Cases of one call of an embedder: what the service answers, which texts have vectors then."""

import json
from dataclasses import dataclass, field

import httpx

from cases.case import Case
from everturn.adapters.http.embedder import open_http_embedder
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from functions.house import Json


@dataclass(slots=True)
class _Service:
    """An embedding service as a case describes it; a word is a token."""

    given: Case
    longest: list[int] = field(default_factory=list)
    """Tokens of the longest text of each request."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        texts: list[str] = json.loads(request.content)["input"]
        counts = [len(text.split()) for text in texts]
        self.longest.append(max(counts))
        over_text = max(counts) > self.given.get("model_max_tokens", max(counts))
        over_all = sum(counts) > self.given.get("request_max_tokens", sum(counts))
        if over_text or over_all:
            return httpx.Response(400, json={"error": {"message": "too long"}})
        return httpx.Response(200, json=self._answer(texts))

    def _answer(self, texts: list[str]) -> Json:
        if "provider_response" in self.given and texts == self.given["texts"]:
            answer: Json = self.given["provider_response"]
            return answer
        return {"data": [{"index": number, "embedding": [1.0]} for number in range(len(texts))]}


def probe_embed_batch(case: Case) -> None:
    """Embed the texts of a case with its service, and look at which have a vector."""
    given, asked = case["input"], case["check"]
    service = _Service(given)
    embedder = open_http_embedder(
        url="https://gateway.example/v1",
        key="",
        headers=(),
        model="model",
        clock=ManualClock(),
        entropy=SeededEntropy("case"),
        transport=httpx.MockTransport(service),
    )
    rows = embedder.embed(given["texts"], purpose="passage")
    has = [text for text, row in zip(given["texts"], rows, strict=True) if row.any()]
    assert set(asked["vectors_for"]) <= set(has)
    assert not set(asked.get("failed", [])) & set(has)
    assert rows.shape[1] > 0
    assert max(service.longest) <= asked.get("max_input_tokens", max(service.longest))
