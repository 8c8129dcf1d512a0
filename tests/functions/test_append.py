"""POST .../turns: its answer, retries, expectations, and what it counts."""

import pytest

from functions.house import CONVERSATIONS, House, fault

START = "2026-01-01T00:00:00Z"


def test_an_append_answers_where_its_turns_stand(house: House) -> None:
    """The fields are exactly those of the contract."""
    assert house.append("c1", "a", "b").json() == {
        "conversation_id": "c1", "first_turn": 0, "appended": 2, "ignored": 0, "clamped": 0,
        "turn_count": 2, "updated": START, "replayed": False,
    }  # fmt: skip
    second = house.append("c1", "c").json()
    assert (second["first_turn"], second["turn_count"]) == (2, 3)
    assert second["updated"] == "2026-01-01T00:00:00.000000001Z"
    assert house.texts() == ["a", "b", "c"]


def test_an_append_is_json_that_nobody_caches(house: House) -> None:
    headers = house.append("c1", "a").headers
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"


def test_a_warm_append_is_one_request_and_a_cold_or_first_one_two(house: House) -> None:
    house.append("c1", "first")
    assert house.data.verbs() == ["get", "put"]
    house.data.calls.clear()
    house.append("c1", "warm")
    assert house.data.verbs() == ["put"]
    house.data.calls.clear()
    house.parts.forget()
    house.append("c1", "cold")
    assert house.data.verbs() == ["get", "put"]


@pytest.mark.parametrize("restarted", [False, True])
def test_the_same_key_with_the_same_turns_writes_nothing(house: House, *, restarted: bool) -> None:
    first = house.append("c1", "pay", key="k-1").json()
    house.append("c1", "another")
    if restarted:
        house.parts.forget()
    house.clock.sleep(60)
    again = house.append("c1", "pay", key="k-1").json()
    assert (again["first_turn"], again["appended"]) == (first["first_turn"], first["appended"])
    assert again["replayed"] is True
    assert house.texts() == ["pay", "another"]


def test_the_same_key_with_other_turns_is_refused(house: House) -> None:
    house.append("c1", "hello", key="k-1")
    error = fault(house.append("c1", "different", key="k-1"), 422)
    assert (error["code"], error["field"]) == ("invalid_request", "Idempotency-Key")
    assert house.texts() == ["hello"]


@pytest.mark.parametrize(("others", "replayed"), [(1, True), (59, True), (60, False)])
def test_a_key_is_honoured_for_the_last_sixty_appends(
    directory_house: House, *, others: int, replayed: bool
) -> None:
    """Its own append is one of the sixty."""
    house = directory_house
    house.append("c1", "pay", key="k-1")
    for number in range(others):
        house.append("c1", f"other {number}")
    house.parts.forget()
    assert house.append("c1", "pay", key="k-1").json()["replayed"] is replayed
    assert house.texts().count("pay") == (1 if replayed else 2)


def test_a_key_belongs_to_one_conversation_of_one_user(house: House) -> None:
    bob = house.acting_as("bob")
    assert house.append("c1", "one", key="k").json()["replayed"] is False
    assert house.append("c2", "two", key="k").json()["replayed"] is False
    assert bob.append("c1", "three", key="k").json()["replayed"] is False
    assert (house.texts("c1"), house.texts("c2"), bob.texts("c1")) == (["one"], ["two"], ["three"])


@pytest.mark.parametrize("key", ["", " ", "k" * 1_025, "\t"])
def test_a_key_that_is_no_id_is_refused(directory_house: House, key: str) -> None:
    error = fault(directory_house.append("c1", "a", key=key), 422)
    assert error["field"] == "Idempotency-Key"


def test_an_expected_count_that_differs_is_a_conflict_which_names_the_actual_one(
    house: House,
) -> None:
    house.append("c1", "a", "b")
    assert house.append("c1", "c", expected_turn_count=2).status_code == 200
    error = fault(house.append("c1", "d", expected_turn_count=2), 409)
    assert (error["code"], error["field"]) == ("conflict", "expected_turn_count")
    assert "actual=3" in error["message"]
    assert fault(house.append("new", "d", expected_turn_count=1), 409)
    assert house.append("new", "d", expected_turn_count=0).status_code == 200


def test_an_expected_count_is_compared_with_the_store_even_by_a_process_that_knows_a_head(
    house: House,
) -> None:
    """Another process appended since: what this one remembers must not decide."""
    house.append("c1", "a")
    remembered = house.parts.heads
    house.parts.forget()
    house.append("c1", "b")
    house.parts.heads = remembered
    fault(house.append("c1", "c", expected_turn_count=1), 409)
    assert house.append("c1", "c", expected_turn_count=2).json()["turn_count"] == 3


def test_must_exist_refuses_an_unknown_conversation_and_makes_none(house: House) -> None:
    assert fault(house.append("c1", "a", must_exist=True), 404)["code"] == "not_found"
    assert house.client.get(f"{CONVERSATIONS}/c1").status_code == 404
    house.append("c1", "a")
    assert house.append("c1", "b", must_exist=True).status_code == 200


def test_blank_turns_are_ignored_and_counted(house: House) -> None:
    blank = [
        {"role": "user", "text": ""},
        {"role": "user", "text": " \n\u200b"},
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": [{"type": "text", "text": ""}]},
    ]
    answer = house.append_turns("c1", [*blank, {"role": "user", "text": "a"}]).json()
    assert (answer["ignored"], answer["appended"], answer["turn_count"]) == (4, 1, 1)
    assert house.texts() == ["a"]


def test_nothing_but_blank_turns_makes_no_conversation(house: House) -> None:
    answer = house.append("c1", " ").json()
    assert (answer["ignored"], answer["appended"], answer["turn_count"]) == (1, 0, 0)
    assert house.listed() == []
    assert "put" not in house.data.verbs()


def test_a_time_too_far_ahead_becomes_the_servers_and_is_counted(house: House) -> None:
    turns = [
        {"role": "user", "text": "near", "ts": "2026-01-01T00:05:00Z"},
        {"role": "user", "text": "far", "ts": "2026-01-01T00:05:00.000000001Z"},
    ]
    assert house.append_turns("c1", turns).json()["clamped"] == 1
    assert [turn["ts"] for turn in house.turns()] == ["2026-01-01T00:05:00Z", START]


def test_updated_is_never_below_a_time_of_a_turn_and_always_grows(house: House) -> None:
    ahead = [{"role": "user", "text": "a", "ts": "2026-01-01T00:04:00Z"}]
    first = house.append_turns("c1", ahead).json()["updated"]
    assert first == "2026-01-01T00:04:00Z"
    assert house.append("c1", "b").json()["updated"] == "2026-01-01T00:04:00.000000001Z"


def test_an_append_to_a_deleted_conversation_is_gone(house: House) -> None:
    house.append("c1", "a")
    house.send("DELETE", "c1")
    for _ in ("warm", "cold"):
        assert fault(house.append("c1", "late"), 410)["code"] == "conversation_gone"
        house.parts.forget()
