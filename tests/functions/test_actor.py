"""GET /v1/export and DELETE /v1/me: all of one caller, and nobody else's."""

import json

import httpx

from functions.house import House, Json, fault


def _exported(house: House, **params: str | int) -> list[Json]:
    response = house.client.get("/v1/export", params=params)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"
    return [json.loads(line) for line in response.text.splitlines()]


def _put(house: House, key: str) -> httpx.Response:
    return house.client.put(f"/v1/documents/notes/{key}", json={"value": "secret"})


def test_an_export_is_all_of_the_caller_page_by_page(house: House) -> None:
    house.append("c1", "a")
    house.append("tenänt/ü", "b")
    _put(house, "k")
    bob = house.acting_as("bob")
    bob.append("c1", "hers")
    lines = _exported(house)
    assert [line.get("conversation_id") for line in lines] == ["c1", "tenänt/ü", None]
    assert lines[2]["document"]["value"] == "secret"
    first = _exported(house, limit=1)
    assert first[0] == lines[0]
    rest = _exported(house, limit=9, cursor=first[1]["next_cursor"])
    assert rest == lines[1:]
    assert [line["turns"][0]["text"] for line in _exported(bob)] == ["hers"]


def test_an_export_of_nothing_is_empty(house: House) -> None:
    assert _exported(house) == []


def test_what_is_wrong_with_an_export_is_told_as_json(house: House) -> None:
    for params in ({"cursor": "x"}, {"limit": "0"}):
        error = fault(house.client.get("/v1/export", params=params), 422)
        assert error["field"] == next(iter(params))


def test_an_erasure_takes_all_of_the_caller_and_nothing_of_others(house: House) -> None:
    house.append("c1", "secret", "secret")
    house.append("tenänt/ü", "secret")
    house.place(b"{secret", "corrupt")
    _put(house, "k")
    house.listed()
    bob = house.acting_as("bob")
    bob.append("c1", "hers")
    receipt = house.client.delete("/v1/me").json()
    assert receipt["complete"] is True
    counts = receipt["deleted"]
    assert (counts["conversations"], counts["turns"], counts["documents"]) == (2, 3, 1)
    assert counts["unreadable"] == 1
    assert _exported(house) == []
    assert house.listed() == []
    assert bob.texts() == ["hers"]
    fault(house.append("c1", "late"), 410)
    again = house.client.delete("/v1/me").json()
    assert (set(again["deleted"].values()), again["complete"]) == ({0}, True)


def test_a_caller_may_not_erase_somebody_else(house: House) -> None:
    for method, path in (("DELETE", "/v1/me/"), ("DELETE", "/v1/me/bob"), ("POST", "/v1/me")):
        fault(house.client.request(method, path), 404)


def test_an_erasure_refuses_whatever_it_does_not_know(house: House) -> None:
    """Who names another actor, or sends a filter, must not lose all instead."""
    house.append("c1", "a")
    error = fault(house.client.delete("/v1/me", params={"actor": "bob"}), 422)
    assert error["field"] == "actor"
    assert fault(house.client.request("DELETE", "/v1/me", json={"x": 1}), 422)["field"] == "body"
    assert house.listed() == ["c1"]
