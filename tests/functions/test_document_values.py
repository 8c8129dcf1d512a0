"""A list of documents with their values, over a directory and over S3."""

from urllib.parse import quote

from functions.house import House, Json

DOCUMENTS = "/v1/documents/state"


def put(house: House, key: str, value: object) -> None:
    path = f"{DOCUMENTS}/{quote(key, safe='')}"
    assert house.client.put(path, json={"value": value}).status_code in {200, 201}


def test_a_list_may_show_each_document_with_its_value(house: House) -> None:
    values: Json = {"a": {"n": 1}, "b": None, "/memories/a.md": "text", "~": [0.5]}
    for key, value in values.items():
        put(house, key, value)
    rows = house.read(DOCUMENTS, values="true")["documents"]
    assert {row["key"]: row["value"] for row in rows} == values
    for row in rows:
        read = house.read(f"{DOCUMENTS}/{quote(row['key'], safe='')}")
        del read["space"]
        assert row == read
    assert "value" not in house.read(DOCUMENTS, values="false")["documents"][0]
    put(house, "a", 2)
    shown = house.read(DOCUMENTS, values="true", prefix="a")["documents"]
    assert [row["value"] for row in shown] == [2]


def test_a_list_with_values_is_walked_in_pages_that_fit_into_an_answer(house: House) -> None:
    for letter in "abcd":
        put(house, letter, "<" * 170_000 + letter)
    read: list[str] = []
    page: Json = {"next_cursor": None}
    pages = 0
    while "next_cursor" in page:
        cursor = page["next_cursor"]
        page = house.read(DOCUMENTS, values="true", **({"cursor": cursor} if cursor else {}))
        read += [row["value"][-1] for row in page["documents"]]
        pages += 1
    assert (read, pages) == (["a", "b", "c", "d"], 2)
