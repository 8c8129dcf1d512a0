"""Cases of one recall: what is stored with which vectors, what is asked, what must come."""

import json
import math
from collections.abc import Callable
from itertools import groupby
from typing import Any, Final

import httpx

from cases.adapter import TENANT
from cases.case import Case
from cases.outcome import REFUSED
from everturn.values.token_estimate import count_tokens
from fakes.planned_embedder import Plan, PlannedEmbedder
from functions.house import House, Json, embedders_of

_RECALL: Final = "/v1/recall"
# Shares no word with any text: where a case gives vectors, those alone decide.
_WORDLESS: Final = "???"
# A caller that wants no noise asks for more than this.
_NOISE: Final = 0.5
_MODEL, _DIMENSIONS = "planned", 64


def probe_recall(house: House, case: Case) -> None:
    """Store what a case wants stored, ask what it asks, and look at the answers."""
    given, asked = case["input"], case["check"]
    embedder = _store(house, given)
    calls = embedder.calls
    user = house.acting_as(given.get("as", "user-a"), TENANT)
    answers = [user.client.post(_RECALL, json=body) for body in _bodies(given)]
    assert max(answer.status_code for answer in answers) < 500
    for word, wanted in asked.items():
        if word == "embed_calls":
            assert embedder.calls - calls == wanted
        else:
            _CHECKS[word](answers, wanted)


def _bodies(given: Case) -> list[Json]:
    """One body for each query and for each budget; None as a budget is a body without one."""
    body: Json = {"query": given.get("query", _default_query(given))}
    body |= {"top_k": given["k"]} if "k" in given else {}
    body |= {name: given[name] for name in ("min_score", "budget_tokens") if name in given}
    if "queries" in given:
        return [{**body, "query": query} for query in given["queries"]]
    if "budgets" in given:
        changes = [{"budget_tokens": budget} for budget in given["budgets"]]
        return [
            body | {name: value for name, value in change.items() if value is not None}
            for change in changes
        ]
    return [body]


def _default_query(given: Case) -> str:
    """Without a query the vectors of a case decide alone, and without those its first text."""
    has_vectors = "query_vector" in given or "tenants" in given
    first = next(iter(_by_owner(given).values()))[0]["text"]
    return _WORDLESS if has_vectors else first


def _store(house: House, given: Case) -> PlannedEmbedder:
    """Append every item, embedded by its model; return the embedder of the query."""
    plan = _plan(given)

    def embedder(model: str, dimensions: int) -> PlannedEmbedder:
        used = PlannedEmbedder(model, dimensions, plan=plan)
        house.parts.embedders = embedders_of(used)
        return used

    for user, items in _by_owner(given).items():
        other = house.acting_as(user, TENANT)
        for made_by, made in groupby(items, key=_model_of):
            embedder(*made_by)
            assert other.append("c1", *[item["text"] for item in made]).is_success
            other.recall(_WORDLESS, None)
    return embedder(given.get("query_model", _MODEL), given.get("query_dim", _DIMENSIONS))


def _model_of(item: Json) -> tuple[str, int]:
    return item.get("model", _MODEL), item.get("dim", _DIMENSIONS)


def _plan(given: Case) -> Plan:
    vectors = {item["text"]: _vector(item) for own in _by_owner(given).values() for item in own}
    asked = given.get("query_vector", [1.0, 0.0] if any(vectors.values()) else None)
    return lambda text, purpose: asked if purpose == "query" else vectors[text]


def _by_owner(given: Case) -> dict[str, list[Json]]:
    if "tenants" in given:
        return {user: _numbered(user, **has) for user, has in given["tenants"].items()}
    texts = [{"text": text} for text in given.get("corpus", [])]
    items = [*texts, *given.get("corpus_items", []), *given.get("stored", [])]
    return {given.get("as", "user-a"): items}


def _numbered(user: str, *, count: int, similarity: float) -> list[Json]:
    return [{"text": f"{user} number {n}", "similarity": similarity} for n in range(count)]


def _vector(item: Json) -> list[float] | None:
    """The vector of an item, of that similarity to [1, 0] where only this is given."""
    if "similarity" in item:
        return [item["similarity"], math.sqrt(1.0 - item["similarity"] ** 2)]
    vector: list[float] | None = item.get("vector")
    return vector


Answers = list[httpx.Response]


def _texts(answers: Answers) -> list[str]:
    return [hit["text"] for answer in answers for hit in answer.json()["hits"]]


def _scores(answers: Answers) -> list[float]:
    return [hit["score"] for answer in answers for hit in answer.json()["hits"]]


def _result(answers: Answers, wanted: list[str]) -> None:
    assert wanted == ["400", "empty"]
    for answer in answers:
        assert answer.status_code in REFUSED or answer.json()["hits"] == []


def _contains(answers: Answers, wanted: list[str]) -> None:
    assert set(wanted) <= set(_texts(answers))


def _equal_texts(answers: Answers, wanted: list[str]) -> None:
    assert _texts(answers) == wanted


def _distinct_texts(answers: Answers, _: object) -> None:
    assert len(set(_texts(answers))) == len(_texts(answers)) > 0


def _descending(answers: Answers, wanted: str) -> None:
    assert wanted == "desc"
    assert _scores(answers) == sorted(_scores(answers), reverse=True)
    assert all(0.0 < score <= 1.0 for score in _scores(answers))


def _strict(answers: Answers, _: object) -> None:
    def refuse(constant: str) -> object:
        raise AssertionError(constant)

    for answer in answers:
        json.loads(answer.content, parse_constant=refuse)
        assert all(math.isfinite(score) for score in _scores([answer]))


def _low_scores(answers: Answers, _: object) -> None:
    assert all(score < _NOISE for score in _scores(answers))


def _max_tokens(answers: Answers, wanted: int) -> None:
    assert sum(map(count_tokens, _texts(answers))) <= wanted


def _not_empty(answers: Answers, _: object) -> None:
    assert _texts(answers)


def _count(answers: Answers, wanted: int) -> None:
    assert len(_texts(answers)) == wanted


def _only_of(answers: Answers, wanted: str) -> None:
    assert all(text.startswith(f"{wanted} ") for text in _texts(answers))


def _no_5xx(answers: Answers, _: object) -> None:
    assert all(answer.status_code < 500 for answer in answers)


_CHECKS: Final[dict[str, Callable[[Answers, Any], None]]] = {
    "contains": _contains,
    "count": _count,
    "distinct_texts": _distinct_texts,
    "empty_or_scored": _low_scores,
    "max_total_tokens": _max_tokens,
    "no_5xx": _no_5xx,
    "no_nan": _strict,
    "non_empty": _not_empty,
    "only_tenant": _only_of,
    "result": _result,
    "score_order": _descending,
    "strict_json": _strict,
    "texts": _equal_texts,
}
