"""What was said in a conversation leaves long-term memory with it, through the routes."""

import json

from functions.house import House, Json
from functions.remembered import at, remember, statements


def _source(first: int, quote: str = "", *, of: str = "c1") -> Json:
    return {"conversation_id": of, "from": first, "to": first, "quote": quote}


def _told(house: House) -> tuple[Json, Json]:
    """Remember what two turns of a conversation said, one of them in another one too."""
    house.append("c1", "a", "b", "c")
    own = remember(house, "Ann likes tea.", source=_source(1, "likes tea"))
    remember(house, "The port is 8080.", source=_source(2, "port quote"))
    shared = remember(house, "The port is 8080.", source=_source(0, of="c2"))
    return own, shared


def test_a_delete_counts_what_it_took_out_of_memory(house: House) -> None:
    own, shared = _told(house)
    receipt = house.send("DELETE", "c1").json()
    assert receipt["complete"] is True
    assert (receipt["deleted"]["memories"], receipt["deleted"]["memory_sources"]) == (1, 2)
    assert house.client.get(at(own["id"])).status_code == 404
    kept = house.client.get(at(shared["id"])).json()["memory"]
    assert (kept["count"], [one["conversation_id"] for one in kept["sources"]]) == (1, ["c2"])
    assert "quote" not in json.dumps(kept)


def test_a_redaction_and_a_pop_take_back_what_a_turn_said_alone(house: House) -> None:
    own, shared = _told(house)
    assert house.send("PATCH", "c1", "/turns/1", json={}).status_code == 200
    assert house.client.get(at(own["id"])).status_code == 404
    params = {"expected_turn_count": 3}
    assert house.send("DELETE", "c1", "/turns/last", params=params).status_code == 200
    assert house.client.get(at(shared["id"])).json()["memory"]["count"] == 1


def test_an_erased_actor_has_no_memories(house: House) -> None:
    _told(house)
    receipt = house.client.delete("/v1/me").json()
    assert (receipt["complete"], receipt["deleted"]["memories"]) == (True, 2)
    assert statements(house) == []


def test_an_export_carries_memories(house: House) -> None:
    _, shared = _told(house)
    lines = [json.loads(line) for line in house.client.get("/v1/export").text.splitlines()]
    exported = {line["memory"]["id"]: line["memory"] for line in lines if "memory" in line}
    assert len(exported) == 2
    assert exported[shared["id"]]["count"] == 2


def test_a_process_that_takes_back_again_reads_no_index_and_no_record_anew(house: House) -> None:
    """A scope of very many memories has hundreds of files of them."""
    house.append("c1", "a", "b", "c")
    for number in range(20):
        remember(house, f"Number {number}.", source={"conversation_id": "c2"})
    for number in (0, 1):
        house.data.calls.clear()
        house.parts.derived.calls.clear()
        assert house.send("PATCH", "c1", f"/turns/{number}", json={}).status_code == 200
    assert [verb for verb, key in house.data.calls if key.startswith("m/")] == ["list"]
    assert not [key for _, key in house.parts.derived.calls if "/memories/" in key]
