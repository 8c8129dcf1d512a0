"""The ring of the newest appends."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.write_ring import (
    RING_ENTRIES,
    WRITE_ID_BYTES,
    RingEntry,
    WriteRing,
    hash_of_turns,
    ring_of,
    write_id,
    write_id_of_key,
)
from everturn.ports.object_store import MAX_META_BYTES, checked_meta
from everturn.values.keys import Scope
from strategies.json_values import texts

MAX_INDEX = 2**31 - 1

write_ids = st.binary(min_size=WRITE_ID_BYTES, max_size=WRITE_ID_BYTES).map(write_id)
entries = st.builds(
    RingEntry, write_ids, st.binary(max_size=64).map(hash_of_turns), st.integers(0, MAX_INDEX)
)
many_entries = st.lists(entries, max_size=70, unique_by=lambda entry: entry.write_id)


def ring_with(appends: list[RingEntry]) -> WriteRing:
    ring = WriteRing()
    for entry in appends:
        ring = ring.with_entry(entry)
    return ring


@given(many_entries)
def test_the_newest_60_are_found_exactly_and_no_older_one(appends: list[RingEntry]) -> None:
    ring = ring_with(appends)
    for entry in appends[-RING_ENTRIES:]:
        assert ring.find(entry.write_id) == entry
    for entry in appends[:-RING_ENTRIES]:
        assert ring.find(entry.write_id) is None


@given(many_entries)
def test_the_newest_entry_stands_first(appends: list[RingEntry]) -> None:
    text = ring_with(appends).text
    ids = [text[at : at + 16] for at in range(0, len(text), 30)]
    assert ids == [entry.write_id for entry in reversed(appends)][:RING_ENTRIES]


@given(many_entries)
def test_the_metadata_fits_what_a_store_takes(appends: list[RingEntry]) -> None:
    meta = ring_with(appends).meta
    assert sum(len(name) + len(value) for name, value in meta.items()) <= MAX_META_BYTES
    assert checked_meta(meta) == meta


@given(many_entries)
def test_a_ring_reads_back_from_its_metadata(appends: list[RingEntry]) -> None:
    ring = ring_with(appends)
    assert ring_of(ring.meta) == ring


@given(many_entries, st.integers(0, 40))
def test_edits_are_counted_beside_the_entries_and_read_back(
    appends: list[RingEntry], edits: int
) -> None:
    ring = ring_with(appends)
    for _ in range(edits):
        ring = ring.edited()
    assert (ring.edits, ring.text) == (edits, ring_with(appends).text)
    assert ring_of(ring.meta) == ring
    assert sum(len(name) + len(value) for name, value in ring.meta.items()) <= MAX_META_BYTES
    entry = RingEntry("i" * 16, "h" * 8, 5)
    assert ring.with_entry(entry).edits == ring.scrubbed().edits == edits


def test_that_segments_are_kept_lasts_over_writes_until_a_life_ends() -> None:
    ring = replace(WriteRing(), keeps_segments=True)
    assert ring.meta == {"v": "1", "k": "1"}
    later = ring.with_entry(RingEntry("w" * 16, "h" * 8, 3)).edited()
    assert later.keeps_segments
    assert ring_of(later.meta) == later
    assert not later.scrubbed().keeps_segments


def test_a_ring_without_edits_says_nothing_of_them() -> None:
    assert WriteRing().meta == {"v": "1"}
    assert WriteRing().edited().meta == {"v": "1", "e": "000001"}
    assert WriteRing("", 36**6 - 1).meta == {"v": "1", "e": "zzzzzz"}


@pytest.mark.parametrize("text", ["", "1", "0000001", "00000A", "-00001", "0_0001", "00001 "])
def test_edits_of_another_program_count_as_none(text: str) -> None:
    assert ring_of({"v": "1", "e": text}).edits == 0


@given(many_entries)
def test_a_ring_is_full_once_an_entry_may_have_fallen_out(appends: list[RingEntry]) -> None:
    assert ring_with(appends).is_full is (len(appends) >= RING_ENTRIES)


@given(many_entries)
def test_a_scrubbed_ring_keeps_who_wrote_and_nothing_of_what(appends: list[RingEntry]) -> None:
    ring = ring_with(appends).scrubbed()
    for entry in appends[-RING_ENTRIES:]:
        found = ring.find(entry.write_id)
        assert found is not None
        assert found.is_former
        assert found.first_turn == 0


def test_sixty_appends_far_into_a_long_conversation_still_fit() -> None:
    """The longest ring there is: 1,803 bytes with the mark."""
    ring = ring_with(
        [RingEntry(write_id(bytes([n] * 12)), "h" * 8, MAX_INDEX - n) for n in range(70)]
    )
    assert sum(len(name) + len(value) for name, value in ring.meta.items()) == 1_803


@given(many_entries, st.integers(0, MAX_INDEX))
def test_a_ring_reaches_back_to_the_first_turn_of_its_oldest_entry(
    appends: list[RingEntry], turn: int
) -> None:
    ring = ring_with(appends)
    kept = appends[-RING_ENTRIES:]
    assert ring.reaches(turn) is bool(kept and kept[0].first_turn <= turn)
    assert not kept or ring.reaches(kept[0].first_turn)
    assert not kept or not ring.reaches(kept[0].first_turn - 1)


@given(entries, many_entries)
def test_an_id_that_stands_across_two_entries_is_not_found(
    entry: RingEntry, appends: list[RingEntry]
) -> None:
    text = ring_with([entry, *appends]).text
    across = text[7:23]
    known = {text[at : at + 16] for at in range(0, len(text), 30)}
    assert (WriteRing(text).find(across) is not None) is (across in known)


@pytest.mark.parametrize(
    "index", [0, 1, 35, 36, 46_655, 46_656, 1_679_615, 60_466_175, 60_466_176, MAX_INDEX]
)
def test_the_number_of_the_first_turn_survives(index: int) -> None:
    entry = RingEntry("i" * 16, "h" * 8, index)
    found = WriteRing().with_entry(entry).find("i" * 16)
    assert found == entry


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"v": "1"},
        {"w": ""},
        {"w": "x"},
        {"w": "a" * 29},
        {"w": "a" * 31},
        {"w": "!" * 30},
        {"w": "a" * 24 + "1_0000"},
        {"w": "a" * 24 + "ABCDEF"},
        {"w": "a" * 24 + " 00001"},
        {"w": "a" * 24 + "-00001"},
        {"w": "a" * 24 + "\u0660" * 6},
        {"w": "a" * 30 + "\n"},
        {"w": "a" * 30 * 61},
        {"W": "a" * 30},
        {"another": "a" * 30},
    ],
)
def test_metadata_of_another_program_holds_no_ring(meta: dict[str, str]) -> None:
    assert ring_of(meta) == WriteRing()


@given(st.dictionaries(st.sampled_from(["v", "w", "x"]), st.text() | st.text("aZ0_-", min_size=30)))
def test_whatever_the_metadata_is_looking_into_it_never_raises(meta: dict[str, str]) -> None:
    ring = ring_of(meta)
    ids = {"a" * 16, *(ring.text[at : at + 16] for at in range(0, len(ring.text), 30))}
    found = {entry.write_id for entry in map(ring.find, ids) if entry is not None}
    assert found == ids & {ring.text[at : at + 16] for at in range(0, len(ring.text), 30)}
    assert checked_meta(ring.meta)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((Scope("a", "b"), "c", "k"), (Scope("a", "b"), "c", "k2")),
        ((Scope("a", "b"), "c", "k"), (Scope("a", "b"), "c2", "k")),
        ((Scope("a", "b"), "c", "k"), (Scope("a", "b2"), "c", "k")),
        ((Scope("a", "b"), "c", "k"), (Scope("a2", "b"), "c", "k")),
        ((Scope("a|b", "c"), "d", "k"), (Scope("a", "b|c"), "d", "k")),
        ((Scope("a", "b"), "c|d", "k"), (Scope("a", "b"), "c", "d|k")),
        ((Scope("a/b", "c"), "d", "k"), (Scope("a", "b/c"), "d", "k")),
        ((Scope("ab", "c"), "d", "k"), (Scope("a", "bc"), "d", "k")),
        ((Scope("a", "b"), "cd", "k"), (Scope("a", "b"), "c", "dk")),
        ((Scope("a", "b"), "c", ""), (Scope("a", ""), "b", "c")),
        ((Scope("a\x00\x00\x00\x01b", ""), "c", "k"), (Scope("a", "b"), "c", "k")),
    ],
)
def test_one_key_means_another_write_elsewhere(
    one: tuple[Scope, str, str], other: tuple[Scope, str, str]
) -> None:
    assert write_id_of_key(*one) != write_id_of_key(*other)


parts = st.tuples(texts, texts, texts, texts)


@given(parts, parts | st.permutations(["a", "b", "", "ab"]).map(tuple))
def test_only_the_same_scope_conversation_and_key_share_a_write_id(
    one: tuple[str, str, str, str], other: tuple[str, str, str, str]
) -> None:
    ids = [write_id_of_key(Scope(t, a), c, key) for t, a, c, key in (one, other)]
    assert (ids[0] == ids[1]) is (one == other)


@given(parts)
def test_a_write_id_says_nothing_of_the_key(four: tuple[str, str, str, str]) -> None:
    tenant, actor, conversation_id, key = four
    made = write_id_of_key(Scope(tenant, actor), conversation_id, key)
    assert re.fullmatch(r"[A-Za-z0-9_-]{16}", made)


@given(st.binary(), st.binary())
def test_other_turns_have_another_hash(one: bytes, other: bytes) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{8}", hash_of_turns(one))
    assert (hash_of_turns(one) == hash_of_turns(other)) is (one == other)
