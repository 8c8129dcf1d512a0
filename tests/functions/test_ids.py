"""Ids of every kind: one id addresses one conversation on all routes, or is refused on all."""

import httpx
import pytest

from functions.house import CONVERSATIONS, House, fault

KEPT = [
    "c1", "C1", "c1.json", "a/b", "/", "a?b", "c1?admin=true#x", "a#b", "a%2Fb", "%2F", "%252F",
    "%00", "%20", "..", ".", "...", "../../acme/bob/c1", "a b", " padded ", "a+b", "a&b=c", "a;b",
    "a,b", "{id}", "<id_>", "~c1", "_c1", "-c1", ".c1", "turns", "export", "null", "C:\\x", "a:b",
    "'\"`$(x)", "caf\u00e9", "日本語", "👨\u200d👩\u200d👧", "a\u202eb", "\ufffd",
    "x" * 128, "x" * 129, "x" * 1_024, "é" * 512,
]  # fmt: skip
REFUSED = ["\t", " ", "\u200b", "a\nb", "c1\r\nX-Evil: 1", "\x00", "\x7f", "\x85", "x" * 1_025,
           "é" * 512 + "x"]  # fmt: skip
LOOK_ALIKES = [("c1", "C1"), ("c1", "c1.json"), ("a/b", "a%2Fb"), ("a b", "a+b"), ("a", "\u0430"),
               ("..", "../"), ("x" * 129, "x" * 130), ("ﬁ", "fi")]  # fmt: skip


def _name(id_: str) -> str:
    return ascii(id_)[:30]


@pytest.mark.parametrize("id_", KEPT, ids=_name)
def test_one_id_addresses_one_conversation_on_all_routes(directory_house: House, id_: str) -> None:
    house = directory_house
    assert house.append(id_, "a").json()["conversation_id"] == id_
    page = house.send("GET", id_).json()
    assert (page["conversation_id"], page["turn_count"]) == (id_, 1)
    assert house.send("GET", id_, "/turns").json()["turn_count"] == 1
    assert house.send("GET", id_, "/export").json()["conversation_id"] == id_
    assert house.send("PATCH", id_, json={"title": "T"}).json()["conversation_id"] == id_
    created = house.client.post(CONVERSATIONS, json={"conversation_id": id_})
    assert (created.status_code, created.json()["turn_count"]) == (200, 1)
    assert house.listed() == [id_]
    assert house.send("DELETE", id_).json()["deleted"]["turns"] == 1
    assert house.listed() == []


@pytest.mark.parametrize("id_", KEPT, ids=_name)
def test_every_key_stays_below_the_callers_prefix(directory_house: House, id_: str) -> None:
    house = directory_house
    alice = house.acting_as("alice")
    alice.append(id_, "a")
    alice.listed()
    keys = {key for _, key in house.data.calls + house.parts.derived.calls}
    assert keys
    for key in keys:
        assert key.startswith(("c/acme/alice/", "i/acme/alice/"))
        assert not {"", ".", ".."} & set(key.rstrip("/").split("/"))
        assert key.isascii()


def test_all_of_them_live_side_by_side(house: House) -> None:
    for id_ in KEPT:
        assert house.append(id_, ascii(id_)).status_code == 200
    assert sorted(house.listed(limit=1_000)) == sorted(KEPT)
    for id_ in KEPT:
        assert house.send("GET", id_, "/turns").json()["turns"][0]["text"] == ascii(id_)


def _all_routes(house: House, id_: str) -> list[httpx.Response]:
    return [
        house.append(id_, "a"),
        *(house.send("GET", id_, route) for route in ("", "/turns", "/export")),
        house.send("PATCH", id_, json={"title": "T"}),
        house.send("DELETE", id_),
        house.client.post(CONVERSATIONS, json={"conversation_id": id_}),
    ]


@pytest.mark.parametrize("id_", REFUSED, ids=_name)
def test_an_id_that_cannot_be_one_is_refused_before_any_request(
    directory_house: House, id_: str
) -> None:
    for response in _all_routes(directory_house, id_):
        assert fault(response, 422)["field"] in {"conversation_id", "id_"}
    assert directory_house.data.calls == []


def test_an_empty_id_is_no_route_and_deletes_nothing(directory_house: House) -> None:
    directory_house.append("c1", "a")
    for response in _all_routes(directory_house, "")[:-1]:
        fault(response, 404)
    assert directory_house.listed() == ["c1"]


def test_forms_that_differ_in_normalisation_alone_are_one_id(house: House) -> None:
    house.append("caf\u00e9", "composed")
    house.append("cafe\u0301", "decomposed")
    assert house.texts("caf\u00e9") == house.texts("cafe\u0301") == ["composed", "decomposed"]
    assert house.listed() == ["caf\u00e9"]


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES, ids=_name)
def test_ids_that_only_look_alike_are_two(house: House, one: str, other: str) -> None:
    house.append(one, "one")
    assert house.send("GET", other).status_code == 404
    house.append(other, "other")
    assert (house.texts(one), house.texts(other)) == (["one"], ["other"])
    house.send("DELETE", one)
    assert house.texts(other) == ["other"]


@pytest.mark.parametrize("raw", ["%ff", "%c3", "%ed%a0%80", "%", "%zz", "a%2"])
def test_a_path_that_is_no_text_is_refused(directory_house: House, raw: str) -> None:
    response = directory_house.client.get(f"{CONVERSATIONS}/{raw}")
    assert response.status_code in {400, 404, 422}
    fault(response, response.status_code)


def test_a_lone_surrogate_in_an_id_is_refused(directory_house: House) -> None:
    headers = {"content-type": "application/json"}
    body = b'{"conversation_id":"\\ud800"}'
    response = directory_house.client.post(CONVERSATIONS, content=body, headers=headers)
    assert fault(response, 422)["field"] == "conversation_id"
