"""The text inside a framework's content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.turn import (
    holds_tool_results_alone,
    is_empty_content,
    opens_inside_tool_exchange,
    text_of_content,
)
from everturn.values.go_json import JsonValue
from strategies.json_values import json_values, texts

BASE64 = "iVBORw0KGgoAAAANSUhEUg=="
OPENAI_IMAGE: JsonValue = {
    "type": "image_url",
    "image_url": {"url": f"data:image/png;base64,{BASE64}"},
}
OPENAI_AUDIO: JsonValue = {"type": "input_audio", "input_audio": {"data": BASE64, "format": "wav"}}
OPENAI_FILE: JsonValue = {"type": "file", "file": {"file_data": BASE64, "filename": "a.pdf"}}
ANTHROPIC_IMAGE: JsonValue = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": BASE64},
}
ANTHROPIC_CALL: JsonValue = {"type": "tool_use", "id": "t1", "name": "look", "input": {"text": "q"}}
ANTHROPIC_RESULT: JsonValue = {
    "type": "tool_result",
    "tool_use_id": "t1",
    "content": [{"type": "text", "text": "12 degrees"}, ANTHROPIC_IMAGE],
}
BEDROCK_CALL: JsonValue = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"text": "q"}}}
BEDROCK_RESULT: JsonValue = {
    "toolResult": {
        "toolUseId": "t1",
        "status": "success",
        "content": [{"text": "12 degrees"}, {"json": {"text": "no prose"}}],
    }
}
BEDROCK_IMAGE: JsonValue = {"image": {"format": "png", "source": {"bytes": BASE64}}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("as it is", "as it is"),
        ("", ""),
        (None, ""),
        (5, ""),
        ([], ""),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
        (["one", {"text": "two"}], "one\ntwo"),
        ([{"type": "text", "text": "What is this?"}, OPENAI_IMAGE], "What is this?"),
        ([OPENAI_AUDIO, {"type": "input_text", "text": "hear"}, OPENAI_FILE], "hear"),
        ([{"type": "output_text", "text": "answer", "annotations": []}], "answer"),
        ([ANTHROPIC_IMAGE, {"type": "text", "text": "see", "cache_control": {}}], "see"),
        ([{"type": "text", "text": "I look."}, ANTHROPIC_CALL], "I look."),
        ([ANTHROPIC_RESULT], "12 degrees"),
        ([{"type": "tool_result", "tool_use_id": "t1", "content": "12 degrees"}], "12 degrees"),
        ([{"type": "thinking", "thinking": "hm", "signature": BASE64}, {"text": "a"}], "a"),
        ([{"type": "redacted_thinking", "data": BASE64}], ""),
        ([{"text": "I look."}, BEDROCK_CALL], "I look."),
        ([BEDROCK_RESULT], "12 degrees"),
        ([{"text": "see"}, BEDROCK_IMAGE], "see"),
        ({"role": "user", "content": "a whole message"}, "a whole message"),
        ({"role": "user", "content": [{"type": "text", "text": "in parts"}]}, "in parts"),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "t1"}]}, ""),
        ([{"type": "refusal", "refusal": "no"}], ""),
        ([{"type": "text", "text": 5}, {"type": "text"}, {"type": ["text"], "text": "odd"}], ""),
    ],
)
def test_text_parts_are_joined_by_newlines(content: JsonValue, text: str) -> None:
    assert text_of_content(content) == text


@pytest.mark.parametrize("kind", ["image", "audio", "video", "file", "document", "image_url"])
@pytest.mark.parametrize("field", ["data", "content", "text", "source", "url", "bytes"])
def test_base64_in_a_part_of_a_medium_is_no_text(kind: str, field: str) -> None:
    assert text_of_content([{"type": kind, field: BASE64}]) == ""
    assert text_of_content({"type": kind, field: [{"text": BASE64}]}) == ""


@given(json_values)
def test_any_json_is_looked_into_without_an_error(content: JsonValue) -> None:
    assert isinstance(text_of_content(content), str)
    assert isinstance(is_empty_content(content), bool)


@pytest.mark.parametrize("kind", [[], {}, ["text"], 5, True, "unheard_of"])
def test_a_part_of_an_unheard_of_type_is_no_text_and_no_error(kind: JsonValue) -> None:
    part: JsonValue = {"type": kind, "text": "a"}
    assert text_of_content(part) == ""
    assert not is_empty_content(part)


@given(st.lists(texts))
def test_every_text_part_is_in_the_text(parts: list[str]) -> None:
    content: JsonValue = [{"type": "text", "text": part} for part in parts]
    assert text_of_content(content) == "\n".join(parts)


@pytest.mark.parametrize(
    "content",
    [
        None, "", " \u200b", [], {}, [""], [[], {}], [{"type": "text", "text": " \n"}],
        {"text": "\u200b"}, [{"type": "text"}, {"type": "text", "text": None}],
    ],
)  # fmt: skip
def test_content_of_blank_text_alone_is_empty(content: JsonValue) -> None:
    assert is_empty_content(content)


@pytest.mark.parametrize(
    "content",
    [
        "a", 0, False, 1.5, ["", "a"], [OPENAI_IMAGE], [ANTHROPIC_CALL], [BEDROCK_CALL],
        [ANTHROPIC_RESULT], [BEDROCK_IMAGE], {"role": "assistant", "content": ""},
        [{"type": "text", "text": ""}, OPENAI_IMAGE], {"type": "image"},
    ],
)  # fmt: skip
def test_content_with_anything_else_is_not_empty(content: JsonValue) -> None:
    assert not is_empty_content(content)


@pytest.mark.parametrize(
    ("role", "content", "inside"),
    [
        ("tool", None, True),
        ("function", "42", True),
        ("user", [ANTHROPIC_RESULT], True),
        ("user", [{"type": "text", "text": "a"}, BEDROCK_RESULT], True),
        ("user", "plain", False),
        ("assistant", [ANTHROPIC_CALL], False),
        ("assistant", [BEDROCK_CALL], False),
        ("user", {"type": "tool_result"}, False),
        ("user", [5, None, "tool_result", {"type": []}], False),
    ],
)
def test_a_turn_that_answers_a_tool_call_is_known(
    role: str, content: JsonValue, *, inside: bool
) -> None:
    assert opens_inside_tool_exchange(role, content) is inside


@pytest.mark.parametrize(
    ("content", "alone"),
    [
        ([{"type": "tool_result", "content": "sunny"}], True),
        ([{"toolResult": {"content": [{"text": "sunny"}]}}, {"type": "tool_result"}], True),
        ([{"type": "tool_result"}, {"type": "text", "text": "And now?"}], False),
        ([{"type": "tool_use"}], False),
        ([], False),
        ("tool_result", False),
        (None, False),
    ],
)
def test_only_what_a_tool_answered_is_a_result_alone(content: JsonValue, *, alone: bool) -> None:
    assert holds_tool_results_alone(content) is alone
