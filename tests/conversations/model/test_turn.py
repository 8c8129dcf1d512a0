"""Turns as sent and as read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.turn_drafts import NOW, NOW_TEXT, encode, refused_field, said
from everturn.conversations.model.turn import (
    MAX_METADATA_BYTES,
    MAX_TURN_BYTES,
    Turn,
    TurnDraft,
    readable_turn,
)
from everturn.errors import TooLargeError
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.timestamps import format_time
from everturn.values.visible_text import is_blank
from strategies.json_values import (
    as_stored,
    json_objects,
    json_values,
    loose_texts,
    texts,
    times_ns,
    values_of,
)


def stored(draft: TurnDraft) -> dict[str, Any]:
    """Encode one turn and read it back."""
    (body,) = encode(draft).encoded
    value: dict[str, Any] = json.loads(body)
    return value


def nested(levels: int) -> JsonValue:
    """Return a list in a list ...: `levels` of them."""
    value: JsonValue = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize("role", ["user", "Assistant", " tool ", "Ann", "漢" * 64, "👩‍💻", "<b>"])
def test_a_role_is_kept_as_given(role: str) -> None:
    assert stored(TurnDraft(role, "hi"))["role"] == role


@pytest.mark.parametrize("role", ["", " ", "\u200b", "\n", "x" * 65, "漢" * 65])
def test_a_role_that_is_blank_or_above_64_code_points_is_refused(role: str) -> None:
    assert refused_field(TurnDraft(role, "hi")) == "turns.0.role"


def test_a_name_and_an_intent_id_have_256_code_points_at_most() -> None:
    long = "漢" * 256
    value = stored(TurnDraft("user", "hi", intent_id=long, name=long))
    assert (value["intent_id"], value["name"]) == (long, long)
    assert refused_field(TurnDraft("user", "hi", intent_id=long + "x")) == "turns.0.intent_id"
    assert refused_field(TurnDraft("user", "hi", name=long + "x")) == "turns.0.name"


def test_blank_turns_are_ignored_and_counted() -> None:
    blank = [TurnDraft("user", ""), TurnDraft("user", " \u200b\n"), TurnDraft("user", content=[])]
    turns = encode(blank[0], said(None), blank[1], said(None), blank[2])
    assert (len(turns.encoded), turns.ignored, turns.newest_ns) == (2, 3, NOW)


def test_blank_turns_alone_leave_nothing() -> None:
    turns = encode(TurnDraft("user", "", ts="2026-03-02T00:00:00Z"))
    assert (turns.encoded, turns.ignored, turns.clamped, turns.newest_ns) == ((), 1, 0, 0)


def test_a_turn_of_content_alone_is_not_blank() -> None:
    call: JsonValue = [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]
    assert stored(TurnDraft("assistant", content=call))["content"] == call
    assert stored(TurnDraft("assistant", "", content=call))["text"] == ""


def test_a_turn_without_text_and_content_is_refused() -> None:
    assert refused_field(TurnDraft("user")) == "turns.0.text"


def test_text_comes_from_the_content_where_none_is_given() -> None:
    content: JsonValue = [{"type": "text", "text": "one"}, {"text": "two"}]
    assert stored(TurnDraft("user", content=content))["text"] == "one\ntwo"
    assert stored(TurnDraft("user", "given", content=content))["text"] == "given"


@given(texts.filter(lambda text: not is_blank(text)), json_values, json_objects)
def test_text_content_and_metadata_read_back_deep_equal(
    text: str, content: JsonValue, metadata: JsonObject
) -> None:
    value = stored(TurnDraft("user", text, "i", NOW_TEXT, "Ann", content, metadata))
    assert value.pop("content", None) == content
    assert value == {
        "role": "user", "text": text, "intent_id": "i", "ts": NOW_TEXT, "name": "Ann",
        "metadata": metadata,
    }  # fmt: skip


@given(loose_texts.filter(lambda text: not is_blank(text)), values_of(loose_texts))
def test_lone_surrogates_become_the_replacement_character(text: str, content: JsonValue) -> None:
    value = stored(TurnDraft("user", text, content=content))
    assert value["text"] == as_stored(text)
    assert value.get("content") == as_stored(content)


def test_fields_stand_in_gos_order_with_ours_last() -> None:
    (body,) = encode(TurnDraft("u", "t", "i", NOW_TEXT, "n", ["c"], {"m": 1})).encoded
    assert body == (
        b'{"role":"u","text":"t","intent_id":"i","ts":"2026-03-01T10:00:00Z",'
        b'"name":"n","content":["c"],"metadata":{"m":1}}'
    )


@pytest.mark.parametrize("draft", [TurnDraft("u", "t"), TurnDraft("u", "t", "", None, "")])
def test_a_plain_turn_has_gos_fields_alone(draft: TurnDraft) -> None:
    assert encode(draft).encoded == (b'{"role":"u","text":"t","ts":"2026-03-01T10:00:00Z"}',)


def test_metadata_has_16_kib_at_most() -> None:
    fits = {"k": "x" * (MAX_METADATA_BYTES - len('{"k":""}'))}
    assert stored(TurnDraft("user", "hi", metadata={**fits}))["metadata"] == fits
    over: JsonObject = {"k": fits["k"] + "x"}
    assert refused_field(TurnDraft("user", "hi", metadata=over)) == "turns.0.metadata"


def test_a_turn_has_1_mib_at_most() -> None:
    """Counted as it is stored: a `<` takes six bytes."""
    room = MAX_TURN_BYTES - len(encode(TurnDraft("user", ".")).encoded[0]) + 1
    assert len(encode(TurnDraft("user", "x" * room)).encoded[0]) == MAX_TURN_BYTES
    for text in ("x" * (room + 1), "漢" * (room // 3 + 1), "<" * (room // 6 + 1)):
        with pytest.raises(TooLargeError, match="max_bytes=1048576") as caught:
            encode(said(None), TurnDraft("user", text))
        assert caught.value.field == "turns.1"


@pytest.mark.parametrize("field", ["content", "metadata"])
def test_content_and_metadata_are_nested_64_levels_at_most(field: str) -> None:
    around: int = field == "metadata"

    def draft(levels: int) -> TurnDraft:
        inner = nested(levels - around)
        value: JsonValue = {"k": inner} if around else inner
        return TurnDraft("user", "hi", **{field: value})  # type: ignore[arg-type]  # one of the two

    assert field in stored(draft(64))
    assert refused_field(draft(65)) == f"turns.0.{field}"
    assert refused_field(draft(100_000)) == f"turns.0.{field}"


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_json_cannot_say_is_refused(number: float) -> None:
    """Python reads `1e999` as infinity."""
    assert refused_field(TurnDraft("user", "a", content=[{"k": number}])) == "turns.0.content"
    assert refused_field(TurnDraft("user", "a", metadata={"k": number})) == "turns.0.metadata"


@given(st.lists(st.none() | times_ns.map(format_time), min_size=1), times_ns, times_ns)
def test_what_was_sent_is_the_same_bytes_at_any_time(
    sent: list[str | None], one_ns: int, other_ns: int
) -> None:
    drafts = [said(ts) for ts in sent]
    assert encode(*drafts, now_ns=one_ns).as_sent == encode(*drafts, now_ns=other_ns).as_sent


@pytest.mark.parametrize(
    "other",
    [
        TurnDraft("user", "ho"), TurnDraft("User", "hi"), TurnDraft("user", "hi", "i"),
        TurnDraft("user", "hi", None, NOW_TEXT), TurnDraft("user", "hi", name="n"),
        TurnDraft("user", "hi", content="hi"), TurnDraft("user", "hi", metadata={}),
    ],
)  # fmt: skip
def test_other_turns_are_other_bytes_as_sent(other: TurnDraft) -> None:
    assert encode(said(None)).as_sent != encode(other).as_sent


def test_blank_turns_count_in_what_was_sent() -> None:
    assert encode(said(None)).as_sent != encode(said(None), TurnDraft("user", "")).as_sent


@pytest.mark.parametrize(
    "value",
    [
        None, 5, "text", [], {}, {"role": "user"}, {"text": "hi"}, {"role": 1, "text": "hi"},
        {"role": "user", "text": None}, {"role": "user", "text": ["hi"]},
    ],
)  # fmt: skip
def test_a_stored_value_without_role_or_text_is_no_readable_turn(value: JsonValue) -> None:
    assert readable_turn(0, value) is None


@pytest.mark.parametrize(("ts", "read"), [(NOW_TEXT, NOW_TEXT), ("soon", "soon"), (5, None)])
def test_a_readable_turn_keeps_its_number_and_its_time_as_stored(
    ts: JsonValue, read: str | None
) -> None:
    value: JsonObject = {"role": "user", "text": "", "ts": ts}
    assert readable_turn(7, value) == Turn(7, "user", "", read, value)
