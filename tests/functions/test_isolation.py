"""Two users never see each other: what is foreign, unknown or deleted cannot be told apart."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from everturn.values.keys import Scope
from fakes.wrapped_store import Verb
from functions.house import CONVERSATIONS, House, Json, fault

Route = Callable[[House, str], httpx.Response]

ROUTES: dict[str, Route] = {
    "get": lambda house, id_: house.send("GET", id_),
    "turns": lambda house, id_: house.send("GET", id_, "/turns?last=3"),
    "export": lambda house, id_: house.send("GET", id_, "/export"),
    "patch": lambda house, id_: house.send("PATCH", id_, json={"title": "T"}),
    "delete": lambda house, id_: house.send("DELETE", id_),
}
every_route = pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)


def _seen(house: House, route: Route, id_: str) -> tuple[int, Json, list[Verb]]:
    """Status, body but for the request's id, and the requests to the store."""
    house.data.calls.clear()
    response = route(house, id_)
    body: Json = response.json()
    body.get("error", {}).pop("request_id", None)
    return response.status_code, body, house.data.verbs()


@every_route
@pytest.mark.parametrize("restarted", [False, True])
def test_a_foreign_an_unknown_and_a_deleted_id_look_alike(
    house: House, route: Route, *, restarted: bool
) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("foreign", "secret")
    bob.append("deleted", "a")
    bob.send("DELETE", "deleted")
    if restarted:
        house.parts.forget()
    foreign, unknown, deleted = (
        _seen(bob, route, id_) for id_ in ("foreign", "unknown", "deleted")
    )
    assert foreign[0] == 404
    assert foreign == unknown
    assert deleted[:2] == unknown[:2]
    assert alice.texts("foreign") == ["secret"]


@pytest.mark.parametrize("body", [{}, {"must_exist": True}, {"expected_turn_count": 1}])
def test_an_append_to_a_foreign_id_is_one_to_an_unknown_id(
    house: House, body: dict[str, Any]
) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("foreign", "secret")

    def append(house: House, id_: str) -> httpx.Response:
        return house.append(id_, "mine", **body)

    status, foreign, verbs = _seen(bob, append, "foreign")
    assert (status, verbs) == (_seen(bob, append, "unknown")[0], house.data.verbs())
    assert foreign.get("turn_count", 1) == 1
    assert alice.texts("foreign") == ["secret"]


def test_a_create_of_a_foreign_id_is_one_of_an_unknown_id(house: House) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("foreign", "secret")

    def create(house: House, id_: str) -> httpx.Response:
        return house.client.post(CONVERSATIONS, json={"conversation_id": id_, "title": "T"})

    foreign, unknown = (_seen(bob, create, id_) for id_ in ("foreign", "unknown"))
    assert foreign[0] == unknown[0] == 201
    assert foreign[2] == unknown[2]
    assert foreign[1] == {**unknown[1], "conversation_id": "foreign"}


SCOPES = [
    (("acme", "alice"), ("acme", "bob")),
    (("acme", "alice"), ("other", "alice")),
    (("acme", "user1"), ("acme", "user10")),
    (("a", "b/c"), ("a/b", "c")),
    (("local", "alice"), ("local", "local")),
    (("acme", "Alice"), ("acme", "alice")),
]


@pytest.mark.parametrize(("one", "other"), SCOPES)
def test_equal_ids_of_two_users_are_two_conversations(
    house: House, one: tuple[str, str], other: tuple[str, str]
) -> None:
    first, second = (house.acting_as(actor, tenant) for tenant, actor in (one, other))
    first.append("c1", "first", key="k")
    second.append("c1", "second", key="k")
    second.append("only-second", "x")
    assert first.listed() == ["c1"]
    assert sorted(second.listed()) == ["c1", "only-second"]
    first.send("DELETE", "c1")
    assert first.listed() == []
    assert second.texts("c1") == ["second"]


def test_the_cursor_of_another_user_shows_ones_own_rows(house: House) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    for number in range(3):
        alice.append(f"a{number}", "x")
        bob.append(f"b{number}", "x")
    cursor = bob.read(CONVERSATIONS, limit=1)["next_cursor"]
    assert set(alice.listed(cursor=cursor)) <= {"a0", "a1", "a2"}


def test_a_file_of_one_user_at_the_key_of_another_is_no_way_in(house: House) -> None:
    """Only the id inside a file is compared; the folder says whose it is."""
    bob = Scope("acme", "bob")
    house.place(b'{"conversation_id":"c1","turns":[],"updated":"2026-01-01T00:00:00Z"}', "c2", bob)
    error = fault(house.acting_as("bob").send("GET", "c2"), 500)
    assert error["code"] == "corrupt_record"


@pytest.mark.parametrize("header", ["x-everturn-tenant", "x-everturn-actor"])
@pytest.mark.parametrize("value", ["", " ", "a\tb", "x" * 1_025])
def test_a_user_that_is_no_id_is_refused(directory_house: House, header: str, value: str) -> None:
    headers = {"x-everturn-tenant": "acme", "x-everturn-actor": "bob", header: value}
    response = directory_house.client.get(CONVERSATIONS, headers=headers)
    assert fault(response, 422)["field"] == header
    assert directory_house.data.calls == []
