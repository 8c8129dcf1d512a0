"""Recall, themes and status over HTTP: what is refused, who sees what, and what a fault answers."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from everturn.errors import AccessDeniedError, UnavailableError
from fakes.fake_embedder import FakeEmbedder
from functions.house import House, Json, embedders_of, fault

THEMES = "/v1/themes"
everywhere = pytest.mark.parametrize("id_", ["c1", None], ids=["one", "all"])

WINDOWS: list[tuple[Json, str]] = [
    ({"since": "yesterday"}, "since"),
    ({"since": ""}, "since"),
    ({"since": 1767225600}, "since"),
    ({"until": "2025-06-31T00:00:00Z"}, "until"),
    ({"since": "2025-06-02T00:00:00Z", "until": "2025-06-02T00:00:00Z"}, "since"),
]
REFUSED: list[tuple[Json, str]] = [
    *WINDOWS,
    ({"query": None}, "query"),
    ({"query": ["a"]}, "query"),
    ({"query": 7}, "query"),
    ({"top_k": 0}, "top_k"),
    ({"top_k": -1}, "top_k"),
    ({"top_k": 2.5}, "top_k"),
    ({"top_k": "5"}, "top_k"),
    ({"top_k": True}, "top_k"),
    ({"top_k": None}, "top_k"),
    ({"budget_tokens": 0}, "budget_tokens"),
    ({"budget_tokens": 1e3}, "budget_tokens"),
    ({"exclude_last": -1}, "exclude_last"),
    ({"neighbours": -1}, "neighbours"),
    ({"neighbours": "1"}, "neighbours"),
    ({"min_score": -0.1}, "min_score"),
    ({"min_score": 1.01}, "min_score"),
    ({"min_score": "0.5"}, "min_score"),
    ({"min_score": True}, "min_score"),
    ({"min_score": None}, "min_score"),
    ({"roles": "user"}, "roles"),
    ({"roles": None}, "roles"),
    ({"roles": ["user", 5]}, "roles.1"),
    ({"roles": ["user", "\u200b"]}, "roles.1"),
    ({"explain": 1}, "explain"),
    ({"conversation": "c2"}, "conversation"),
    ({"actor": "bob"}, "actor"),
]


def _refused(house: House, response: httpx.Response, field: str) -> None:
    error = fault(response, 422)
    assert (error["code"], error["field"], error["retryable"]) == ("invalid_request", field, False)
    assert house.data.calls == []


@everywhere
@pytest.mark.parametrize(("body", "field"), REFUSED)
def test_a_wrong_field_is_named_before_any_store_call(
    directory_house: House, body: Json, field: str, id_: str | None
) -> None:
    _refused(directory_house, directory_house.ask(**{"query": "x", "id_": id_} | body), field)


@everywhere
def test_a_body_without_a_query_is_refused(directory_house: House, id_: str | None) -> None:
    path = "/v1/recall" if id_ is None else "/v1/conversations/c1/recall"
    _refused(directory_house, directory_house.client.post(path, json={}), "query")


@everywhere
@pytest.mark.parametrize("score", [0, 1, 0.5, 1e-9])
def test_a_score_is_any_number_from_nought_to_one(
    directory_house: House, score: float, id_: str | None
) -> None:
    directory_house.append("c1", "fish")
    answer = directory_house.recall("fish", id_, min_score=score)
    assert len(answer["hits"]) + answer["filtered"] == 1


@pytest.mark.parametrize("body", ["{", "[]", '"fish"', '{"query": NaN}', ""])
def test_a_body_that_is_no_json_object_is_malformed(directory_house: House, body: str) -> None:
    for path in ("/v1/recall", "/v1/conversations/c1/recall", THEMES):
        headers = {"content-type": "application/json"}
        response = directory_house.client.post(path, content=body, headers=headers)
        assert fault(response, 400)["code"] == "malformed_request"


def test_what_leaves_out_the_newest_turns_belongs_to_one_conversation(house: House) -> None:
    error = fault(house.ask("fish", None, exclude_last=2), 422)
    assert error["field"] == "exclude_last"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        *WINDOWS,
        ({"k": 0}, "k"),
        ({"k": -1}, "k"),
        ({"k": 1.5}, "k"),
        ({"k": None}, "k"),
        ({"query": "x"}, "query"),
    ],
)
def test_a_wrong_field_of_themes_is_named_before_any_store_call(
    directory_house: House, body: Json, field: str
) -> None:
    _refused(directory_house, directory_house.client.post(THEMES, json=body), field)


@pytest.mark.parametrize("id_", ["\t", "x" * 1_025, "a\nb"])
def test_an_id_that_is_none_is_refused(directory_house: House, id_: str) -> None:
    _refused(directory_house, directory_house.ask("fish", id_), "conversation_id")


@pytest.mark.parametrize("query", ["fish", " "])
@pytest.mark.parametrize("restarted", [False, True])
def test_a_foreign_an_unknown_and_a_deleted_id_look_alike(
    house: House, query: str, *, restarted: bool
) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("foreign", "a fish")
    alice.recall("fish", "foreign")
    bob.append("deleted", "a fish")
    bob.recall("fish", "deleted")
    bob.send("DELETE", "deleted")
    if restarted:
        house.parts.forget()

    def seen(id_: str) -> tuple[Json, int]:
        house.data.calls.clear()
        error = fault(bob.ask(query, id_), 404)
        error.pop("request_id")
        return error, len(house.data.calls)

    foreign, unknown, deleted = (seen(id_) for id_ in ("foreign", "unknown", "deleted"))
    assert foreign == unknown
    assert deleted[0] == unknown[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("acme", "alice"), ("acme", "bob")),
        (("acme", "alice"), ("other", "alice")),
        (("acme", "user1"), ("acme", "user10")),
        (("a", "b/c"), ("a/b", "c")),
        (("acme", "Alice"), ("acme", "alice")),
    ],
)
@pytest.mark.parametrize("semantic", [False, True])
def test_users_find_their_own_turns_alone(
    house: House, one: tuple[str, str], other: tuple[str, str], *, semantic: bool
) -> None:
    """Equal ids, one process, one cache of indexes, one derived store."""
    house.parts.embedders = embedders_of(FakeEmbedder(semantic=semantic))
    first, second = (house.acting_as(actor, tenant) for tenant, actor in (one, other))
    first.append("c1", "my fish is golden")
    second.append("c1", "my fish is silver")
    for _ in range(2):
        for id_ in ("c1", None):
            assert [hit["text"] for hit in first.recall("fish", id_)["hits"]] == [
                "my fish is golden"
            ]
            assert [hit["text"] for hit in second.recall("fish", id_)["hits"]] == [
                "my fish is silver"
            ]
        house.parts.forget()


def test_nobody_elses_words_count(house: House) -> None:
    """What others say changes neither what is found nor its score."""
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("c1", "a fish", "a bird")
    before = [alice.recall("fish", id_) for id_ in ("c1", None)]
    bob.append("c1", *[f"fish {number}" for number in range(50)])
    bob.recall("fish", None)
    assert [alice.recall("fish", id_) for id_ in ("c1", None)] == before


@everywhere
@pytest.mark.parametrize(
    ("error", "status"), [(UnavailableError("later"), 503), (AccessDeniedError("no"), 500)]
)
def test_a_data_store_that_does_not_answer_is_a_fault(
    directory_house: House, error: Exception, status: int, id_: str | None
) -> None:
    house = directory_house
    house.append("c1", "a fish")
    house.parts.forget()
    house.data.step_in = _raising(error)
    fault(house.ask("fish", id_), status)


def test_an_index_that_cannot_be_kept_costs_no_hit(house: House) -> None:
    house.parts.embedders = embedders_of(FakeEmbedder())
    house.append("c1", "a fish")
    house.parts.derived.step_in = _raising(AccessDeniedError("no"))
    assert [hit["text"] for hit in house.recall("fish")["hits"]] == ["a fish"]


def test_a_file_that_cannot_be_read_is_corrupt(house: House) -> None:
    house.place(b"{")
    assert fault(house.ask("fish"), 500)["code"] == "corrupt_record"


def _raising(error: Exception) -> Callable[..., Any]:
    def step_in(*_: object) -> Any:  # noqa: ANN401 - any answer
        raise error

    return step_in
