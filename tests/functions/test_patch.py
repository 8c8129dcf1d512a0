"""PATCH /v1/conversations/{id}: names, folders and metadata change, turns and order do not."""

from typing import Any

import pytest

from functions.house import CONVERSATIONS, House, fault


def test_a_patch_is_answered_by_the_summary(house: House) -> None:
    house.append("c1", "a")
    body = {"title": "T", "folder": "work", "archived": True}
    assert house.send("PATCH", "c1", json=body).json() == {
        "conversation_id": "c1", "title": "T", "preview": "a", "turn_count": 1,
        "updated": "2026-01-01T00:00:00.000000001Z", "folder": "work", "archived": True,
    }  # fmt: skip
    assert house.texts() == ["a"]


def test_metadata_is_merged_by_key_and_null_removes(house: House) -> None:
    house.append("c1", "a")

    def metadata(change: object) -> object:
        assert house.send("PATCH", "c1", json={"metadata": change}).status_code == 200
        return house.read(f"{CONVERSATIONS}/c1").get("metadata")

    assert metadata({"a": 1, "b": {"x": 1}}) == {"a": 1, "b": {"x": 1}}
    assert metadata({"b": {"y": 2}, "c": None}) == {"a": 1, "b": {"y": 2}}
    assert metadata({"a": None}) == {"b": {"y": 2}}
    assert metadata({"b": None}) is None


def test_what_is_not_sent_stays(house: House) -> None:
    house.append("c1", "a")
    house.send("PATCH", "c1", json={"title": "T", "folder": "f", "metadata": {"k": 1}})
    house.send("PATCH", "c1", json={"archived": True})
    page = house.read(f"{CONVERSATIONS}/c1")
    kept = {name: page[name] for name in ("title", "folder", "metadata", "archived")}
    assert kept == {"title": "T", "folder": "f", "metadata": {"k": 1}, "archived": True}


def test_null_removes_title_and_folder(house: House) -> None:
    house.append("c1", "a")
    house.send("PATCH", "c1", json={"title": "T", "folder": "f"})
    answer = house.send("PATCH", "c1", json={"title": None, "folder": None}).json()
    assert (answer["title"], "folder" in answer) == ("a", False)


def test_updated_moves_by_one_nanosecond_and_the_order_stays(house: House) -> None:
    house.append("old", "a")
    house.clock.sleep(10)
    house.append("new", "b")
    answer = house.send("PATCH", "old", json={"title": "Renamed"}).json()
    assert answer["updated"] == "2026-01-01T00:00:00.000000001Z"
    assert house.listed() == ["new", "old"]


@pytest.mark.parametrize(
    "body", [{}, {"title": "T"}, {"archived": False}, {"metadata": {"x": None}}]
)
def test_a_patch_that_changes_nothing_writes_nothing(house: House, body: dict[str, Any]) -> None:
    house.client.post(CONVERSATIONS, json={"conversation_id": "c1", "title": "T"})
    before = house.stored()
    house.data.calls.clear()
    assert house.send("PATCH", "c1", json=body).status_code == 200
    assert (house.data.verbs(), house.stored()) == (["get"], before)


def test_a_long_title_is_cut_in_lists_and_kept_whole_in_the_record(house: House) -> None:
    house.append("c1", "a")
    title = "t" * 500
    answer = house.send("PATCH", "c1", json={"title": title}).json()
    assert answer["title"] == "t" * 60 + "…"
    assert house.stored_json()["title"] == title
    assert house.read(f"{CONVERSATIONS}/c1")["title"] == title


def test_a_patch_beside_an_append_loses_neither(house: House) -> None:
    house.append("c1", "a")
    remembered = house.parts.heads
    house.parts.forget()
    house.send("PATCH", "c1", json={"title": "T"})
    house.parts.heads = remembered
    house.append("c1", "b")
    assert house.texts() == ["a", "b"]
    assert house.read(f"{CONVERSATIONS}/c1")["title"] == "T"


def test_an_idempotency_key_outlives_a_patch(house: House) -> None:
    house.append("c1", "a", key="k")
    house.send("PATCH", "c1", json={"title": "T"})
    house.parts.forget()
    assert house.append("c1", "a", key="k").json()["replayed"] is True


def test_an_unknown_or_deleted_conversation_is_not_found(house: House) -> None:
    house.append("gone", "a")
    house.send("DELETE", "gone")
    for id_ in ("nope", "gone"):
        assert fault(house.send("PATCH", id_, json={"title": "T"}), 404)["code"] == "not_found"
        assert house.send("GET", id_).status_code == 404
    assert house.listed() == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"title": 7}, "title"),
        ({"title": "t" * 1_001}, "title"),
        ({"folder": []}, "folder"),
        ({"archived": "yes"}, "archived"),
        ({"archived": None}, "archived"),
        ({"metadata": "m"}, "metadata"),
        ({"metadata": {"k": "v" * 16_384}}, "metadata"),
        ({"turns": []}, "turns"),
        ({"conversation_id": "c2"}, "conversation_id"),
        ({"updated": "2030-01-01T00:00:00Z"}, "updated"),
    ],
)
def test_a_wrong_field_is_named(directory_house: House, body: dict[str, Any], path: str) -> None:
    directory_house.append("c1", "a")
    before = directory_house.stored()
    assert fault(directory_house.send("PATCH", "c1", json=body), 422)["field"] == path
    assert directory_house.stored() == before


def test_metadata_stays_below_its_limit_over_many_patches(directory_house: House) -> None:
    directory_house.append("c1", "a")
    half = "v" * 10_000
    assert directory_house.send("PATCH", "c1", json={"metadata": {"a": half}}).status_code == 200
    error = fault(directory_house.send("PATCH", "c1", json={"metadata": {"b": half}}), 422)
    assert error["field"] == "metadata"
