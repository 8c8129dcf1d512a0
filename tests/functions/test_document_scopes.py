"""Documents belong to one user, and what is in them stands nowhere else."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from everturn.errors import AccessDeniedError, OutcomeUnknownError, UnavailableError
from everturn.ports.object_store import StoredObject
from everturn.values.keys import document_key
from fakes.wrapped_store import Verb
from functions.house import LOCAL, House, Json, fault
from functions.test_documents import SPACE, delete, get, keys_of, put

SECRET = "zebra-4417"
ETAG = '"IjEi"'

Route = Callable[[House, str], httpx.Response]

ROUTES: dict[str, Route] = {
    "get": get,
    "get unless": lambda house, key: get(house, key, if_none_match=ETAG),
    "put over": lambda house, key: put(house, key, 1, if_match=ETAG),
    "delete": delete,
    "delete one": lambda house, key: delete(house, key, if_match=ETAG),
}


def _seen(house: House, route: Route, key: str) -> tuple[int, Json, list[Verb]]:
    house.data.calls.clear()
    response = route(house, key)
    body: Json = response.json()
    body.get("error", {}).pop("request_id", None)
    return response.status_code, body, house.data.verbs()


@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
@pytest.mark.parametrize("suffix", ["", "/hashed"])
def test_a_foreign_an_unknown_and_a_deleted_document_look_alike(
    house: House, route: Route, suffix: str
) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    put(alice, f"foreign{suffix}", "secret")
    put(bob, f"deleted{suffix}", 1)
    delete(bob, f"deleted{suffix}")
    seen = [_seen(bob, route, f"{name}{suffix}") for name in ("foreign", "unknown", "deleted")]
    assert seen[0][0] in {404, 412}
    assert seen[0] == seen[1] == seen[2]
    assert get(alice, f"foreign{suffix}").json()["value"] == "secret"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("acme", "alice"), ("acme", "bob")),
        (("acme", "alice"), ("other", "alice")),
        (("acme", "user1"), ("acme", "user10")),
        (("a", "b/c"), ("a/b", "c")),
    ],
)
def test_equal_keys_of_two_users_are_two_documents(
    house: House, one: tuple[str, str], other: tuple[str, str]
) -> None:
    first, second = (house.acting_as(actor, tenant) for tenant, actor in (one, other))
    for house_, value in ((first, 1), (second, 2)):
        for key in ("a", "/a"):
            assert put(house_, key, value).status_code == 201
    put(second, "only", 3)
    assert keys_of(first) == ["a", "/a"]
    assert keys_of(second) == ["a", "only", "/a"]
    delete(first, "a")
    assert get(second, "a").json()["value"] == 2


def test_the_cursor_of_another_user_shows_ones_own_rows(house: House) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    for number in range(3):
        put(alice, f"a{number}", 1)
        put(bob, f"b{number}", 1)
    cursor = bob.read(SPACE, limit=1)["next_cursor"]
    assert set(keys_of(alice, cursor=cursor)) <= {"a0", "a1", "a2"}


def test_no_key_and_no_metadata_holds_a_value_or_an_id_that_is_a_text(house: House) -> None:
    put(house, f"about {SECRET}", {SECRET: SECRET})
    house.client.put(f"/v1/documents/my%20{SECRET}/a", json={"value": SECRET})
    keys_of(house, prefix=f"about {SECRET}")
    assert len(house.data.calls) > 4
    assert SECRET not in json.dumps(house.data.calls)
    found = house.data.inner.get(document_key(LOCAL, "state", f"about {SECRET}"))
    assert isinstance(found, StoredObject)
    assert SECRET not in json.dumps(dict(found.meta))


def _successes(house: House) -> None:
    etag = put(house, SECRET, {SECRET: [SECRET]}).headers["etag"]
    get(house, SECRET)
    get(house, SECRET, if_none_match=etag)
    put(house, SECRET, SECRET, if_match=etag)
    keys_of(house, prefix=SECRET)
    delete(house, SECRET)


def _refusals(house: House) -> None:
    put(house, SECRET, SECRET * 200_000)
    put(house, SECRET, SECRET, if_match=SECRET)
    put(house, SECRET, SECRET, if_match=ETAG)
    get(house, SECRET)
    delete(house, SECRET)
    house.client.put(f"{SPACE}/{SECRET}", json={SECRET: SECRET, "value": SECRET})
    house.client.put(f"{SPACE}/{SECRET}", content=f'{{"value":"{SECRET}')
    house.client.get(SPACE, params={"cursor": f"{SECRET}/", "limit": SECRET, "prefix": SECRET})


def _faults(house: House) -> None:
    for key in (SECRET, f"/{SECRET}"):
        house.data.inner.overwrite(document_key(LOCAL, "state", key), SECRET.encode())
        assert get(house, key).status_code == 500
    house.client.get(SPACE)

    def raising(error: Exception) -> Callable[[Verb, str, Callable[[], Any]], Any]:
        def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
            del verb, key, send
            raise error

        return step_in

    errors = [
        RuntimeError(SECRET), AccessDeniedError("denied"), UnavailableError("unavailable"),
        OutcomeUnknownError("unknown"),
    ]  # fmt: skip
    for error in errors:
        house.data.step_in = raising(error)
        for response in (*(route(house, SECRET) for route in ROUTES.values()), put(house, "a", 1)):
            assert response.status_code >= 500
            assert SECRET not in response.text


@pytest.mark.parametrize("drive", [_successes, _refusals, _faults])
def test_no_line_that_the_handler_writes_holds_a_value_or_an_id(
    house: House, drive: Callable[[House], None], capfd: pytest.CaptureFixture[str]
) -> None:
    before = len(house.logged().encode())
    drive(house)
    printed, logged = capfd.readouterr(), house.logged(before)
    assert '"Requests"' in printed.out
    if drive is _faults:
        assert "crashed" in logged
    for text in (printed.out, printed.err, logged):
        assert SECRET not in text


def test_writes_and_deletes_are_counted_where_they_happen(
    directory_house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    def counts() -> dict[str, float]:
        (line,) = capsys.readouterr().out.splitlines()
        values: Json = json.loads(line)
        named = set(values) - {"_aws", "service", "RequestDuration"}
        return {name: values[name][0] for name in named}

    put(directory_house, "a", 1)
    assert counts() == {"Requests": 1, "DocumentsWritten": 1}
    put(directory_house, "a", 1, if_none_match="*")
    assert counts() == {"Requests": 1, "ClientErrors": 1}
    keys_of(directory_house)
    assert counts() == {"Requests": 1}
    delete(directory_house, "a")
    assert counts() == {"Requests": 1, "DocumentsDeleted": 1}
    fault(delete(directory_house, "a"), 404)
    assert counts() == {"Requests": 1, "ClientErrors": 1}
