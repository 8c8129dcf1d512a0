"""GET of a conversation, of its turns and of its file: pages, limits, what an answer holds."""

import pytest

from functions.house import CONVERSATIONS, House, fault

NOW = "2026-01-01T00:00:00Z"
ROUTES = [f"{CONVERSATIONS}/c1", f"{CONVERSATIONS}/c1/turns", CONVERSATIONS]


def _texts(first: int, end: int) -> list[str]:
    return [f"m{number}" for number in range(first, end)]


def test_a_conversation_comes_with_a_page_of_turns(house: House) -> None:
    house.client.post(CONVERSATIONS, json={"conversation_id": "c1", "title": "T"})
    house.append("c1", *_texts(0, 60))
    page = house.read(f"{CONVERSATIONS}/c1")
    turns = page.pop("turns")
    assert page == {
        "conversation_id": "c1", "title": "T", "turn_count": 60, "next": 50,
        "updated": "2026-01-01T00:00:00.000000001Z",
    }  # fmt: skip
    assert turns[7] == {"index": 7, "role": "user", "text": "m7", "ts": NOW}
    rest = house.read(f"{CONVERSATIONS}/c1", **{"from": 50})
    assert [turn["text"] for turn in turns + rest["turns"]] == _texts(0, 60)
    assert "next" not in rest


def test_folder_archived_and_metadata_show_where_they_are_set(house: House) -> None:
    house.append("c1", "a")
    assert not {"folder", "archived", "metadata"} & set(house.read(f"{CONVERSATIONS}/c1"))
    body = {"folder": "work", "archived": True, "metadata": {"k": 1}}
    house.send("PATCH", "c1", json=body)
    page = house.read(f"{CONVERSATIONS}/c1")
    assert {name: page[name] for name in body} == body


def test_without_parameters_the_turns_are_the_last_sixteen(house: House) -> None:
    house.append("c1", *_texts(0, 20))
    page = house.read(f"{CONVERSATIONS}/c1/turns")
    assert [turn["text"] for turn in page["turns"]] == _texts(4, 20)
    assert (set(page), page["turn_count"]) == ({"turns", "turn_count"}, 20)


def test_a_resume_is_one_request(house: House) -> None:
    house.append("c1", *_texts(0, 20))
    house.data.calls.clear()
    house.read(f"{CONVERSATIONS}/c1/turns", last=16)
    assert house.data.verbs() == ["get"]


@pytest.mark.parametrize("limit", [1, 7, 20, 1_000])
def test_pages_of_turns_tile_the_conversation(house: House, limit: int) -> None:
    house.append("c1", *_texts(0, 20))
    walked: list[str] = []
    first: int | None = 0
    while first is not None:
        page = house.read(f"{CONVERSATIONS}/c1/turns", **{"from": first, "limit": limit})
        assert len(page["turns"]) <= limit
        walked += [turn["text"] for turn in page["turns"]]
        first = page.get("next")
    assert walked == _texts(0, 20)


def test_from_beyond_the_end_is_an_empty_page(house: House) -> None:
    house.append("c1", "a")
    page = house.read(f"{CONVERSATIONS}/c1/turns", **{"from": 7})
    assert (page["turns"], page["turn_count"]) == ([], 1)


@pytest.mark.parametrize("other", [{"from": 0}, {"limit": 3}])
def test_last_excludes_from_and_limit(house: House, other: dict[str, int]) -> None:
    house.append("c1", "a")
    response = house.client.get(f"{CONVERSATIONS}/c1/turns", params={"last": 2, **other})
    assert fault(response, 422)["field"] == "last"


@pytest.mark.parametrize("value", ["0", "-1", "abc", "2.5", "", " ", "1e3", "0x10", "9" * 5_000])
@pytest.mark.parametrize(
    ("route", "name"), [(ROUTES[0], "limit"), (ROUTES[1], "limit"), (ROUTES[1], "last"),
                        (ROUTES[2], "limit")],
)  # fmt: skip
def test_a_count_that_is_no_positive_integer_is_refused(
    directory_house: House, route: str, name: str, value: str
) -> None:
    directory_house.append("c1", "a")
    error = fault(directory_house.client.get(route, params={name: value}), 422)
    assert (error["code"], error["field"]) == ("invalid_request", name)


@pytest.mark.parametrize("value", ["-1", "abc", "2.5", "", "9" * 5_000])
def test_a_from_that_is_no_number_of_a_turn_is_refused(directory_house: House, value: str) -> None:
    directory_house.append("c1", "a")
    for route in ROUTES[:2]:
        error = fault(directory_house.client.get(route, params={"from": value}), 422)
        assert error["field"] == "from"


def test_a_limit_too_large_is_clamped_to_a_thousand(directory_house: House) -> None:
    house = directory_house
    house.append("c1", *_texts(0, 1_000))
    house.append("c1", *_texts(1_000, 1_003))
    for name in ("last", "limit"):
        page = house.read(f"{CONVERSATIONS}/c1/turns", **{name: 1_000_000})
        assert len(page["turns"]) == 1_000
    assert house.read(f"{CONVERSATIONS}/c1", limit=1_000_000)["next"] == 1_000


def test_last_says_when_it_begins_inside_a_tool_exchange(house: House) -> None:
    call = [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "42"}]
    turns = [
        {"role": "user", "text": "q"},
        {"role": "assistant", "content": call},
        {"role": "user", "content": result},
        {"role": "tool", "text": "r"},
        {"role": "assistant", "text": "a"},
    ]
    house.append_turns("c1", turns)
    begins = {
        last: house.read(f"{CONVERSATIONS}/c1/turns", last=last).get("orphan_tool")
        for last in (1, 2, 3, 4, 5)
    }
    assert begins == {1: None, 2: True, 3: True, 4: None, 5: None}


def test_an_answer_stops_at_three_mebibytes_and_says_where_the_rest_is(house: House) -> None:
    for _ in range(5):
        house.append("c1", "x" * 1_000_000)
    response = house.client.get(f"{CONVERSATIONS}/c1")
    assert len(response.content) <= 3 * 1_048_576
    assert response.json()["next"] == len(response.json()["turns"])


def test_last_of_turns_too_large_for_one_answer_gives_the_newest(house: House) -> None:
    for _ in range(5):
        house.append("c1", "x" * 1_000_000)
    page = house.read(f"{CONVERSATIONS}/c1/turns", last=4)
    assert [turn["index"] for turn in page["turns"]] == [2, 3, 4]
    assert "next" not in page


def test_an_export_is_the_stored_file_byte_for_byte(house: House) -> None:
    house.append("c1", "a<b>&\u2028 é \U0001f600")
    house.send("PATCH", "c1", json={"title": "T", "metadata": {"k": [1, None]}})
    response = house.send("GET", "c1", "/export")
    assert response.content == house.stored()
    assert response.headers["content-type"] == "application/json"


def test_an_export_above_three_mebibytes_names_the_paged_route(house: House) -> None:
    for _ in range(4):
        house.append("c1", "x" * 1_000_000)
    error = fault(house.send("GET", "c1", "/export"), 413)
    assert error["code"] == "too_large"
    assert "/turns" in error["message"]


@pytest.mark.parametrize("route", ["", "/turns", "/export"])
def test_an_unknown_conversation_is_not_found(house: House, route: str) -> None:
    error = fault(house.send("GET", "nope", route), 404)
    assert (error["code"], error["retryable"]) == ("not_found", False)
