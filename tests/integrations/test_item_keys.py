"""Keys of items: plain ids, one for each path and key, listed by the beginning of a path."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.integrations.item_keys import item_key, items_prefix, path_of_item

# What the server keeps as it is (README, ids), and lists without opening it.
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)
LABELS = st.one_of(
    st.text("ab.-_dhz/%", max_size=4),
    st.sampled_from(["", "memories", "x" * 64, "x" * 65, "é", "e\u0301", "\x00", "\ud800", "."]),
    st.text(max_size=80),
)
PATHS = st.lists(LABELS, max_size=4).map(tuple)


@given(path=PATHS, key=LABELS)
def test_every_key_is_a_plain_id(path: tuple[str, ...], key: str) -> None:
    assert PLAIN.fullmatch(item_key(path, key))
    assert PLAIN.fullmatch(items_prefix(path))


@given(items=st.sets(st.tuples(PATHS, LABELS), max_size=30))
def test_no_two_items_have_one_key(items: set[tuple[tuple[str, ...], str]]) -> None:
    keys = {item_key(path, key) for path, key in items}
    assert len(keys) == len(items)


@given(path=PATHS, more=PATHS, key=LABELS)
def test_an_item_is_found_by_the_beginning_of_its_path(
    path: tuple[str, ...], more: tuple[str, ...], key: str
) -> None:
    assert item_key(path + more, key).startswith(items_prefix(path))


@given(path=PATHS, other=PATHS, key=LABELS)
def test_an_item_elsewhere_is_not_found_but_below_a_long_path(
    path: tuple[str, ...], other: tuple[str, ...], key: str
) -> None:
    begins = item_key(other, key).startswith(items_prefix(path))
    assert begins == (other[: len(path)] == path) or len(items_prefix(path)) == 94


@given(path=PATHS, key=LABELS)
def test_the_path_is_read_off_a_key_or_is_not_known(path: tuple[str, ...], key: str) -> None:
    assert path_of_item(item_key(path, key)) in {path, None}


@pytest.mark.parametrize(
    ("path", "key", "shown"),
    [
        (("memories", "user-1"), "a_b", "imemories.-user-1.-._a_b"),
        (("v1.2",), "notes.md", "iv1.d2.-._notes.dmd"),
        ((), "", "i._"),
        (("", ""), "", "i.-.-._"),
        (("x" * 64,), "k", f"i{'x' * 64}.-._k"),
    ],
)
def test_plain_labels_stay_readable(path: tuple[str, ...], key: str, shown: str) -> None:
    assert item_key(path, key) == shown
    assert path_of_item(shown) == path


@pytest.mark.parametrize("text", ["ann@example.com", "likes tea", "é", "x" * 65, "a/b"])
def test_what_is_no_plain_name_is_not_in_the_key(text: str) -> None:
    for key in (item_key(("users", text), "k"), item_key(("users",), text)):
        assert text not in key
        assert "ann" not in key
        assert len(key) <= 64
    assert path_of_item(item_key(("users", text), "k")) is None
    assert path_of_item(item_key(("users",), text)) == ("users",)


def test_a_long_path_is_cut_and_its_items_still_begin_alike() -> None:
    path = ("x" * 60, "y" * 60, "z")
    keys = {item_key(path, f"k{number}") for number in range(100)}
    assert len(keys) == 100
    assert {len(key) for key in keys} == {122}
    assert {key.startswith(items_prefix(path)) for key in keys} == {True}
    assert path_of_item(keys.pop()) is None


@pytest.mark.parametrize("key", ["", "x", "notes.md"])
def test_a_key_that_is_none_of_ours_has_no_path(key: str) -> None:
    assert path_of_item(key) is None
