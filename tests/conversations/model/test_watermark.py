"""The file of a watermark.

How far a conversation was read, and whether its turns are still those.
"""

import json
import os
from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import turn
from everturn.conversations.model.encoded_turns import redacted
from everturn.conversations.model.extraction_window import MAX_TURNS
from everturn.conversations.model.turn import END_TIME_NS
from everturn.conversations.model.watermark import (
    Watermark,
    parse_watermark,
    turn_hash,
    turn_hashes,
)
from everturn.errors import CorruptRecordError
from everturn.values.go_json import JsonObject, JsonValue
from golden_files import GOLDEN_FILES, golden_bytes
from strategies.json_values import json_values, texts

READ_NS: Final = 1_767_258_000 * 10**9
WRITE_GOLDEN = "EVERTURN_WRITE_GOLDEN"
TURNS = [turn(number) for number in range(3 * MAX_TURNS)]
GOLDEN = (
    Watermark("c1")
    .past(TURNS[:50], now_ns=READ_NS)
    .past(TURNS[50:53], now_ns=READ_NS)
    .after_failure(size=12)
    .before_applying("".join(turn_hashes(TURNS[53:55])), "0123456789abcdef")
)

hashes = st.binary(min_size=4, max_size=4).map(bytes.hex)


@st.composite
def marks(draw: st.DrawFn) -> Watermark:
    """Draw a watermark as it may be stored."""
    known = tuple(draw(st.lists(hashes, max_size=MAX_TURNS)))
    first = draw(st.integers(0, 10**9))
    return Watermark(
        draw(texts), first + len(known), first if known else 0, known,
        draw(st.just(0) | st.integers(1, END_TIME_NS - 1)),
        draw(st.integers(1, MAX_TURNS)), draw(st.integers(0, 10**6)),
        "".join(draw(st.lists(hashes, max_size=3))), draw(st.just("") | hashes),
    )  # fmt: skip


def _read(count: int) -> Watermark:
    """Return the watermark of a conversation that was read in windows of ten."""
    mark = Watermark("c1")
    for at in range(0, count, 10):
        mark = mark.past(TURNS[at : min(at + 10, count)], now_ns=READ_NS)
    return mark


def _after(mark: Watermark, now: Sequence[JsonValue]) -> Watermark:
    return mark.held_by(now[mark.first :])


def _gone(value: JsonObject) -> JsonValue:
    return redacted(value, text="").value


def test_a_file_says_the_same_as_ever() -> None:
    """Whoever was consolidated by an earlier release goes on with this one."""
    if os.environ.get(WRITE_GOLDEN):
        path = GOLDEN_FILES / "watermark.json"
        path.write_bytes(GOLDEN.encode())
    assert GOLDEN.encode() == golden_bytes("watermark.json")
    assert parse_watermark(golden_bytes("watermark.json")) == GOLDEN


@given(marks())
def test_a_file_is_read_as_it_was_written(mark: Watermark) -> None:
    assert parse_watermark(mark.encode()) == mark


@given(marks())
def test_a_file_holds_no_text_of_a_turn(mark: Watermark) -> None:
    fields = json.loads(mark.encode())
    assert set(fields) == {
        "conversation_id", "turns", "first", "hashes", "read", "size", "failures", "applying",
        "decided",
    }  # fmt: skip


@given(st.integers(0, 10**12))
def test_a_file_that_says_turns_alone_is_at_the_beginning_otherwise(turns: int) -> None:
    body = b'{"conversation_id":"a","turns":%d,"new":1}' % turns
    assert parse_watermark(body) == Watermark("a", turns)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"7", b"{}", b'{"turns":null}', b'{"turns":"7"}',
        b'{"turns":7.0}', b'{"turns":true}', b'{"turns":-1}', b'{"turns":1e999}', b"\xff",
        b"[" * 100_000, b'{"turns":7,"size":"x"}', b'{"turns":7,"first":-1}',
        b'{"turns":7,"failures":true}', b'{"turns":2,"first":0,"hashes":"aaaaaaaa"}',
        b'{"turns":1,"first":1,"hashes":"aaaaaaaa"}',
    ],
)  # fmt: skip
def test_what_says_nothing_of_it_is_corrupt(body: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        parse_watermark(body)


@given(json_values, st.sampled_from([*json.loads(GOLDEN.encode())]))
def test_a_value_of_another_shape_is_corrupt_or_harmless(value: JsonValue, name: str) -> None:
    body = json.dumps({**json.loads(GOLDEN.encode()), name: value}).encode()
    try:
        mark = parse_watermark(body)
    except CorruptRecordError:
        return
    assert mark.turns >= 0
    assert mark.size >= 1
    assert _after(mark, TURNS[: mark.turns]).turns <= mark.turns


@pytest.mark.parametrize("count", [0, 1, 9, 49, 50, 51, 120])
def test_turns_that_are_the_same_are_held(count: int) -> None:
    mark = _read(count)
    assert mark.turns == count
    assert _after(mark, TURNS) == mark
    assert _after(mark, TURNS[:count]) == mark


@given(st.integers(0, 120), st.integers(0, 60))
def test_turns_taken_back_take_it_back_as_far(count: int, popped: int) -> None:
    """Beyond the fifty of which something is known it begins anew."""
    popped = min(popped, count)
    left, mark = count - popped, _read(count)
    held = _after(mark, TURNS[:left])
    assert held.turns == (left if left > mark.first or not popped else 0)
    assert held.turns <= left
    assert len(held.hashes) == held.turns - held.first


@given(st.integers(1, 120), st.integers(0, 119))
def test_it_goes_back_to_the_first_turn_that_is_another(count: int, at: int) -> None:
    at = min(at, count - 1)
    mark = _read(count)
    now = [*TURNS[:at], turn(at, "another"), *TURNS[at + 1 :]]
    held = _after(mark, now)
    if at < mark.first:
        # Nothing is known of turns so old; nobody but another program changes them.
        assert held == mark
    else:
        assert held.turns == (at if at > mark.first else 0)


@given(st.integers(1, 120), st.sets(st.integers(0, 119), max_size=5))
def test_a_redacted_turn_is_still_that_turn(count: int, numbers: set[int]) -> None:
    """Unless it is all that is known: then another life of the id looks alike."""
    mark = _read(count)
    now = [_gone(one) if at in numbers else one for at, one in enumerate(TURNS)]
    if not set(range(mark.first, count)) <= numbers:
        assert _after(mark, now) == mark


@given(st.integers(0, 120), st.integers(0, 120), st.data())
def test_it_never_goes_on_nor_beyond_what_is_there(
    count: int, there: int, data: st.DataObject
) -> None:
    other = [turn(at, "another") for at in range(len(TURNS))]
    pick = st.integers(0, 2)
    choices = [(one, two, _gone(one)) for one, two in zip(TURNS, other, strict=True)]
    now = [choice[data.draw(pick)] for choice in choices[:there]]
    mark = _read(count)
    held = _after(mark, now)
    assert held.turns <= mark.turns
    assert not held.hashes or held.turns <= there
    assert _after(held, now) == held


@pytest.mark.parametrize("start", [0, 30, 50])
@given(st.lists(st.integers(1, MAX_TURNS), max_size=3))
def test_the_hashes_of_the_last_fifty_turns_are_kept(start: int, sizes: list[int]) -> None:
    mark = Watermark("c1").past(TURNS[:start], now_ns=READ_NS)
    for size in sizes:
        mark = mark.past(TURNS[mark.turns : mark.turns + size], now_ns=READ_NS)
    assert mark.hashes == turn_hashes(TURNS[: mark.turns])[-MAX_TURNS:]
    assert mark.first == mark.turns - len(mark.hashes)


def test_a_window_that_failed_is_smaller_and_grows_again_when_one_is_read() -> None:
    mark = Watermark("c1").after_failure(size=25).after_failure(size=12)
    assert (mark.size, mark.failures, mark.turns) == (12, 2, 0)
    read = mark.past(TURNS[:12], now_ns=READ_NS)
    assert (read.size, read.failures) == (24, 0)
    assert (
        read.past(TURNS[12:36], now_ns=READ_NS).past(TURNS[36:84], now_ns=READ_NS).size == MAX_TURNS
    )


def test_a_window_has_at_least_one_turn() -> None:
    assert Watermark("c1").after_failure(size=0).size == 1


def test_how_it_failed_is_known_after_turns_were_taken_back() -> None:
    mark = _read(20).after_failure(size=7)
    held = _after(mark, TURNS[:15])
    assert (held.turns, held.size, held.failures) == (15, 7, 1)


def _applying(first: int, end: int) -> Watermark:
    hashes = "".join(turn_hashes(TURNS[first:end]))
    return _read(first).before_applying(hashes, "decided")


@pytest.mark.parametrize("first", [0, 7, 60])
def test_turns_that_are_being_applied_and_still_the_same_are_not_lost(first: int) -> None:
    mark = _applying(first, first + 5)
    assert mark.lost(TURNS[first:]) == ()
    assert mark.lost(TURNS[first : first + 5]) == ()
    assert mark.turns == first


@pytest.mark.parametrize("first", [0, 7, 60])
@given(st.data())
def test_those_that_are_others_now_or_none_are_lost(first: int, data: st.DataObject) -> None:
    """Redacted, popped, or with others in their place."""
    mark, now, lost = _applying(first, first + 5), [*TURNS[first : first + 8]], set()
    for at in data.draw(st.sets(st.integers(0, 4))):
        now[at] = data.draw(
            st.sampled_from([turn(at, "another"), redacted(now[at], text="").value])
        )
        lost.add(first + at)
    there = data.draw(st.integers(0, 8))
    lost |= {first + at for at in range(there, 5)}
    assert mark.lost(now[:there]) == tuple(sorted(lost))


def test_a_turn_that_was_redacted_before_is_not_lost() -> None:
    values = [_gone(TURNS[0]), TURNS[1]]
    mark = Watermark("c1").before_applying("".join(turn_hashes(values)), "decided")
    assert mark.lost(values) == ()


def test_nothing_is_being_applied_after_it_moved_or_went_back() -> None:
    mark = _applying(10, 15)
    assert mark.past(TURNS[10:15], now_ns=READ_NS) == _read(10).past(TURNS[10:15], now_ns=READ_NS)
    assert _after(mark, TURNS[:8]).applying == ""
    assert mark.before_applying() == _read(10)
    assert mark.after_failure(size=3).lost([]) == (10, 11, 12, 13, 14)


@given(texts, texts)
def test_two_turns_have_one_hash_only_if_they_say_the_same(one: str, other: str) -> None:
    hashes = [turn_hash({**turn(1), "text": text}) for text in (one, other)]
    assert [len(known) for known in hashes] == [8, 8]
    assert (hashes[0] == hashes[1]) == (one == other)


@given(json_values)
def test_what_another_program_drops_from_a_turn_makes_no_other_turn(value: JsonValue) -> None:
    assert turn_hash({**turn(1), "content": value, "name": value}) == turn_hash(turn(1))


def test_another_time_or_role_makes_another_turn() -> None:
    value = turn(1)
    others = [
        {**value, "ts": "2026-01-01T00:00:00Z"}, {**value, "role": "assistant"},
        {**value, "redacted": True}, {**value, "text": "another"},
    ]  # fmt: skip
    assert len({turn_hash(value), *map(turn_hash, others)}) == 5


@pytest.mark.parametrize("turns", [0, 3, 60, 79, 80, 200])
def test_lowered_it_covers_the_turns_that_are_left(turns: int) -> None:
    lowered = _read(80).before_applying("abcdefgh", "d").lowered(turns)
    if turns >= 80:
        assert lowered == _read(80).before_applying("abcdefgh", "d")
        return
    assert (lowered.turns, lowered.applying, lowered.decided) == (turns, "", "")
    assert parse_watermark(lowered.encode()) == lowered
    assert lowered.hashes == turn_hashes(TURNS[lowered.first : turns] if lowered.hashes else [])
