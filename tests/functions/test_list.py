"""GET /v1/conversations: order, pages, filters, rows."""

import base64

import pytest

from functions.house import CONVERSATIONS, House, fault


def _walk(house: House, limit: int, **params: str) -> list[list[str]]:
    """The ids of all pages."""
    pages: list[list[str]] = []
    cursor: dict[str, str] = {}
    while True:
        page = house.read(CONVERSATIONS, limit=limit, **params, **cursor)
        pages.append([row["conversation_id"] for row in page["conversations"]])
        if "next_cursor" not in page:
            return pages
        cursor = {"cursor": page["next_cursor"]}


def test_an_empty_list_is_a_list(house: House) -> None:
    assert house.read(CONVERSATIONS) == {"conversations": [], "skipped": 0}


def test_a_row_shows_title_preview_count_and_time(house: House) -> None:
    house.append("c1", "What\n is  this?", "b" * 101)
    row = {
        "conversation_id": "c1", "title": "What is this?", "preview": "b" * 100 + "…",
        "turn_count": 2, "updated": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    assert house.read(CONVERSATIONS)["conversations"] == [row]
    house.send("PATCH", "c1", json={"folder": "work", "archived": True})
    shown = house.read(CONVERSATIONS)["conversations"][0]
    assert (shown["folder"], shown["archived"]) == ("work", True)


def test_the_newest_comes_first_and_ties_go_by_id(house: House) -> None:
    for id_ in ("b", "a", "c"):
        house.append(id_, "x")
    house.clock.sleep(1)
    house.append("d", "x")
    assert house.listed() == ["d", "a", "b", "c"]
    house.clock.sleep(1)
    house.append("c", "y")
    assert house.listed() == ["c", "d", "a", "b"]


@pytest.mark.parametrize("limit", [1, 2, 7, 8, 1_000])
def test_a_walk_shows_every_conversation_once(house: House, limit: int) -> None:
    ids = [f"c{number}" for number in range(7)]
    for id_ in ids:
        house.append(id_, "x")
    pages = _walk(house, limit)
    assert [id_ for page in pages for id_ in page] == ids
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert pages[-1], "a cursor after which nothing comes"


def test_what_is_written_during_a_walk_moves_above_the_cursor(house: House) -> None:
    for id_ in ("a", "b", "c", "d"):
        house.append(id_, "x")
        house.clock.sleep(1)
    first = house.read(CONVERSATIONS, limit=2)
    house.append("b", "newer")
    house.append("new", "x")
    rest = house.read(CONVERSATIONS, cursor=first["next_cursor"])
    shown = [row["conversation_id"] for row in first["conversations"] + rest["conversations"]]
    assert shown == ["d", "c", "a"]
    assert house.listed()[:2] == ["b", "new"]


GARBAGE = ["bm90LWEtY3Vyc29y", "../../", "%", "", " ", "é", "x" * 5_000, "W10", "WzEsMl0"]


@pytest.mark.parametrize("cursor", GARBAGE)
def test_a_cursor_that_no_list_gave_out_is_refused(directory_house: House, cursor: str) -> None:
    directory_house.append("c1", "x")
    response = directory_house.client.get(CONVERSATIONS, params={"cursor": cursor})
    assert fault(response, 422)["field"] == "cursor"


FORGED = ["1" + "0" * 5_000, f"-{10**30}", f"{10**30}", "1e400", "true", "1.5", "null", '"1"']


@pytest.mark.parametrize("number", FORGED, ids=range(len(FORGED)))
def test_a_forged_cursor_is_no_server_fault(directory_house: House, number: str) -> None:
    directory_house.append("c1", "x")
    cursor = base64.urlsafe_b64encode(f'[{number},"c1"]'.encode()).decode().rstrip("=")
    response = directory_house.client.get(CONVERSATIONS, params={"cursor": cursor})
    assert response.status_code in {200, 422}


def test_filters_choose_by_folder_archived_and_a_part_of_the_title(house: House) -> None:
    for id_, title, folder in (("a", "Trip to LISBON", "work"), ("b", "Straße", "home")):
        body = {"conversation_id": id_, "title": title, "folder": folder}
        house.client.post(CONVERSATIONS, json=body)
        house.append(id_, "x")
    house.append("c", "lisbon again")
    house.send("PATCH", "b", json={"archived": True})
    assert house.listed(folder="work") == ["a"]
    assert house.listed(archived="true") == ["b"]
    assert sorted(house.listed(archived="false")) == ["a", "c"]
    assert sorted(house.listed(q="lisbon")) == ["a", "c"]
    assert house.listed(q="STRASSE") == ["b"]
    assert house.listed(q="nothing") == []
    assert house.listed(folder="work", q="again") == []


@pytest.mark.parametrize("value", ["maybe", "", "2"])
def test_archived_is_true_or_false(directory_house: House, value: str) -> None:
    response = directory_house.client.get(CONVERSATIONS, params={"archived": value})
    assert fault(response, 422)["field"] == "archived"


def test_filtered_pages_tile_what_matches(house: House) -> None:
    for number in range(6):
        house.append(f"c{number}", "odd" if number % 2 else "even")
    assert _walk(house, 2, q="odd") == [["c1", "c3"], ["c5"]]


def test_empty_and_deleted_conversations_are_not_listed(house: House) -> None:
    house.client.post(CONVERSATIONS, json={"conversation_id": "empty", "title": "T"})
    house.append("gone", "x")
    house.send("DELETE", "gone")
    house.append("c1", "x")
    assert house.read(CONVERSATIONS)["skipped"] == 0
    assert house.listed() == ["c1"]


def test_a_list_of_unchanged_conversations_is_one_page_and_its_cache(house: House) -> None:
    for number in range(5):
        house.append(f"c{number}", "x")
    house.listed()
    house.data.calls.clear()
    house.parts.derived.calls.clear()
    house.listed()
    assert (house.data.verbs(), house.parts.derived.verbs()) == (["list"], ["get"])
    house.append("c3", "y")
    house.data.calls.clear()
    house.listed()
    assert sorted(house.data.verbs()) == ["get", "list"]


def test_a_lost_or_broken_cache_costs_a_rebuild_and_nothing_else(house: House) -> None:
    house.append("c1", "x")
    before = house.read(CONVERSATIONS)
    for broken in (b"", b"{", b'{"version":1,"rows":[[1]]}', b"\xff", b"[" * 100_000):
        house.parts.derived.inner.overwrite("i/local/local/conversations", broken)
        assert house.read(CONVERSATIONS) == before
