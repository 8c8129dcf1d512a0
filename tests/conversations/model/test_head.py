"""Head files: ours and Go's."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import OTHER, OWN, head_of, sealed_parts, tiled, turn
from everturn.conversations.model.head import Head, Record, parse_record
from everturn.conversations.model.turn import TurnDraft, encode_turns
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.timestamps import format_time
from everturn.values.visible_text import is_blank
from golden_files import golden_bytes
from strategies.json_values import json_objects, json_values, texts, times_ns

NOW_TEXT, NOW = "2026-03-01T10:00:00Z", 1_772_359_200_000_000_000
GO_FIELDS = ("conversation_id", "title", "turns", "updated")
OWN_FIELDS = ("folder", "archived", "metadata", "sealed", "deleted")
NEW_TURN = b'{"role":"assistant","text":"new","ts":"2026-03-01T10:00:00Z"}'
GO_FILES = ("go_record.json", "go_untitled.json", "go_empty.json", "go_zero_time.json")


def parse(body: bytes) -> Record:
    return parse_record(body, name="c1")


@pytest.mark.parametrize("name", GO_FILES)
def test_a_file_of_go_is_written_back_byte_for_byte(name: str) -> None:
    body = golden_bytes(name)
    assert parse(body).head.encode() == body


def test_a_final_newline_is_read_and_not_written() -> None:
    body = golden_bytes("go_final_newline.json")
    assert body.endswith(b"}\n")
    assert parse(body).head.encode() == body[:-1]


def test_null_turns_read_as_none_and_are_written_as_a_list() -> None:
    body = golden_bytes("go_null_turns.json")
    record = parse(body)
    assert (record.values, record.head.turn_count, record.head.title) == ((), 0, "t")
    assert record.head.encode() == body.replace(b'"turns":null', b'"turns":[]')


def test_the_record_of_go_reads_as_what_it_says() -> None:
    record = parse(golden_bytes("go_record.json"))
    assert (record.head.conversation_id, record.head.title) == ("c1", '<b>&"title"</b>')
    assert [turn.role for turn in record.readable_turns()] == ["user", "assistant", "user", "user"]
    assert [turn.value.get("intent_id") for turn in record.readable_turns()] == [
        None,
        "i-<1>",
        None,
        "i-2",
    ]
    assert record.readable_turns()[2].ts == "2023-11-15T03:43:20.1+05:30"
    assert record.newest_ns == 1_700_000_001_123_456_700
    assert record.head.updated_ns == 1_700_000_002_123_456_700


@pytest.mark.parametrize("name", [*GO_FILES, "go_null_turns.json", "go_final_newline.json"])
def test_an_append_to_a_file_of_go_keeps_its_bytes(name: str) -> None:
    body = golden_bytes(name).rstrip(b"\n").replace(b'"turns":null', b'"turns":[]')
    after = parse(body).head.with_turns([NEW_TURN], updated_ns=NOW).encode()
    front, _, _ = body.rpartition(b'],"updated":"')
    comma = b"" if front.endswith(b"[") else b","
    assert after == front + comma + NEW_TURN + b'],"updated":"' + NOW_TEXT.encode() + b'"}'


names = texts.filter(lambda name: name not in {*GO_FIELDS, *OWN_FIELDS})
spellings = st.tuples(json_values, st.sampled_from([None, 0, 1]), st.booleans())
raw_values = spellings.map(lambda one: json.dumps(one[0], indent=one[1], ensure_ascii=one[2]))
given_objects = json_objects.filter(bool)
drafts = st.builds(
    TurnDraft,
    role=texts.filter(lambda role: not is_blank(role) and len(role) <= 64),
    text=texts,
    intent_id=st.none() | texts.filter(lambda text: len(text) <= 256),
    ts=st.none(),
    content=json_values,
    metadata=st.none() | json_objects,
)
heads = st.builds(
    Head,
    conversation_id=texts,
    updated_ns=times_ns,
    title=texts,
    folder=st.none() | texts.filter(bool),
    archived=st.booleans(),
    metadata=st.none() | given_objects,
    sealed=st.none() | sealed_parts,
    deleted=st.none() | st.just({"segs": [], "turns": 3, "done": True}),
    foreign=st.lists(
        st.tuples(names, raw_values), max_size=3, unique_by=lambda member: member[0]
    ).map(tuple),
).map(lambda head: replace(head, turn_count=head.first_turn))


def encoded(turns: list[TurnDraft]) -> tuple[bytes, ...]:
    return encode_turns(turns, now_ns=NOW).encoded


@given(heads)
def test_a_written_head_reads_back_equal(head: Head) -> None:
    assert parse(head.encode()).head == head


@given(heads, st.lists(drafts, max_size=2), st.lists(drafts, max_size=2), times_ns)
def test_an_append_is_the_append_of_lists_whatever_the_texts_look_like(
    head: Head, old: list[TurnDraft], new: list[TurnDraft], updated_ns: int
) -> None:
    before = parse(head.with_turns(encoded(old), updated_ns=NOW).encode())
    after = before.head.with_turns(encoded(new), updated_ns=updated_ns)
    record = parse(after.encode())
    assert record.head == after
    assert record.values == (*before.values, *map(json.loads, encoded(new)))
    assert after.turn_count == head.first_turn + len(record.values)
    assert after.turns_json.startswith(before.head.turns_json)
    assert before.head.turns_json in after.encode()


def test_fields_stand_in_the_order_of_the_design() -> None:
    """Go's four, then foreign ones, then ours."""
    sealed = dumps(tiled([(2, OWN, NOW)]).json()).encode()
    body = (
        b'{"deleted":{"d":1},"z":1,"sealed":' + sealed + b',"metadata":{"m":1},"archived":true,'
        b'"folder":"f","a":2,"updated":"2026-03-01T10:00:00Z","turns":[],"title":"t",'
        b'"conversation_id":"c1"}'
    )
    assert parse(body).head.encode() == (
        b'{"conversation_id":"c1","title":"t","turns":[],"updated":"2026-03-01T10:00:00Z",'
        b'"z":1,"a":2,"folder":"f","archived":true,"metadata":{"m":1},"sealed":'
        + sealed
        + b',"deleted":{"d":1}}'
    )


@pytest.mark.parametrize("raw", ['{"s":1}', '{"turns":3}', "true", '"segs"', "[]", "{}", "null"])
def test_a_field_of_another_program_that_is_called_sealed_stays_as_it_is(raw: str) -> None:
    body = f'{{"conversation_id":"c1","turns":[],"updated":"{NOW_TEXT}","sealed":{raw}}}'
    record = parse(body.encode())
    assert record.head.sealed is None
    assert record.head.encode() == body.encode()


def test_a_head_numbers_its_own_turns_behind_the_sealed_ones() -> None:
    sealed = tiled([(3, OWN, NOW), (2, OTHER, NOW)])
    head = replace(head_of([turn(5), turn(6)]), sealed=sealed, turn_count=7)
    record = parse(head.encode())
    assert record.head == head
    assert [one.index for one in record.oldest_turns()] == [5, 6]
    assert [one.index for one in record.newest_turns()] == [6, 5]


def test_the_newest_time_covers_the_sealed_turns() -> None:
    sealed = tiled([(1, OWN, NOW + 9), (1, OTHER, NOW + 5)])
    record = parse(replace(head_of([turn(0)]), sealed=sealed).encode())
    assert record.newest_ns == NOW + 9


def test_a_plain_head_is_the_four_fields_of_go() -> None:
    assert Head("c1", updated_ns=NOW).encode() == (
        b'{"conversation_id":"c1","turns":[],"updated":"2026-03-01T10:00:00Z"}'
    )


def test_a_tombstone_holds_the_id_the_time_and_no_text() -> None:
    full = Head("c1", b'{"role":"u","text":"a"}', 1, NOW - 1, "t", "f", metadata={"m": 1})
    sealed = tiled([(2, OWN, NOW)], "secret")
    marked = replace(full, archived=True, sealed=sealed, turn_count=3, foreign=(("x", '"a"'),))
    stone = marked.tombstone(updated_ns=NOW)
    front = b'{"conversation_id":"c1","turns":[],"updated":"2026-03-01T10:00:00Z","deleted":'
    name = sealed.segments[0].name.encode()
    assert stone.encode() == front + b'{"segs":["' + name + b'"],"turns":3,"done":false}}'
    assert parse(stone.encode()).head == stone
    assert not stone.is_done
    assert stone.done().encode() == front + b'{"segs":[],"turns":3,"done":true}}'
    assert stone.done().is_done


@pytest.mark.parametrize("deleted", [None, {}, {"done": False}, {"done": 1}, {"done": "true"}])
def test_only_a_tombstone_that_says_so_is_done(deleted: JsonObject | None) -> None:
    assert not Head("c1", deleted=deleted).is_done


@pytest.mark.parametrize(
    ("times", "newest"),
    [
        (["2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z"], "2026-01-01T00:00:00.5Z"),
        (["2026-01-01T00:00:00Z", "2026-01-01T02:00:00+01:00"], "2026-01-01T01:00:00Z"),
        (["2026-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"], "2026-01-01T00:00:00Z"),
        (["soon", "2026-01-01t00:00:00z"], "2026-01-01T00:00:00Z"),
        (["2101-01-01T00:00:00Z"], "1970-01-01T00:00:00Z"),
    ],
)
def test_the_newest_time_is_that_of_the_clock_not_of_the_text(
    times: list[str], newest: str
) -> None:
    turns: list[JsonValue] = [{"role": "user", "text": "x", "ts": time} for time in times]
    body = dumps({"conversation_id": "c", "turns": turns}).encode()
    assert format_time(parse_record(body, name="c").newest_ns) == newest


def test_an_updated_beyond_the_year_2100_reads_as_absent() -> None:
    body = b'{"conversation_id":"c","turns":[],"updated":"9999-12-31T23:59:59.999999999Z"}'
    assert parse_record(body, name="c").head.updated_ns == 0
