"""The routes of documents over a directory and over S3: values, versions, lists, refusals."""

from typing import Any
from urllib.parse import quote

import httpx
import pytest

from everturn.ports.object_store import StoredObject
from everturn.values.keys import document_key
from functions.house import LOCAL, House, Json, fault

DOCUMENTS = "/v1/documents"
SPACE = f"{DOCUMENTS}/state"
ODD_IDS = ["/memories/notes.md", "a/b", "a?b", "a%2Fb", "%2F", "..", ".", "a b", "+", "{key}",
           "caf\u00e9", "~x", "x" * 1_024, "turns", "a#b", "<key>"]  # fmt: skip


def path_of(key: str, space: str = "state") -> str:
    segments = (quote(id_, safe="").replace(".", "%2E") for id_ in (space, key))
    return "/".join([DOCUMENTS, *segments])


def put(house: House, key: str, value: object, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return house.client.put(path_of(key), json={"value": value}, headers=names)


def get(house: House, key: str, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return house.client.get(path_of(key), headers=names)


def delete(house: House, key: str, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return house.client.delete(path_of(key), headers=names)


def keys_of(house: House, **params: str | int) -> list[str]:
    return [row["key"] for row in house.read(SPACE, **params)["documents"]]


def test_a_document_is_written_read_replaced_and_deleted(house: House) -> None:
    created = put(house, "a", {"n": 1})
    assert created.status_code == 201
    assert set(created.json()) == {"space", "key", "etag", "size", "updated"}
    assert put(house, "a", {"n": 2}).status_code == 200
    read = get(house, "a")
    assert read.status_code == 200
    assert read.headers["content-type"] == "application/json"
    assert read.headers["cache-control"] == "no-store"
    body = read.json()
    assert (body["space"], body["key"], body["value"]) == ("state", "a", {"n": 2})
    assert body["etag"] != created.json()["etag"]
    assert delete(house, "a").json() == {"deleted": {"documents": 1}, "complete": True}
    assert fault(get(house, "a"), 404)["code"] == "not_found"
    assert fault(delete(house, "a"), 404)["code"] == "not_found"


@pytest.mark.parametrize("value", [None, False, 0, 1.5, "", "<&>\u2028", [], [[1], {}], {"": ""}])
def test_any_json_is_a_value(house: House, value: object) -> None:
    assert put(house, "a", value).status_code == 201
    found = get(house, "a").json()["value"]
    assert (found, type(found)) == (value, type(value))


def test_the_etag_stands_in_the_header_and_in_the_answer(house: House) -> None:
    written = put(house, "a", 1)
    etag = written.json()["etag"]
    assert written.headers["etag"] == f'"{etag}"'
    read = get(house, "a")
    assert (read.headers["etag"], read.json()["etag"]) == (f'"{etag}"', etag)
    assert [row["etag"] for row in house.read(SPACE)["documents"]] == [etag]


@pytest.mark.parametrize("quoted", [False, True])
def test_a_known_version_is_not_sent_again(house: House, *, quoted: bool) -> None:
    etag = put(house, "a", 1).json()["etag"]
    shown = f'"{etag}"' if quoted else etag
    same = get(house, "a", if_none_match=shown)
    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["etag"] == f'"{etag}"'
    put(house, "a", 2)
    assert get(house, "a", if_none_match=shown).json()["value"] == 2
    assert get(house, "b", if_none_match=shown).status_code == 404


def test_a_write_with_a_stale_etag_is_refused(house: House) -> None:
    first = put(house, "a", 1).headers["etag"]
    second = put(house, "a", 2, if_match=first)
    assert second.status_code == 200
    for refused in (put(house, "a", 3, if_match=first), delete(house, "a", if_match=first)):
        error = fault(refused, 412)
        assert (error["code"], error["retryable"]) == ("precondition_failed", False)
    assert get(house, "a").json()["value"] == 2
    assert delete(house, "a", if_match=second.headers["etag"]).status_code == 200
    assert fault(delete(house, "a", if_match=second.headers["etag"]), 404)


def test_a_create_is_refused_where_a_document_is(house: House) -> None:
    assert put(house, "a", 1, if_none_match="*").status_code == 201
    assert fault(put(house, "a", 2, if_none_match="*"), 412)["code"] == "precondition_failed"
    etag = get(house, "a").headers["etag"]
    delete(house, "a")
    assert fault(put(house, "a", 3, if_match=etag), 412)
    assert put(house, "a", 4, if_none_match="*").status_code == 201


@pytest.mark.parametrize(
    ("method", "headers", "field"),
    [
        ("PUT", {"If-Match": "*"}, "If-Match"),
        ("PUT", {"If-Match": '"not ours"'}, "If-Match"),
        ("PUT", {"If-None-Match": '"IjEi"'}, "If-None-Match"),
        ("PUT", {"If-None-Match": "*", "If-Match": "IjEi"}, "If-None-Match"),
        ("DELETE", {"If-Match": "*"}, "If-Match"),
        ("GET", {"If-None-Match": "*"}, "If-None-Match"),
    ],
)
def test_a_condition_that_is_none_is_refused_before_any_request(
    directory_house: House, method: str, headers: dict[str, str], field: str
) -> None:
    body = {"value": 1} if method == "PUT" else None
    response = directory_house.client.request(method, path_of("a"), headers=headers, json=body)
    assert fault(response, 422)["field"] == field
    assert directory_house.data.calls == []


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({}, 422, "value"),
        ({"value": 1, "space": "x"}, 422, "space"),
        ([1], 400, None),
        ({"value": "x" * 1_048_576}, 413, "value"),
        ({"value": "x" * 3_200_000}, 413, None),
    ],
)
def test_a_body_that_holds_no_value_is_refused(
    directory_house: House, body: object, status: int, field: str | None
) -> None:
    error = fault(directory_house.client.put(path_of("a"), json=body), status)
    assert error.get("field") == field
    assert directory_house.data.calls == []


def test_a_value_nested_too_deeply_is_refused(directory_house: House) -> None:
    value: list[Any] = []
    for _ in range(70):
        value = [value]
    assert fault(put(directory_house, "a", value), 422)["field"] == "value"


@pytest.mark.parametrize("id_", ODD_IDS, ids=lambda id_: ascii(id_)[:30])
def test_any_id_names_one_document_on_all_routes(house: House, id_: str) -> None:
    for key, space in ((id_, "state"), ("k", id_)):
        path = path_of(key, space)
        assert house.client.put(path, json={"value": id_}).status_code == 201
        read = house.client.get(path).json()
        assert (read["space"], read["key"], read["value"]) == (space, key, id_)
        folder = f"{DOCUMENTS}/{quote(space, safe='').replace('.', '%2E')}"
        assert [row["key"] for row in house.read(folder)["documents"]] == [key]
        assert house.client.delete(path).status_code == 200
        assert house.read(folder) == {"documents": [], "skipped": 0}


@pytest.mark.parametrize("id_", ["\t", " ", "a\nb", "x" * 1_025])
def test_an_id_that_cannot_be_one_is_refused_before_any_request(
    directory_house: House, id_: str
) -> None:
    client = directory_house.client
    for field, path in (("key", path_of(id_)), ("space", path_of("a", id_))):
        responses = client.get(path), client.put(path, json={"value": 1}), client.delete(path)
        assert [fault(response, 422)["field"] for response in responses] == [field] * 3
    assert fault(client.get(path_of("", id_)[:-1]), 422)["field"] == "space"
    assert directory_house.data.calls == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", DOCUMENTS),
        ("GET", f"{DOCUMENTS}/"),
        ("GET", f"{SPACE}/"),
        ("PUT", SPACE),
        ("DELETE", SPACE),
        ("POST", f"{SPACE}/a"),
        ("PATCH", f"{SPACE}/a"),
        ("GET", f"{SPACE}/a/b"),
    ],
)
def test_what_is_no_route_is_not_found_and_touches_nothing(
    directory_house: House, method: str, path: str
) -> None:
    fault(directory_house.client.request(method, path), 404)
    assert directory_house.data.calls == []


def test_a_list_is_walked_by_prefix_and_cursor(house: House) -> None:
    names = ["/memories/a.md", "/memories/b.md", "/other.md", "a", "b", "notes"]
    for name in names:
        put(house, name, name)
    assert sorted(keys_of(house)) == names
    assert keys_of(house)[:3] == names[3:]
    assert sorted(keys_of(house, prefix="/memories/")) == names[:2]
    assert keys_of(house, prefix="n") == ["notes"]
    page: Json = house.read(SPACE, limit=2)
    walked = [row["key"] for row in page["documents"]]
    while "next_cursor" in page:
        page = house.read(SPACE, limit=2, cursor=page["next_cursor"])
        walked += [row["key"] for row in page["documents"]]
    assert sorted(walked) == names
    assert set(house.read(SPACE, limit=1)["documents"][0]) == {"key", "etag", "size", "updated"}


@pytest.mark.parametrize(
    "params", [{"limit": 0}, {"limit": "x"}, {"cursor": "zzz"}, {"values": "maybe"}]
)
def test_a_list_refuses_what_it_cannot_read(
    directory_house: House, params: dict[str, str | int]
) -> None:
    error = fault(directory_house.client.get(SPACE, params=params), 422)
    assert error["field"] == next(iter(params))


def test_a_document_that_cannot_be_read_is_reported_and_kept(house: House) -> None:
    put(house, "/good", 1)
    for key in ("/bad", "bad"):
        house.data.inner.overwrite(document_key(LOCAL, "state", key), b"{")
        for response in (get(house, key), put(house, key, 2)):
            assert fault(response, 500)["code"] == "corrupt_record"
    page = house.read(SPACE)
    assert ([row["key"] for row in page["documents"]], page["skipped"]) == (["bad", "/good"], 1)
    found = house.data.inner.get(document_key(LOCAL, "state", "bad"))
    assert isinstance(found, StoredObject)
    assert found.body == b"{"
