"""Remember, list, read, correct, pin and forget over HTTP."""

import pytest

from functions.house import House, Json, fault
from functions.remembered import MEMORIES, NOBODY, at, remember, send, statements

PORT, NEW_PORT = "The deploy port is 8080.", "The deploy port is 9090."


def _read(house: House, rid: str) -> Json:
    return house.read(at(rid))


def _patch(house: House, rid: str, **body: object) -> Json:
    response = house.client.patch(at(rid), json=body)
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def test_a_new_memory_is_created_with_every_field_that_the_answer_promises(house: House) -> None:
    source: Json = {"conversation_id": "c1", "from": 3, "to": 4, "quote": "it is 8080"}
    sent: Json = {"subject": "Dana", "hard": True, "importance": 9, "pinned": True}
    since = "2026-01-01T00:00:00Z"
    response = send(
        house, kind="constraint", statement=PORT, valid_from=since, source=source, **sent
    )
    assert response.status_code == 201
    answer = response.json()
    memory = answer["memory"]
    assert answer["created"] is True
    assert memory == {
        **sent,
        "id": memory["id"],
        "uri": f"everturn://memory/constraint/{memory['id']}",
        "kind": "constraint",
        "statement": PORT,
        "count": 1,
        "coverage": 1,
        "strength": 0.5,
        "sources": [{**source, "at": memory["first_seen"]}],
        "first_seen": memory["last_seen"],
        "last_seen": memory["last_seen"],
        "valid_from": since,
        "supersedes": [],
        "provenance": "user_input",
    }
    assert _read(house, memory["id"])["memory"] == memory


def test_a_plain_memory_shows_no_field_that_it_does_not_have(house: House) -> None:
    memory = remember(house, PORT)
    rare = {"spec", "valid_from", "valid_to", "superseded_by", "promoted"}
    assert not rare & memory.keys()
    assert memory["sources"] == [{"at": memory["first_seen"]}]


@pytest.mark.parametrize(
    ("kind", "body", "importance"),
    [
        ("fact", {}, 5),
        ("fact", {"subject": "user"}, 7),
        ("event", {}, 4),
        ("pattern", {}, 6),
        ("fact", {"importance": 0}, 0),
    ],
)
def test_importance_is_that_of_the_kind_unless_it_is_said(
    directory_house: House, kind: str, body: Json, importance: int
) -> None:
    assert remember(directory_house, PORT, kind, **body)["importance"] == importance


def test_the_same_from_two_sources_is_one_memory(house: House) -> None:
    first = send(house, kind="fact", statement=PORT, source={"conversation_id": "c1"})
    again = send(
        house, kind="fact", statement="the  DEPLOY port is 8080", source={"conversation_id": "c2"}
    )
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["created"] is False
    assert again.json()["memory"]["id"] == first.json()["memory"]["id"]
    assert again.json()["memory"]["count"] == 2


def test_a_source_counts_once(house: House) -> None:
    for _ in range(3):
        memory = remember(house, PORT, source={"conversation_id": "c1"})
    assert memory["count"] == 1


@pytest.mark.parametrize(("keys", "count"), [(["a", "a"], 1), (["a", "b"], 2), ([None, None], 1)])
def test_without_a_conversation_the_key_of_the_request_is_the_source(
    house: House, keys: list[str | None], count: int
) -> None:
    for key in keys:
        memory = send(house, key, kind="fact", statement=PORT).json()["memory"]
    assert memory["count"] == count


def test_a_conversation_that_was_deleted_says_nothing_any_more(house: House) -> None:
    house.append("c1", PORT)
    house.send("DELETE", "c1")
    response = send(house, kind="fact", statement=PORT, source={"conversation_id": "c1"})
    assert fault(response, 410)["code"] == "conversation_gone"
    assert statements(house) == []


def test_a_list_walks_in_the_order_of_ids_and_shows_each_once(house: House) -> None:
    made = {remember(house, f"Fact number {number}.")["id"] for number in range(7)}
    walked: list[str] = []
    params: dict[str, str | int] = {"limit": 3}
    while True:
        page = house.read(MEMORIES, **params)
        walked += [memory["id"] for memory in page["memories"]]
        assert page["skipped"] == 0
        if "next_cursor" not in page:
            break
        params["cursor"] = page["next_cursor"]
    assert walked == sorted(made)


def test_a_list_of_a_kind_shows_that_kind(house: House) -> None:
    remember(house, PORT)
    remember(house, "Tea, no coffee.", "preference")
    assert statements(house, kind="preference") == ["Tea, no coffee."]
    assert house.read(MEMORIES, kind="goal") == {"memories": [], "skipped": 0}


def test_a_correction_takes_the_place_of_what_it_corrects(house: House) -> None:
    old = remember(house, PORT)
    answer = _patch(house, old["id"], statement=NEW_PORT)
    assert answer["superseded"] == old["id"]
    assert answer["memory"]["supersedes"] == [old["id"]]
    assert statements(house) == [NEW_PORT]
    assert statements(house, superseded="true") == [PORT, NEW_PORT]
    listed = house.read(MEMORIES, superseded="true")["memories"]
    [shown] = [memory for memory in listed if memory["id"] == old["id"]]
    assert shown["superseded_by"] == answer["memory"]["id"]
    assert shown["valid_to"] == answer["memory"]["first_seen"]


def test_an_old_id_answers_its_successor_with_the_history_oldest_first(house: House) -> None:
    old = remember(house, PORT)
    new = _patch(house, old["id"], statement=NEW_PORT)["memory"]
    for rid in (old["id"], new["id"]):
        answer = _read(house, rid)
        assert answer["memory"]["id"] == new["id"]
        assert [entry["statement"] for entry in answer["history"]] == [PORT, NEW_PORT]
        assert answer["history"][0]["valid_to"] == answer["history"][1]["valid_from"]
        assert "valid_to" not in answer["history"][1]


def test_what_is_said_again_later_holds_again_and_the_history_shows_all_three(
    house: House,
) -> None:
    old = remember(house, PORT, source={"conversation_id": "c1"})
    house.clock.sleep(60)
    _patch(house, old["id"], statement=NEW_PORT)
    house.clock.sleep(60)
    back = remember(house, PORT, source={"conversation_id": "c2"})
    assert back["id"] == old["id"]
    assert statements(house) == [PORT]
    history = _read(house, old["id"])["history"]
    assert [entry["statement"] for entry in history] == [PORT, NEW_PORT, PORT]


def test_a_pin_and_an_importance_change_and_nothing_else_does(house: House) -> None:
    memory = remember(house, PORT)
    answer = _patch(house, memory["id"], pinned=True, importance=10)
    assert answer == {"memory": {**memory, "pinned": True, "importance": 10}}
    assert _read(house, memory["id"])["memory"] == answer["memory"]


def test_a_patch_that_changes_nothing_writes_nothing(house: House) -> None:
    memory = remember(house, PORT)
    house.data.calls.clear()
    assert _patch(house, memory["id"], pinned=False) == {"memory": memory}
    assert "put" not in house.data.verbs()


def test_what_was_forgotten_is_in_no_list_and_no_read(house: House) -> None:
    memory = remember(house, PORT)
    receipt = house.client.delete(at(memory["id"])).json()
    assert receipt == {"deleted": {"memories": 1}, "complete": True}
    house.clock.sleep(1)
    assert house.read(MEMORIES, superseded="true")["memories"] == []
    fault(house.client.get(at(memory["id"])), 404)
    fault(house.client.delete(at(memory["id"])), 404)
    fault(house.client.patch(at(memory["id"]), json={"pinned": True}), 404)


def test_what_was_forgotten_comes_back_if_it_is_asked_for(house: House) -> None:
    memory = remember(house, PORT)
    house.client.delete(at(memory["id"]))
    assert remember(house, PORT)["id"] == memory["id"]
    assert statements(house) == [PORT]


def test_an_unknown_memory_is_not_found(house: House) -> None:
    client = house.client
    for response in (
        client.get(at(NOBODY)),
        client.patch(at(NOBODY), json={"statement": "x"}),
        client.patch(at(NOBODY), json={"pinned": True}),
        client.delete(at(NOBODY)),
        client.post(at(NOBODY, "/outcomes"), json={"status": "success"}),
        client.post(at(NOBODY, "/promote"), json={}),
    ):
        assert fault(response, 404)["code"] == "not_found"
    assert house.read(MEMORIES)["memories"] == []
