"""A head that cannot be read: named, reported, left as it is, and in nobody's way."""

import pytest

from functions.house import CONVERSATIONS, House, fault

BROKEN = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"\xff\xfe\x00",
    b'{"conversation_id":"bad","turns":[{"role":"user","text":"a"',
    b'{"conversation_id":"bad","turns":{},"updated":"2026-01-01T00:00:00Z"}',
    b'{"conversation_id":7,"turns":[],"updated":"2026-01-01T00:00:00Z"}',
    b'{"turns":[],"updated":"2026-01-01T00:00:00Z"}',
    b'{"conversation_id":"bad","turns":[NaN]}',
    b'{"conversation_id":"bad","turns":[1e999]}',
    b'{"conversation_id":"bad","turns":[' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
    b'{"conversation_id":"bad","turns":[' + b"9" * 5_000 + b"]}",
    b'{"conversation_id":"bad","turns":[]} trailing',
    b'{"conversation_id":"somebody else","turns":[],"updated":"2026-01-01T00:00:00Z"}',
]


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_every_route_names_it_and_none_overwrites_it(house: House, body: bytes) -> None:
    house.place(body, "bad")
    for response in (
        *(house.send("GET", "bad", route) for route in ("", "/turns", "/export")),
        house.append("bad", "a"),
        house.append("bad", "a", expected_turn_count=0),
        house.send("PATCH", "bad", json={"title": "T"}),
        house.send("DELETE", "bad"),
        house.client.post(CONVERSATIONS, json={"conversation_id": "bad"}),
    ):
        error = fault(response, 500)
        assert (error["code"], error["retryable"]) == ("corrupt_record", False)
        assert "conversation=bad" in error["message"]
    assert house.stored("bad") == body


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_the_list_shows_the_others_and_says_how_many_it_skipped(
    directory_house: House, body: bytes
) -> None:
    house = directory_house
    house.append("good", "a")
    house.place(body, "bad")
    for _ in ("read", "cached"):
        answer = house.read(CONVERSATIONS)
        assert [row["conversation_id"] for row in answer["conversations"]] == ["good"]
        assert answer["skipped"] == 1
    assert house.append("good", "b").status_code == 200


def test_a_file_that_is_mended_is_there_again(house: House) -> None:
    house.append("c1", "a")
    whole = house.stored()
    house.place(whole[:-1])
    assert house.read(CONVERSATIONS)["skipped"] == 1
    house.place(whole)
    assert (house.listed(), house.texts()) == (["c1"], ["a"])


def test_a_warm_process_does_not_write_over_a_file_that_broke_meanwhile(house: House) -> None:
    house.append("c1", "a")
    broken = house.place(b"{broken")
    fault(house.append("c1", "b"), 500)
    assert house.stored() == broken
