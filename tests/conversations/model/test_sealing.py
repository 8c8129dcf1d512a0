"""When the oldest turns of a head are sealed, and into what."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import NOW, OTHER, OWN, at, encoded, head_of, sized, turn
from everturn.conversations.model import sealing
from everturn.conversations.model.head import Head, parse_record
from everturn.conversations.model.sealing import (
    LIMITS,
    SealLimits,
    Segment,
    follower_of,
    is_too_big,
    parse_segment,
    seal,
)
from everturn.conversations.model.segment_refs import tiles
from everturn.conversations.model.turn_identity import Follower
from everturn.errors import CorruptRecordError
from everturn.values.go_json import JsonObject, dumps
from everturn.values.timestamps import parse_time
from strategies.json_values import json_objects

KIB = 1_024
SMALL = SealLimits(
    above_bytes=600, tail_bytes=200, tail_turns=2, max_tail_bytes=450, segment_bytes=300
)


def sealed_of(turns: list[JsonObject], *, committed: int) -> tuple[Head, tuple[Segment, ...]]:
    return seal(head_of(turns), committed=committed, write_id=OWN)


def bodies(segments: tuple[Segment, ...]) -> list[bytes]:
    """Return the runs of turns inside segments."""
    return [parse_record(segment.body, name="c1").head.turns_json for segment in segments]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "LIMITS", SMALL)


def test_the_limits_are_those_that_are_promised() -> None:
    assert SealLimits(262_144, 65_536, 32, 196_608, 655_360) == LIMITS


@pytest.mark.parametrize(("size", "sealed"), [(256 * KIB, False), (256 * KIB + 1, True)])
def test_up_to_256_kib_of_turns_a_conversation_stays_one_file(size: int, *, sealed: bool) -> None:
    """Two commas stand between three turns."""
    turns = [sized(0, 100 * KIB), sized(1, 100 * KIB), sized(2, size - 200 * KIB - 2)]
    before = head_of(turns)
    assert len(before.turns_json) == size
    head, segments = seal(before, committed=2, write_id=OWN)
    assert (head == before, segments == ()) == (not sealed, not sealed)
    assert head.encode() == before.encode() or sealed


@pytest.mark.parametrize(
    ("size", "count", "kept"),
    [
        (1 * KIB, 300, 64),  # 64 KiB are more than 32 turns
        (2 * KIB, 200, 32),  # both at once
        (4 * KIB, 100, 32),  # 32 turns are more than 64 KiB
        (6 * KIB, 60, 32),  # 192 KiB at most
        (8 * KIB, 60, 24),  # fewer turns where 32 are above 192 KiB
        (100 * KIB, 4, 1),
        (300 * KIB, 2, 1),  # at least one
    ],
)
def test_the_tail_keeps_64_kib_and_32_turns_within_192_kib_and_one_turn_at_least(
    size: int, count: int, kept: int
) -> None:
    turns = [sized(number, size) for number in range(count)]
    head, segments = sealed_of(turns, committed=count - 1)
    assert head.turn_count - head.first_turn == kept
    assert head.turns_json == b",".join(encoded(turns[-kept:]))
    assert sum(segment.ref.count for segment in segments) == count - kept


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("committed", "sealed"), [(0, 0), (1, 1), (5, 5), (9, 8)])
def test_only_turns_that_stand_in_the_store_already_are_sealed(committed: int, sealed: int) -> None:
    """A segment of an attempt that loses its race must hold nothing that was never said."""
    head, _ = sealed_of([sized(number, 100) for number in range(10)], committed=committed)
    assert head.first_turn == sealed


@pytest.mark.usefixtures("small")
def test_nothing_is_sealed_twice() -> None:
    head, _ = sealed_of([sized(number, 100) for number in range(10)], committed=9)
    assert seal(head, committed=10, write_id=OTHER) == (head, ())


@pytest.mark.usefixtures("small")
def test_a_segment_ends_before_it_grows_above_its_limit() -> None:
    _, segments = sealed_of([sized(number, 100) for number in range(12)], committed=11)
    assert [segment.ref.count for segment in segments] == [3, 3, 3, 1]


@pytest.mark.usefixtures("small")
def test_a_turn_that_is_larger_than_a_segment_has_one_of_its_own() -> None:
    sizes = [100, 900, 100, 100, 100, 100]
    turns = [sized(number, size) for number, size in enumerate(sizes)]
    _, segments = sealed_of(turns, committed=5)
    assert [segment.ref.count for segment in segments][:2] == [1, 1]


@pytest.mark.usefixtures("small")
def test_a_segment_is_a_conversation_file_with_the_time_of_what_follows() -> None:
    turns = [sized(number, 150) for number in range(6)]
    _, segments = sealed_of(turns, committed=5)
    first = b",".join(encoded(turns[:2]))
    assert segments[0].ref.name == "000000000000-000000000001-" + OWN
    assert segments[0].ref.newest_ns == parse_time(at(1))
    assert segments[0].body == (
        b'{"conversation_id":"c1","turns":[' + first + b'],"updated":"2026-03-01T10:00:00Z",'
        b'"next":"2026-03-01T10:00:02Z","check":"' + Follower.of(turns[2]).check.encode() + b'"}'
    )
    assert follower_of(parse_record(segments[0].body, name="c1")) == Follower.of(turns[2])


@pytest.mark.usefixtures("small")
def test_the_follower_of_the_last_segment_is_the_first_turn_of_the_tail() -> None:
    turns = [sized(number, 100) for number in range(10)]
    head, segments = sealed_of(turns, committed=9)
    follower = follower_of(parse_record(segments[-1].body, name="c1"))
    assert follower == Follower.of(turns[head.first_turn])


@pytest.mark.usefixtures("small")
def test_the_title_of_the_first_user_turn_is_kept_with_the_segments() -> None:
    turns = [turn(0, "x" * 300, role="assistant"), turn(1, "the question"), sized(2, 300)]
    head, _ = sealed_of([*turns, sized(3, 300)], committed=3)
    assert head.sealed is not None
    assert head.sealed.title == "the question"
    later = head.with_turns(encoded([sized(4, 300), sized(5, 300)]), updated_ns=NOW)
    again, _ = seal(later, committed=5, write_id=OTHER)
    assert again.sealed is not None
    assert (again.sealed.turns, again.sealed.title) == (5, "the question")


@pytest.mark.usefixtures("small")
def test_without_a_user_turn_among_the_sealed_ones_the_next_ones_give_the_title() -> None:
    head, _ = sealed_of([turn(0, "x" * 500, role="system"), sized(1, 150)], committed=1)
    assert head.sealed is not None
    assert head.sealed.title == ""
    later = head.with_turns(encoded([turn(2, "hi"), sized(3, 450)]), updated_ns=NOW)
    again, _ = seal(later, committed=3, write_id=OTHER)
    assert again.sealed is not None
    assert again.sealed.title.startswith("xxx")


WHITE = st.text(" \n\t\r", max_size=3)
FOREIGN = st.lists(st.tuples(json_objects, WHITE, WHITE, st.booleans()), min_size=2, max_size=20)


@given(FOREIGN, st.integers(0, 20), st.data())
def test_segments_and_tail_hold_every_turn_in_its_own_bytes(
    values: list[tuple[JsonObject, str, str, bool]], committed: int, data: st.DataObject
) -> None:
    """Whatever other programs put into turns and between them."""
    texts = [json.dumps(value, ensure_ascii=ascii_) for value, _, _, ascii_ in values]
    run = ",".join(
        f"{before}{text}{after}" for text, (_, before, after, _) in zip(texts, values, strict=True)
    )
    body = f'{{"conversation_id":"c1","turns":[{run}]}}'
    before = parse_record(body.encode(), name="c1").head
    limits = SealLimits(
        *(data.draw(st.integers(low, 200)) for low in (0, 0, 0, 1, 1)),
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sealing, "LIMITS", limits)
        head, segments = seal(before, committed=committed, write_id=OWN)
    if not segments:
        assert head == before
        return
    assert head.first_turn <= committed
    assert head.turn_count == len(texts)
    assert b",".join([*bodies(segments), head.turns_json]) == ",".join(texts).encode()
    assert head.sealed is not None
    assert tiles(head.sealed.segments)
    for segment in segments:
        parse_segment(segment.body, ref_name=segment.ref.name, conversation_id="c1")
        assert segment.ref.count == 1 or len(segment.body) < limits.segment_bytes + 1_000
    tail = parse_record(head.encode(), name="c1")
    assert tail.head == head


@pytest.mark.usefixtures("small")
def test_a_segment_with_other_turns_than_its_name_says_is_corrupt() -> None:
    _, segments = sealed_of([sized(number, 150) for number in range(6)], committed=5)
    body, name = segments[0].body, segments[0].ref.name
    longer = name.replace("000000000001", "000000000002")
    for wrong in (
        {"ref_name": longer, "conversation_id": "c1"},
        {"ref_name": name, "conversation_id": "c2"},
    ):
        with pytest.raises(CorruptRecordError):
            parse_segment(body, **wrong)
    with pytest.raises(CorruptRecordError):
        parse_segment(body[:-1], ref_name=name, conversation_id="c1")


@pytest.mark.parametrize("raw", ["", "5", "null", "{}"])
def test_a_segment_of_another_program_names_no_follower_that_any_turn_has(raw: str) -> None:
    head = Head("c1", foreign=(("next", raw),) if raw else ())
    record = parse_record(head.encode(), name="c1")
    assert parse_time(follower_of(record).ts) is None


@pytest.mark.usefixtures("small")
def test_a_small_head_is_not_too_big() -> None:
    assert not is_too_big(head_of([sized(0, 600)]))
    assert is_too_big(head_of([sized(0, 601)]))
    assert len(dumps(sized(0, 600))) == 600
