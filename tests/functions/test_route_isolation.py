"""On every route a foreign, an unknown and a deleted name look alike: status, body, requests."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final, Literal, TypeAlias

import pytest

from fakes.wrapped_store import Verb
from functions.every_route import BY_ROUTE, ROUTES, Call, call, said
from functions.house import House, Json
from functions.remembered import NOBODY, remember

Name: TypeAlias = Literal["foreign", "unknown", "deleted"]
NAMES: Final[tuple[Name, ...]] = ("foreign", "unknown", "deleted")
# It comes behind all names that are asked for, so that a list looks equally far for each.
OWN: Final = "zebra-1"
World: TypeAlias = dict["Name", tuple[House, Mapping[str, str]]]
Seen: TypeAlias = tuple[int, str, Counter[tuple[str, Verb]]]


@dataclass(frozen=True, slots=True)
class Named:
    """A request that names something by `by`, and the status that it gets for what is not there.

    `deleted` is the status for what its own user deleted, where that user sees something else than
    for what never was: a tombstone or a trace is nobody else's to see.
    """

    call: Call
    status: int
    by: Literal["id", "rid", "key"] = "id"
    deleted: int | None = None


def _named(route: str, status: int = 404, **fields: object) -> Named:
    return Named(BY_ROUTE[route], status, **fields)  # type: ignore[arg-type]  # the fields of Named


_OWN_LIST, _OWN_WALK = "lists what is one's own", "walks what is one's own"
TABLE: Final[dict[str, tuple[Named, ...] | str]] = {
    "GET /v1/conversations": _OWN_LIST,
    "GET /v1/turns/recent": _OWN_LIST,
    "GET /v1/status": "tells of the deployment",
    "GET /v1/export": _OWN_WALK,
    "DELETE /v1/me": "takes no names",
    "POST /v1/recall": "searches what is one's own",
    "POST /v1/themes": "searches what is one's own",
    "GET /v1/memories": _OWN_LIST,
    "POST /v1/memories/retrieve": "searches what is one's own",
    "POST /v1/memories/pinned": "reads what is one's own",
    "POST /v1/memories/procedural": "searches what is one's own",
    # Created anew in the place of its tombstone, whose time it follows.
    "POST /v1/conversations": (_named("POST /v1/conversations", 201, deleted=201),),
    "GET /v1/conversations/{id}": (_named("GET /v1/conversations/{id}"),),
    "PATCH /v1/conversations/{id}": (_named("PATCH /v1/conversations/{id}"),),
    "DELETE /v1/conversations/{id}": (_named("DELETE /v1/conversations/{id}"),),
    "GET /v1/conversations/{id}/export": (_named("GET /v1/conversations/{id}/export"),),
    "GET /v1/conversations/{id}/turns": (_named("GET /v1/conversations/{id}/turns"),),
    # Whoever deleted a conversation is told so when something is appended: nobody else sees it.
    "POST /v1/conversations/{id}/turns": (
        _named("POST /v1/conversations/{id}/turns", 200, deleted=410),
        Named(
            Call("POST /v1/conversations/{id}/turns", {**said("x"), "must_exist": True}),
            404, deleted=410,
        ),
        Named(
            Call("POST /v1/conversations/{id}/turns", {**said("x"), "expected_turn_count": 1}),
            409, deleted=410,
        ),
    ),
    "POST /v1/conversations/{id}/recall": (_named("POST /v1/conversations/{id}/recall"),),
    "POST /v1/conversations/{id}/consolidate": (_named("POST /v1/conversations/{id}/consolidate"),),
    "PATCH /v1/conversations/{id}/turns/{number}": (
        _named("PATCH /v1/conversations/{id}/turns/{number}"),
    ),
    "DELETE /v1/conversations/{id}/turns/last": (
        _named("DELETE /v1/conversations/{id}/turns/last"),
    ),
    # A memory of what was deleted would not go with it.
    "POST /v1/memories": (_named("POST /v1/memories", 201, deleted=410),),
    "GET /v1/memories/{rid}": (_named("GET /v1/memories/{rid}", by="rid"),),
    "PATCH /v1/memories/{rid}": tuple(
        Named(Call("PATCH /v1/memories/{rid}", body), 404, "rid")
        for body in ({"pinned": True}, {"importance": 1}, {"statement": "x"}, {"spec": "a step"})
    ),
    # The second time ends what the first may have left: rows of the index.
    "DELETE /v1/memories/{rid}": (_named("DELETE /v1/memories/{rid}", by="rid", deleted=404),),
    "POST /v1/memories/{rid}/outcomes": (_named("POST /v1/memories/{rid}/outcomes", by="rid"),),
    "POST /v1/memories/{rid}/promote": (_named("POST /v1/memories/{rid}/promote", by="rid"),),
    "POST /v1/context": (_named("POST /v1/context", 200),),
    "GET /v1/documents/{space}": (_named("GET /v1/documents/{space}", 200, by="key"),),
    "GET /v1/documents/{space}/{key}": (_named("GET /v1/documents/{space}/{key}", by="key"),),
    "PUT /v1/documents/{space}/{key}": (
        _named("PUT /v1/documents/{space}/{key}", 201, by="key"),
        Named(
            Call("PUT /v1/documents/{space}/{key}", {"value": 2}, headers={"If-Match": '"IjEi"'}),
            412, "key",
        ),
    ),
    "DELETE /v1/documents/{space}/{key}": (_named("DELETE /v1/documents/{space}/{key}", by="key"),),
}  # fmt: skip
"""By route: the requests that name something, or why it names nothing."""

ROWS: Final = [row for rows in TABLE.values() if not isinstance(rows, str) for row in rows]


def _world(house: House) -> World:
    """Three users with the same things, and what each is to ask for: another's, nobody's, gone."""
    foreign = _keep(house.acting_as("alice"), "foreign")
    world: World = {}
    for number, name in enumerate(NAMES):
        bob = house.acting_as(f"bob-{number}")
        gone = _keep(bob, "deleted")
        call(bob, "DELETE /v1/documents/{space}/{key}", key="deleted")
        call(bob, "DELETE /v1/memories/{rid}", rid=gone)
        call(bob, "DELETE /v1/conversations/{id}", id="deleted")
        _keep(bob, OWN)
        rid = {"foreign": foreign, "unknown": NOBODY, "deleted": gone}[name]
        world[name] = bob, {"id": name, "key": name, "rid": rid}
    return world


def _keep(house: House, name: str) -> str:
    """Keep a conversation, a document and a pattern of this name; the id of the last."""
    house.append(name, f"{name} text")
    call(house, "PUT /v1/documents/{space}/{key}", key=name)
    return str(remember(house, f"Do {name}.", "pattern")["id"])


def _seen(house: House, row: Named, asker: House, names: Mapping[str, str]) -> Seen:
    """Status, body but for what differs with any name, requests by store and verb."""
    doors = {"data": house.parts.data, "derived": house.parts.derived}
    for door in doors.values():
        door.calls.clear()
    name = names[row.by]
    response = row.call.send(asker, **{"id": OWN, "key": OWN, "rid": NOBODY, row.by: name})
    requests = Counter((store, verb) for store, door in doors.items() for verb in door.verbs())
    body: Json = json.loads(response.text.splitlines()[-1])
    request_id = body.get("error", {}).get("request_id", "-")
    # The etag of S3 is a hash of what is stored, the document's key included.
    varying = (request_id, name, body.get("etag", "-"))
    text = reduce(lambda text, word: text.replace(word, ""), varying, response.text)
    return response.status_code, text, requests


def _id(row: Named) -> str:
    return f"{row.call.route} {row.call.body or ''}"


def test_the_table_knows_every_route_of_the_template() -> None:
    assert sorted(TABLE) == sorted(ROUTES)
    for route, rows in TABLE.items():
        names_something = "{" in route
        assert not (names_something and isinstance(rows, str))


def _compare(house: House, row: Named, *, restarted: bool) -> None:
    world = _world(house)
    for asker, _ in world.values():
        asker.read("/v1/memories")
    if restarted:
        house.parts.forget()
    seen = {name: _seen(house, row, *world[name]) for name in NAMES}
    assert seen["foreign"] == seen["unknown"]
    assert seen["unknown"][0] == row.status
    if row.deleted is None:
        assert seen["deleted"] == seen["unknown"]
    assert seen["deleted"][0] == (row.deleted or row.status)
    assert house.acting_as("alice").texts("foreign") == ["foreign text"]


every_row = pytest.mark.parametrize("row", ROWS, ids=_id)


@every_row
@pytest.mark.parametrize("restarted", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_is_foreign_unknown_or_deleted_cannot_be_told_apart(
    directory_house: House, row: Named, *, restarted: bool
) -> None:
    _compare(directory_house, row, restarted=restarted)


@pytest.mark.slow
@every_row
@pytest.mark.parametrize("restarted", [False, True])
def test_nor_can_it_over_s3(s3_house: House, row: Named, *, restarted: bool) -> None:
    _compare(s3_house, row, restarted=restarted)


CURSORS: Final = {
    "GET /v1/conversations", "GET /v1/turns/recent", "GET /v1/memories", "GET /v1/export",
    "GET /v1/documents/{space}",
}  # fmt: skip


def test_every_route_that_takes_a_cursor_is_known() -> None:
    """Each list of one's own: what a cursor names is a place, not a thing."""
    lists = {route for route, rows in TABLE.items() if rows in (_OWN_LIST, _OWN_WALK)}
    assert lists | {"GET /v1/documents/{space}"} == CURSORS


@pytest.mark.parametrize("route", sorted(CURSORS))
@pytest.mark.parametrize("restarted", [False, True])
def test_the_cursor_of_another_user_is_but_a_place_in_ones_own_list(
    directory_house: House, route: str, *, restarted: bool
) -> None:
    """It answers the same, by as many requests, whether that user is there or not."""
    house = directory_house
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    for user, name in ((alice, "hers"), (bob, "his")):
        for number in range(3):
            _keep(user, f"{name}-{number}")
    page = Call(route, query={"limit": "1"}).send(alice).text
    cursor = json.loads(page.splitlines()[-1])["next_cursor"]
    asked = Named(Call(route, query={"limit": "9", "cursor": cursor}), 200)
    _seen(house, asked, bob, {"id": "-"})
    if restarted:
        house.parts.forget()
    before = _seen(house, asked, bob, {"id": "-"})
    call(alice, "DELETE /v1/me")
    if restarted:
        house.parts.forget()
    assert _seen(house, asked, bob, {"id": "-"}) == before
    assert before[0] == 200
    assert "hers" not in before[1]
