"""Files that another program put into the store: listed, read, appended to, and left its own."""

import json
from pathlib import Path

import pytest

from everturn.local.gateway import open_gateway
from everturn.ports.object_store import StoredObject
from everturn.values.keys import head_key
from functions.house import CONVERSATIONS, LOCAL, House, Parts, client_of

GOLDEN = Path(__file__).parents[1] / "golden"
GO_FILES = {"c1": "go_record.json", "c4": "go_null_turns.json", "c5": "go_final_newline.json",
            "c6": "go_zero_time.json"}  # fmt: skip
GO_TURNS = {"c1": 4, "c4": 0, "c5": 3, "c6": 1}


def _golden(id_: str) -> bytes:
    return (GOLDEN / GO_FILES[id_]).read_bytes()


def test_a_directory_of_the_go_program_is_served_as_it_is(tmp_path: Path) -> None:
    """Through the settings, as `everturn up --dir` does; nothing is moved."""
    for id_ in ("c1", "c5"):
        (tmp_path / f"{id_}.json").write_bytes(_golden(id_))
    with client_of(open_gateway({"EVERTURN_STORE": str(tmp_path)})) as client:
        rows = client.get(CONVERSATIONS).json()
        assert [row["conversation_id"] for row in rows["conversations"]] == ["c1", "c5"]
        assert rows["skipped"] == 0
        assert client.get(f"{CONVERSATIONS}/c1").json()["turns"][1]["intent_id"] == "i-<1>"
        for id_ in ("c1", "c5"):
            body = {"turns": [{"role": "user", "text": "<new>"}]}
            answer = client.post(f"{CONVERSATIONS}/{id_}/turns", json=body)
            assert answer.json()["first_turn"] == GO_TURNS[id_]
            _is_grown_go_file(_golden(id_), (tmp_path / f"{id_}.json").read_bytes())
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["c1.json", "c5.json"]


def _is_grown_go_file(before: bytes, after: bytes) -> None:
    """The old bytes up to the end of the turns, then one more turn, in Go's form."""
    end = before.rindex(b'],"updated":"')
    assert after.startswith(before[:end])
    assert b'"text":"\\u003cnew\\u003e"' in after[end:]
    old, new = json.loads(before), json.loads(after)
    assert new["turns"][:-1] == old["turns"]
    assert list(new) == list(old)
    assert {name: new[name] for name in new if name not in {"turns", "updated"}} == {
        name: old[name] for name in old if name not in {"turns", "updated"}
    }
    assert list(new["turns"][-1]) == ["role", "text", "ts"]
    assert not after.endswith(b"\n")


@pytest.mark.parametrize("id_", GO_FILES)
def test_a_go_file_without_metadata_is_read_and_appended_to(house: House, id_: str) -> None:
    house.place(_golden(id_), id_)
    page = house.read(f"{CONVERSATIONS}/{id_}")
    assert page["turn_count"] == GO_TURNS[id_]
    assert house.listed() == ([] if id_ == "c4" else [id_])
    assert house.append(id_, "<new>", key="k").json()["first_turn"] == GO_TURNS[id_]
    house.parts.forget()
    assert house.append(id_, "<new>", key="k").json()["replayed"] is True
    grown = house.stored_json(id_)
    assert grown["turns"][:-1] == (json.loads(_golden(id_))["turns"] or [])
    assert grown["turns"][-1]["text"] == "<new>"


FOREIGN = {
    "$schema": "https://example.com/x.json",
    "conversation_id": "c1",
    "model": {"name": "m<1>", "temperature": 0.10, "stop": ['],"updated":"', None]},
    "turns": [
        {"role": "user", "text": "a", "ts": "2025-01-01T00:00:00+02:00", "tokens": 3},
        {"speaker": "nobody"},
        {"role": "assistant", "text": "b", "ts": "not a time", "tool_calls": [{"id": "t1"}]},
        {"role": "user", "text": "c"},
    ],
    "updated": "2025-01-01T00:00:00.5Z",
    "z_last": [1e2, "\u00e9"],
}


@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_the_fields_of_another_program_outlive_every_write(
    house: House, indent: int | str | None
) -> None:
    house.place(json.dumps(FOREIGN, indent=indent).encode())
    house.append("c1", "d")
    house.send("PATCH", "c1", json={"title": "T", "folder": "f", "metadata": {"k": 1}})
    house.parts.forget()
    house.append("c1", "e")
    stored = house.stored_json()
    assert {name: stored[name] for name in ("$schema", "model", "z_last")} == {
        name: FOREIGN[name] for name in ("$schema", "model", "z_last")
    }
    assert stored["turns"][:4] == FOREIGN["turns"]
    assert [turn["text"] for turn in stored["turns"][4:]] == ["d", "e"]
    assert (stored["title"], stored["folder"], stored["metadata"]) == ("T", "f", {"k": 1})


def test_a_turn_that_nobody_can_read_keeps_its_number_and_is_left_out(house: House) -> None:
    house.place(json.dumps(FOREIGN).encode())
    page = house.read(f"{CONVERSATIONS}/c1/turns", last=2)
    assert [(turn["index"], turn["text"]) for turn in page["turns"]] == [(2, "b"), (3, "c")]
    assert page["turn_count"] == 4
    assert [
        turn["index"]
        for turn in house.read(f"{CONVERSATIONS}/c1/turns", **{"from": 1, "limit": 2})["turns"]
    ] == [2, 3]
    row = house.read(CONVERSATIONS)["conversations"][0]
    assert (row["title"], row["preview"], row["turn_count"]) == ("a", "c", 4)


def test_a_file_changed_by_another_program_between_two_appends_is_built_upon(house: House) -> None:
    house.append("c1", "ours")
    document = house.stored_json()
    document["turns"].append({"role": "user", "text": "theirs", "ts": "2026-01-01T00:00:01Z"})
    house.place(json.dumps(document).encode())
    house.append("c1", "ours again")
    assert house.texts() == ["ours", "theirs", "ours again"]
    assert house.listed() == ["c1"]


def test_what_we_write_carries_our_mark_and_what_others_write_none(house: House) -> None:
    house.place(json.dumps(FOREIGN).encode())
    house.append("c1", "d")
    found = house.data.inner.get(head_key(LOCAL, "c1"))
    assert isinstance(found, StoredObject)
    assert {name: len(value) for name, value in found.meta.items()} == {"v": 1, "w": 30}


def test_a_file_whose_name_is_not_the_key_of_its_id_is_skipped(
    directory_house: House, directory: Path
) -> None:
    directory_house.append("c1", "a")
    (directory / "copy of c1.json").write_bytes((directory / "c1.json").read_bytes())
    (directory / "other.json").write_bytes(_golden("c5"))
    (directory / "notes.txt").write_text("not ours")
    answer = directory_house.read(CONVERSATIONS)
    assert [row["conversation_id"] for row in answer["conversations"]] == ["c1"]
    assert answer["skipped"] == 2


def test_a_file_that_another_program_removes_is_gone_from_the_list(
    directory_house: House, directory: Path
) -> None:
    directory_house.append("c1", "a")
    directory_house.append("c2", "b")
    assert directory_house.listed() == ["c1", "c2"]
    (directory / "c1.json").unlink()
    assert directory_house.listed() == ["c2"]
    assert directory_house.send("GET", "c1").status_code == 404


def test_the_parts_of_a_house_start_empty(house: House) -> None:
    """Else the tests above would test one another."""
    assert isinstance(house.parts, Parts)
    assert house.listed() == []
