"""GET /v1/turns/recent: turns and pairs of all conversations, windows, refusals, isolation."""

from typing import Any

import pytest

from everturn.edge.requests import MAX_LIMIT
from functions.house import House, Json, fault

RECENT = "/v1/turns/recent"
DAY = "2025-06-0{day}T12:00:00Z"


def _say(house: House, id_: str, *days: int, role: str = "user") -> None:
    """One turn of a conversation on each of these days of June 2025."""
    turns = [{"role": role, "text": f"{id_}{day}", "ts": DAY.format(day=day)} for day in days]
    assert house.append_turns(id_, turns).is_success


def _texts(house: House, **params: str | int) -> list[str]:
    return [turn["text"] for turn in house.read(RECENT, **params)["turns"]]


def test_without_turns_there_is_an_empty_page(house: House) -> None:
    assert house.read(RECENT) == {"turns": [], "skipped": 0}
    assert house.read(RECENT, **{"as": "pairs"}) == {"pairs": [], "skipped": 0}


def test_a_turn_says_all_of_itself_and_its_conversation(house: House) -> None:
    turn = {
        "role": "user", "text": "Hello", "ts": "2025-06-01T12:00:00Z", "intent_id": "i",
        "name": "Ann", "content": [{"type": "text", "text": "Hello"}], "metadata": {"k": 1},
    }  # fmt: skip
    house.append_turns("c1", [turn])
    house.send("PATCH", "c1", json={"title": "Greeting"})

    shown = {"index": 0, **turn, "conversation_id": "c1", "title": "Greeting"}
    assert house.read(RECENT) == {"turns": [shown], "skipped": 0}


def test_the_newest_of_all_conversations_come_first_page_by_page(house: House) -> None:
    _say(house, "a", 1, 4)
    _say(house, "b", 3, 2)

    assert _texts(house) == ["a4", "b3", "b2", "a1"]
    first = house.read(RECENT, limit=3)
    assert [turn["text"] for turn in first["turns"]] == ["a4", "b3", "b2"]
    rest = house.read(RECENT, limit=3, cursor=first["next_cursor"])
    assert [turn["text"] for turn in rest["turns"]] == ["a1"]
    assert "next_cursor" not in rest


def test_fifty_come_if_nothing_is_said_and_a_thousand_at_most(directory_house: House) -> None:
    house = directory_house
    for _ in range(2):
        house.append("c", *(["x"] * 510))

    assert len(house.read(RECENT)["turns"]) == 50
    most = house.read(RECENT, limit=10**9)
    assert (len(most["turns"]), "next_cursor" in most) == (MAX_LIMIT, True)


def test_a_window_is_half_open_whatever_its_offset(house: House) -> None:
    _say(house, "a", 1, 2, 3)

    window = {"since": "2025-06-01T12:00:00Z", "until": "2025-06-03T14:00:00+02:00"}
    assert _texts(house, **window) == ["a2", "a1"]
    assert _texts(house, since="2025-06-02T07:00:00.000000001-05:00") == ["a3"]
    assert _texts(house, until="2025-06-02T12:00:00") == ["a1"]


def test_a_plus_that_was_not_escaped_is_still_an_offset(house: House) -> None:
    """Most people type it so; a blank before an offset can be nothing else."""
    _say(house, "a", 1, 2)
    response = house.client.get(f"{RECENT}?since=2025-06-02T14:00:00+02:00")
    assert [turn["text"] for turn in response.json()["turns"]] == ["a2"]


@pytest.mark.parametrize(
    "query", ["roles=user,tool", "roles=user,%20tool", "roles=user&roles=tool", "roles=tool%2Cuser"]
)
def test_roles_choose_turns(house: House, query: str) -> None:
    _say(house, "u", 1)
    _say(house, "a", 2, role="assistant")
    _say(house, "t", 3, role="tool")

    turns = house.client.get(f"{RECENT}?{query}").json()["turns"]
    assert [turn["role"] for turn in turns] == ["tool", "user"]


def test_pairs_are_questions_with_their_answers(house: House) -> None:
    roles = ["user", "assistant", "tool", "assistant", "user"]
    turns = [
        {"role": role, "text": f"{role} {day}", "ts": DAY.format(day=day)}
        for day, role in enumerate(roles, start=1)
    ]
    house.append_turns("c1", turns)

    answer = house.read(RECENT, **{"as": "pairs", "until": DAY.format(day=5)})

    assert [set(pair) for pair in answer["pairs"]] == [
        {"conversation_id", "title", "question", "answers"}
    ]
    pair = answer["pairs"][0]
    assert (pair["question"]["index"], pair["question"]["text"]) == (0, "user 1")
    assert [turn["index"] for turn in pair["answers"]] == [1, 3]
    assert len(house.read(RECENT, **{"as": "pairs"})["pairs"]) == 2


def test_a_pair_that_no_answer_takes_whole_says_that_there_are_more(house: House) -> None:
    house.append("c1", "question")
    for _ in range(5):
        house.append_turns("c1", [{"role": "assistant", "text": "x" * 900_000}])

    response = house.client.get(RECENT, params={"as": "pairs"})

    [pair] = response.json()["pairs"]
    assert (len(pair["answers"]), pair["more_answers"]) == (3, True)
    assert len(response.content) <= 3 * 1_048_576


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"since": "yesterday"}, "since"),
    ({"since": ""}, "since"),
    ({"since": "2025-06-01"}, "since"),
    ({"since": "1767225600"}, "since"),
    ({"until": "2025-06-31T00:00:00Z"}, "until"),
    ({"since": DAY.format(day=2), "until": DAY.format(day=2)}, "since"),
    ({"since": DAY.format(day=3), "until": DAY.format(day=2)}, "since"),
    ({"roles": ""}, "roles"),
    ({"roles": "user,"}, "roles"),
    ({"roles": "user,\u200b"}, "roles"),
    ({"roles": "user", "as": "pairs"}, "roles"),
    ({"as": "foo"}, "as"),
    ({"as": ""}, "as"),
    ({"cursor": ""}, "cursor"),
    ({"cursor": "x"}, "cursor"),
    ({"cursor": "W10"}, "cursor"),
    ({"limit": 0}, "limit"),
    ({"limit": -1}, "limit"),
    ({"limit": "ten"}, "limit"),
    ({"limit": "2.5"}, "limit"),
]


@pytest.mark.parametrize(("params", "field"), REFUSED)
def test_what_is_no_value_is_refused_before_any_store_call(
    directory_house: House, params: dict[str, Any], field: str
) -> None:
    error = fault(directory_house.client.get(RECENT, params=params), 422)
    assert (error["code"], error["field"]) == ("invalid_request", field)
    assert directory_house.data.calls == []


def test_the_cursor_of_a_list_is_none_of_recent_turns(directory_house: House) -> None:
    for id_ in ("a", "b"):
        directory_house.append(id_, "x")
    cursor = directory_house.read("/v1/conversations", limit=1)["next_cursor"]
    response = directory_house.client.get(RECENT, params={"cursor": cursor})
    assert fault(response, 422)["field"] == "cursor"


@pytest.mark.parametrize("form", ["turns", "pairs"])
def test_users_see_their_own_turns_alone(house: House, form: str) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("c", "secret")
    bob.append("c", "mine")
    eve = house.acting_as("alice", tenant="other")

    def seen(house: House, **params: str | int) -> list[Json]:
        items: list[Json] = house.read(RECENT, **{"as": form}, **params)[form]
        return items

    assert [len(seen(house)) for house in (alice, bob, eve)] == [1, 1, 0]
    assert "secret" not in str(seen(bob))
    alice.append("d", "secret")
    cursor = alice.read(RECENT, limit=1)["next_cursor"]
    assert "secret" not in str(seen(bob, cursor=cursor))


def test_a_deleted_conversation_and_a_popped_or_redacted_turn_show_nothing(house: House) -> None:
    house.append("gone", "secret")
    house.append("c", "secret", "secret")
    house.read(RECENT)
    house.send("DELETE", "gone")
    house.send("DELETE", "c", "/turns/last?expected_turn_count=2")
    house.send("PATCH", "c", "/turns/0", json={})

    answer = house.read(RECENT)

    assert [turn["conversation_id"] for turn in answer["turns"]] == ["c"]
    assert "secret" not in str(answer)


def test_an_unreadable_file_is_counted_and_hides_nothing_else(house: House) -> None:
    house.append("c", "x")
    house.place(b"{", "broken")
    answer = house.read(RECENT)
    assert (len(answer["turns"]), answer["skipped"]) == (1, 1)
