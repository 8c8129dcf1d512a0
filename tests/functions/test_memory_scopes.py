"""Memories belong to one user: nobody else lists, reads, changes, finds or counts them."""

from collections.abc import Callable

import httpx
import pytest

from fakes.wrapped_store import Verb
from functions.house import House, Json, fault
from functions.remembered import (
    MEMORIES,
    NOBODY,
    SPEC,
    at,
    found,
    post,
    prove,
    remember,
    retrieve,
    send,
    statements,
)  # fmt: skip

Route = Callable[[House, str], httpx.Response]

ROUTES: dict[str, Route] = {
    "get": lambda house, rid: house.client.get(at(rid)),
    "correct": lambda house, rid: house.client.patch(at(rid), json={"statement": "x"}),
    "respec": lambda house, rid: house.client.patch(at(rid), json={"spec": SPEC}),
    "pin": lambda house, rid: house.client.patch(at(rid), json={"pinned": True}),
    "weigh": lambda house, rid: house.client.patch(at(rid), json={"importance": 1}),
    "forget": lambda house, rid: house.client.delete(at(rid)),
    "outcome": lambda house, rid: house.client.post(
        at(rid, "/outcomes"), json={"status": "success"}
    ),
    "promote": lambda house, rid: house.client.post(at(rid, "/promote"), json={}),
}
SCOPES = [
    (("acme", "alice"), ("acme", "bob")),
    (("acme", "alice"), ("other", "alice")),
    (("acme", "user1"), ("acme", "user10")),
    (("a", "b/c"), ("a/b", "c")),
    (("local", "alice"), ("local", "local")),
    (("acme", "Alice"), ("acme", "alice")),
]


def _seen(house: House, route: Route, rid: str) -> tuple[Json, list[Verb]]:
    house.data.calls.clear()
    error = fault(route(house, rid), 404)
    error.pop("request_id")
    return error, house.data.verbs()


@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
@pytest.mark.parametrize("restarted", [False, True])
def test_a_foreign_an_unknown_and_a_forgotten_memory_look_alike(
    house: House, route: Route, *, restarted: bool
) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    foreign = prove(alice)
    forgotten = prove(bob, name="Forgotten")["id"]
    assert bob.client.delete(at(forgotten)).is_success
    house.clock.sleep(1)
    bob.read(MEMORIES)
    if restarted:
        house.parts.forget()
        bob.read(MEMORIES)
    seen = [_seen(bob, route, rid) for rid in (foreign["id"], NOBODY, forgotten)]
    assert seen[0] == seen[1]
    assert seen[0][0] == seen[2][0]
    assert alice.read(at(foreign["id"]))["memory"] == foreign


@pytest.mark.parametrize(("one", "other"), SCOPES)
def test_the_same_statement_of_two_users_is_two_memories(
    house: House, one: tuple[str, str], other: tuple[str, str]
) -> None:
    """The same id, one process, one cache, one derived store."""
    first, second = (house.acting_as(actor, tenant) for tenant, actor in (one, other))
    mine = remember(first, "Tea, no coffee.", source={"conversation_id": "c1"})
    theirs = remember(second, "Tea, no coffee.", source={"conversation_id": "c2"})
    assert mine["id"] == theirs["id"]
    assert (mine["count"], theirs["count"]) == (1, 1)
    remember(second, "A secret of the second.")
    for _ in range(2):
        assert statements(first) == ["Tea, no coffee."]
        assert statements(second) == ["A secret of the second.", "Tea, no coffee."]
        house.parts.forget()
    assert first.client.delete(at(mine["id"])).is_success
    assert second.read(at(theirs["id"]))["memory"] == theirs


@pytest.mark.parametrize(("one", "other"), SCOPES)
def test_nothing_of_another_user_is_found_or_put_into_a_prompt(
    house: House, one: tuple[str, str], other: tuple[str, str]
) -> None:
    first, second = (house.acting_as(actor, tenant) for tenant, actor in (one, other))
    secret = "zebra-4417"
    for kind in ("fact", "event", "preference", "goal"):
        remember(second, f"The {kind} is {secret}.", kind, subject="user", pinned=True)
    remember(second, f"Never say {secret}.", "constraint", hard=True, subject="user")
    prove(second, name=secret)
    second.append("c1", f"I say {secret}")
    remember(first, "The word is fish.")
    for _ in range(2):
        for query in (secret, "fact", " "):
            assert secret not in " ".join(found(retrieve(first, query, top_k=100)))
            assert secret not in str(post(first, "/v1/context", query=query))
        assert secret not in str(post(first, "/v1/memories/pinned"))
        assert post(first, "/v1/memories/procedural")["patterns"] == []
        assert secret in str(retrieve(second, secret))
        house.parts.forget()


def test_nobody_elses_memories_change_a_score(house: House) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    remember(alice, "The deploy port is 8080.")
    remember(alice, "The cat is called Miezi.")
    before = retrieve(alice, "deploy port", explain=True)
    for number in range(30):
        remember(bob, f"The deploy port of {number} is {number}.")
    retrieve(bob, "deploy port")
    assert retrieve(alice, "deploy port", explain=True) == before


def test_the_cursor_of_another_user_shows_ones_own_rows(house: House) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    for number in range(3):
        remember(alice, f"a{number}")
        remember(bob, f"b{number}")
    cursor = bob.read(MEMORIES, limit=1)["next_cursor"]
    assert set(statements(alice, cursor=cursor)) <= {"a0", "a1", "a2"}


def test_a_context_of_a_foreign_conversation_is_one_of_an_unknown_one(house: House) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("foreign", "a secret")
    remember(bob, "The word is fish.")

    def seen(id_: str) -> tuple[int, Json]:
        body = {"query": "fish secret", "conversation_id": id_}
        response = bob.client.post("/v1/context", json=body)
        answer: Json = response.json()
        answer.get("error", {}).pop("request_id", None)
        return response.status_code, answer

    assert seen("foreign") == seen("unknown")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_user_that_is_no_id_is_refused(directory_house: House, method: str) -> None:
    headers = {"x-everturn-tenant": "acme", "x-everturn-actor": " "}
    response = directory_house.client.request(method, MEMORIES, headers=headers)
    assert fault(response, 422)["field"] == "x-everturn-actor"
    assert directory_house.data.calls == []


def test_what_is_remembered_of_a_conversation_of_another_user_is_ones_own(house: House) -> None:
    """A source is an id in the scope of whoever remembers it."""
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("c1", "a secret")
    alice.send("DELETE", "c1")
    response = send(bob, kind="fact", statement="x", source={"conversation_id": "c1"})
    assert response.status_code == 201
