"""Cases of one retrieve: what is remembered, what is asked, what must come.

Each holds without a model as well as with one to which all memories are as near.
"""

import re
from collections.abc import Callable
from typing import Any, Final

import httpx

from cases.adapter import TENANT
from cases.case import Case
from cases.outcome import REFUSED
from everturn.adapters.hash_embedder import HashEmbedder
from everturn.ports.embedder import Embedder
from everturn.values.token_estimate import count_tokens
from fakes.planned_embedder import PlannedEmbedder
from functions.house import House, Json, embedders_of
from functions.remembered import MEMORIES

RETRIEVE: Final = f"{MEMORIES}/retrieve"
_DATED: Final = re.compile(r" \(since \d{4}-\d{2}-\d{2}")
# Names of the cases -> ours.
_ASKED: Final = {"k": "top_k", "budget_tokens": "budget_tokens", "min_score": "min_score"}


def probe_retrieve(house: House, case: Case) -> None:
    """Remember what a case wants remembered, ask what it asks, and look at the answers."""
    given, asked = case["input"], case["check"]
    models: dict[str, Embedder] = {
        "words": HashEmbedder(),
        "vectors": PlannedEmbedder(plan=lambda _, use: (0.8, 0.6) if use == "passage" else (1, 0)),
    }
    for name, model in models.items():
        house.parts.embedders = embedders_of(model)
        user = house.acting_as(f"{given.get('as', 'user-a')}-{name}", TENANT)
        for memory in given["memories"]:
            house.clock.sleep(1)
            response = user.client.post(MEMORIES, json=_draft(memory))
            assert response.is_success, response.text
        body = {"query": given["query"]}
        body |= {ours: given[theirs] for theirs, ours in _ASKED.items() if theirs in given}
        answer = user.client.post(RETRIEVE, json=body)
        for word, wanted in asked.items():
            _CHECKS[word](answer, wanted)


def _draft(memory: Json) -> Json:
    """A memory as it is remembered: what is said of when it was made is since when it holds."""
    draft = {"kind": memory.get("kind", "fact"), "statement": memory["text"]}
    return draft | ({"valid_from": memory["created_at"]} if "created_at" in memory else {})


def texts_of(answer: httpx.Response) -> list[str]:
    """The texts of the snippets, best first."""
    assert answer.status_code == 200, answer.text
    return [snippet["text"] for snippet in answer.json()["snippets"]]


def _first_contains(answer: httpx.Response, wanted: str) -> None:
    assert wanted in texts_of(answer)[0]


def _dated(answer: httpx.Response, _: object) -> None:
    assert all(map(_DATED.search, texts_of(answer)))


def _distinct(answer: httpx.Response, _: object) -> None:
    assert len(set(texts_of(answer))) == len(texts_of(answer)) > 0


def _contains(answer: httpx.Response, wanted: list[str]) -> None:
    assert set(wanted) <= set(texts_of(answer))


def _max_tokens(answer: httpx.Response, wanted: int) -> None:
    assert sum(map(count_tokens, texts_of(answer))) <= wanted


def _count(answer: httpx.Response, wanted: int) -> None:
    assert len(texts_of(answer)) == wanted


def _falling(answer: httpx.Response, wanted: str) -> None:
    assert wanted == "desc"
    scores = [snippet["score"] for snippet in answer.json()["snippets"]]
    assert scores == sorted(scores, reverse=True)


def _result(answer: httpx.Response, wanted: list[str]) -> None:
    refused = answer.status_code in REFUSED
    assert ("400" if refused else "empty") in wanted
    assert refused or not texts_of(answer)


def _soft(answer: httpx.Response, _: object) -> None:
    """Paraphrases of one source may both come: to tell them apart needs a model."""
    assert texts_of(answer)


_CHECKS: Final[dict[str, Callable[[httpx.Response, Any], None]]] = {
    "contains": _contains,
    "count": _count,
    "dated": _dated,
    "distinct_texts": _distinct,
    "first_contains": _first_contains,
    "max_total_tokens": _max_tokens,
    "result": _result,
    "score_order": _falling,
    "soft": _soft,
}
