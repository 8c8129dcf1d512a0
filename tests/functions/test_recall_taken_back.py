"""Recall after a turn was redacted, popped, deleted or erased, whatever was indexed before."""

import pytest

from everturn.ports.object_store import StoredObject
from everturn.recall.index.index_files import decode_chunk
from everturn.recall.language.terms import hash_of_text
from everturn.storage.list_keys import list_all
from everturn.values.keys import vectors_prefix
from fakes.fake_embedder import FakeEmbedder
from functions.house import LOCAL, House, embedders_of
from functions.recalled import say, texts

ONE, ALL = "c1", None
SECRET = "zanzibar"
SAID = f"my word is {SECRET}"


def _taken_back(house: House, how: str) -> None:
    if how == "redacted":
        assert house.send("PATCH", "c1", "/turns/1", json={}).is_success
    elif how == "popped":
        assert house.send("DELETE", "c1", "/turns/last?expected_turn_count=2").is_success
    else:
        assert house.send("DELETE", "c1").is_success


@pytest.mark.parametrize("how", ["redacted", "popped", "deleted"])
@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize("warm", [False, True])
def test_what_was_taken_back_never_comes_back(
    house: House, how: str, *, semantic: bool, warm: bool
) -> None:
    """Whatever was indexed before: in this process, in another one with a warm cache, in files."""
    house.parts.embedders = embedders_of(FakeEmbedder(semantic=semantic))
    say(house, "hello there", SAID)
    assert SECRET in texts(house.recall(SECRET))[0]
    assert SECRET in texts(house.recall(SECRET, ALL))[0]
    assert (hash_of_text(SAID) in _indexed(house)) is semantic
    if not warm:
        house.parts.forget()
    _taken_back(house, how)

    response = house.ask(SECRET, neighbours=9)
    assert response.status_code == (404 if how == "deleted" else 200)
    for answer in (response, house.ask(SECRET, ALL, neighbours=9)):
        assert SECRET not in answer.text.replace(f'"{SECRET}"', "")
        assert not [hit for hit in answer.json().get("hits", ()) if hit["index"] == 1]
    assert hash_of_text(SAID) not in _indexed(house)


def _indexed(house: House) -> set[int]:
    """The hashes of all texts that a file of the index has a row of."""
    store, hashes = house.parts.derived.inner, set[int]()
    for entry in list_all(store, vectors_prefix(LOCAL, "c1")):
        found = store.get(entry.key)
        assert isinstance(found, StoredObject)
        models = (("fake.64", 64), ("terms", 0))
        read = [decode_chunk(found.body, model=model, dimensions=d) for model, d in models]
        [rows] = [rows for rows in read if rows is not None]
        hashes |= set(map(int, rows.hashes))
    return hashes


def test_a_turn_taken_back_and_said_otherwise_is_found_as_it_is_now(house: House) -> None:
    house.parts.embedders = embedders_of(FakeEmbedder())
    say(house, "hello there", f"my word is {SECRET}")
    house.recall(SECRET)
    house.send("PATCH", "c1", "/turns/1", json={"text": "my word is porcelain"})
    assert texts(house.recall("porcelain"))[0] == "my word is porcelain"
    assert all(SECRET not in text for text in texts(house.recall(SECRET)))


def test_a_conversation_created_anew_shows_nothing_of_the_one_before(house: House) -> None:
    house.parts.embedders = embedders_of(FakeEmbedder())
    say(house, f"my word is {SECRET}", "hello")
    house.recall(SECRET)
    house.send("DELETE", "c1")
    house.client.post("/v1/conversations", json={"conversation_id": "c1"})
    say(house, "good day", "to you")
    for id_ in (ONE, ALL):
        assert all(SECRET not in text for text in texts(house.recall(SECRET, id_)))
        assert texts(house.recall("good day", id_))[0] == "good day"


def test_another_turn_at_the_number_of_a_popped_one_has_its_own_row(house: House) -> None:
    house.parts.embedders = embedders_of(FakeEmbedder())
    say(house, "hello there", SAID)
    house.recall(SECRET)
    _taken_back(house, "popped")
    say(house, "my word is porcelain")
    assert texts(house.recall("porcelain"))[0] == "my word is porcelain"
    assert hash_of_text(SAID) not in _indexed(house)
    assert SECRET not in str(texts(house.recall(SECRET)))


def test_an_erased_user_has_no_index_left(house: House) -> None:
    house.parts.embedders = embedders_of(FakeEmbedder())
    say(house, "hello there", SAID)
    house.recall(SECRET)
    assert _indexed(house)
    assert house.client.delete("/v1/me").json()["complete"]
    assert _indexed(house) == set()
    assert house.recall(SECRET, ALL)["hits"] == []
