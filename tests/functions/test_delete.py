"""DELETE /v1/conversations/{id}: gone on every read, gone for every late writer, once."""

from collections.abc import Callable
from typing import Any

import pytest

from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.turn import TurnDraft
from everturn.deletion.delete_conversation import delete_conversation
from fakes.wrapped_store import Verb
from functions.house import CONVERSATIONS, LOCAL, House, fault, hand_on


def _parts(house: House) -> dict[str, Any]:
    """What another process writes with."""
    return {
        "store": house.data.inner, "heads": HeadCache(), "clock": house.clock,
        "entropy": house.parts.entropy, "scope": LOCAL, "conversation_id": "c1",
    }  # fmt: skip


def _delete_elsewhere(house: House) -> None:
    delete_conversation(derived=house.parts.derived.inner, **_parts(house))


def _before_the_first_put(house: House, act: Callable[[], object]) -> None:
    waiting = [act]

    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        del key
        if verb == "put" and waiting:
            waiting.pop()()
        return send()

    house.data.step_in = step_in


def test_a_delete_is_answered_by_a_receipt(house: House) -> None:
    house.append("c1", "a", "b")
    receipt = house.send("DELETE", "c1").json()
    beside = ("segments", "staged", "quarantined", "watermarks", "vectors")
    kinds = (*beside, "memories", "memory_sources")
    assert receipt == {"deleted": {"turns": 2, **dict.fromkeys(kinds, 0)}, "complete": True}


def test_a_receipt_counts_what_lay_beside_the_turns(house: House) -> None:
    house.append("c1", "a")
    house.append("c10", "neighbour")
    for id_ in ("c1", "c10"):
        house.data.inner.overwrite(f"x/local/local/{id_}/000000000000.json", b"1")
        house.data.inner.overwrite(f"w/local/local/{id_}.json", b"1")
        house.parts.derived.inner.overwrite(f"v/local/local/{id_}/m/000000", b"1")
    receipt = house.send("DELETE", "c1").json()
    assert receipt["complete"] is True
    assert {kind: count for kind, count in receipt["deleted"].items() if count} == {
        "turns": 1, "staged": 1, "watermarks": 1, "vectors": 1,
    }  # fmt: skip
    assert house.data.inner.get("w/local/local/c1.json") is None
    assert house.data.inner.get("w/local/local/c10.json") is not None


def test_a_receipt_says_what_the_store_did_not_remove(house: House) -> None:
    """And when it is asked again, what was left goes."""
    house.append("c1", "a")
    house.data.inner.overwrite("s/local/local/c1/000000000000.json", b"1")

    def refuse(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        return (key,) if verb == "delete_many" else send()

    house.data.step_in = refuse
    receipt = house.send("DELETE", "c1").json()
    assert (receipt["complete"], receipt["remaining"]) == (False, 1)
    fault(house.send("GET", "c1"), 404)
    fault(house.client.post(CONVERSATIONS, json={"conversation_id": "c1"}), 503)

    house.data.step_in = hand_on
    assert house.send("DELETE", "c1").json()["complete"] is True
    assert house.data.inner.get("s/local/local/c1/000000000000.json") is None


def test_what_was_deleted_is_not_found_on_any_read_and_gone_for_appends(house: House) -> None:
    house.append("c1", "a")
    house.send("DELETE", "c1")
    for route in ("", "/turns", "/export"):
        assert fault(house.send("GET", "c1", route), 404)["code"] == "not_found"
    fault(house.send("PATCH", "c1", json={"title": "T"}), 404)
    fault(house.send("DELETE", "c1"), 404)
    assert fault(house.append("c1", "late"), 410)["code"] == "conversation_gone"
    fault(house.append("c1", "late", must_exist=True), 410)
    assert house.listed() == []


def test_no_text_is_left_in_the_tombstone(house: House) -> None:
    house.client.post(
        CONVERSATIONS, json={"conversation_id": "c1", "title": "SECRET", "metadata": {"SECRET": 1}}
    )
    house.append("c1", "SECRET")
    house.send("DELETE", "c1")
    assert b"SECRET" not in house.stored()
    assert house.stored_json()["deleted"] == {"segs": [], "turns": 1, "done": True}


def test_an_unknown_conversation_is_not_found(house: House) -> None:
    assert fault(house.send("DELETE", "never"), 404)["code"] == "not_found"
    assert "put" not in house.data.verbs()


def test_a_key_from_before_the_delete_brings_nothing_back(house: House) -> None:
    house.append("c1", "a", key="k")
    house.send("DELETE", "c1")
    fault(house.append("c1", "a", key="k"), 410)


def test_an_explicit_create_starts_the_id_anew_and_empty(house: House) -> None:
    house.append("c1", "old", key="k")
    house.send("DELETE", "c1")
    assert house.client.post(CONVERSATIONS, json={"conversation_id": "c1"}).status_code == 201
    assert house.read(f"{CONVERSATIONS}/c1")["turn_count"] == 0
    assert house.append("c1", "new", key="k").json()["replayed"] is False
    assert house.texts() == ["new"]


def test_a_create_waits_for_a_delete_that_is_not_done(house: House) -> None:
    house.place(
        b'{"conversation_id":"c1","turns":[],"updated":"2026-01-01T00:00:00Z",'
        b'"deleted":{"segs":["x"],"done":false}}'
    )
    error = fault(house.client.post(CONVERSATIONS, json={"conversation_id": "c1"}), 503)
    assert (error["code"], error["retryable"]) == ("unavailable", True)


@pytest.mark.parametrize("warm", [True, False])
def test_an_append_that_a_delete_overtakes_is_gone_and_brings_nothing_back(
    house: House, *, warm: bool
) -> None:
    house.append("c1", "old")
    if not warm:
        house.parts.forget()
    _before_the_first_put(house, lambda: _delete_elsewhere(house))
    fault(house.append("c1", "late"), 410)
    fault(house.send("GET", "c1"), 404)


def test_a_patch_that_a_delete_overtakes_is_not_found(house: House) -> None:
    house.append("c1", "old")
    _before_the_first_put(house, lambda: _delete_elsewhere(house))
    fault(house.send("PATCH", "c1", json={"title": "T"}), 404)


def test_a_delete_that_an_append_overtakes_deletes_its_turns_too(house: House) -> None:
    house.append("c1", "old")
    late = [TurnDraft("user", "late")]
    _before_the_first_put(house, lambda: append_turns(turns=late, **_parts(house)))
    assert house.send("DELETE", "c1").json()["deleted"]["turns"] == 2
    fault(house.send("GET", "c1"), 404)


def test_of_two_deletes_at_once_one_has_nothing_left_to_delete(house: House) -> None:
    house.append("c1", "old")

    def other() -> None:
        house.clock.sleep(1)
        _delete_elsewhere(house)

    _before_the_first_put(house, other)
    fault(house.send("DELETE", "c1"), 404)


def test_a_create_that_lands_after_a_delete_is_a_new_conversation(house: House) -> None:
    """The creator saw the old one; what it makes is empty."""
    house.append("c1", "old")
    _before_the_first_put(house, lambda: _delete_elsewhere(house))
    assert house.client.post(CONVERSATIONS, json={"conversation_id": "c1"}).status_code == 201
    assert house.texts() == []
