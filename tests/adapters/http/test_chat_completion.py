"""Reading an answer of OpenAI's chat completions, as different servers write it."""

import json

import pytest

from emulation.chat_service import Reply, chose, said
from everturn.adapters.http.chat import completion_of
from everturn.errors import UnavailableError
from everturn.ports.chat_model import Completion, Prompt

PROMPT = Prompt("1234" * 5, "1234" * 7, 100)
ASKED = 12
"""The tokens of the prompt, estimated."""


def read(reply: Reply) -> Completion:
    return completion_of(json.dumps(reply[2]).encode(), PROMPT)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("{}", "{}"),
        ("", ""),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": '{"a"'}, {"type": "text", "text": ":1}"}], '{"a":1}'),
        ([{"type": "output_text", "text": "{}"}, {"type": "image_url", "text": "x"}], "{}"),
        ([{"type": "thinking", "thinking": [{"text": "hm"}]}, {"text": "{}"}], "{}"),
        (["{", "}"], "{}"),
        ([None, 3, {"type": "text", "text": None}, {"text": "{}"}], "{}"),
        ({"text": "{}"}, ""),
        (3, ""),
    ],
)
def test_a_content_is_a_text_nothing_or_parts(content: object, text: str) -> None:
    assert read(said(content)).text == text


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_what_a_model_thought_is_no_answer(name: str) -> None:
    message = {"role": "assistant", "content": None, name: "The user says {} ..."}
    found = read(chose({"message": message, "finish_reason": "length"}))
    assert (found.text, found.finish_reason) == ("", "length")


@pytest.mark.parametrize("choice", [None, 3, {}, {"message": None}, {"message": "x"}])
def test_a_choice_that_says_nothing_is_an_empty_answer(choice: object) -> None:
    assert read(chose(choice)) == Completion("", None, ASKED)


def test_no_choice_at_all_is_an_empty_answer() -> None:
    """Some gateways answer so where a filter took the text; it is no outage."""
    assert read((200, {}, {"choices": []})) == Completion("", None, ASKED)


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", None])
def test_the_reason_is_as_the_service_writes_it(reason: str | None) -> None:
    assert read(said("{}", finish_reason=reason)).finish_reason == reason
    assert read(said("", finish_reason=reason)).finish_reason == reason


@pytest.mark.parametrize(
    "reply",
    [
        said("", finish_reason="content_filter"),
        said(None, finish_reason="content_filter"),
        chose({"message": {"content": None, "refusal": "I can't"}, "finish_reason": "stop"}),
    ],
)
def test_a_filter_that_leaves_nothing_refused_the_prompt(reply: Reply) -> None:
    assert read(reply).finish_reason == "refused"


def test_a_filter_that_cut_an_answer_leaves_what_there_is() -> None:
    found = read(said('{"facts": ["a"]', finish_reason="content_filter"))
    assert (found.text, found.finish_reason) == ('{"facts": ["a"]', "content_filter")


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"total_tokens": 70, "prompt_tokens": 60, "completion_tokens": 10}, 70),
        ({"prompt_tokens": 60, "completion_tokens": 10}, 70),
        ({"prompt_tokens": 60}, 60),
        ({"completion_tokens": 10}, ASKED + 2),
        ({"total_tokens": 0, "prompt_tokens": 0, "completion_tokens": 0}, ASKED + 2),
        ({"total_tokens": -5}, ASKED + 2),
        ({"total_tokens": True}, ASKED + 2),
        ({"total_tokens": "70"}, ASKED + 2),
        ({}, ASKED + 2),
        ([], ASKED + 2),
        (None, ASKED + 2),
    ],
)
def test_tokens_are_those_counted_else_estimated(usage: object, tokens: int) -> None:
    assert read(said("12345678", usage=usage)).tokens == tokens


@pytest.mark.parametrize("error", [None, {}, "", []])
def test_an_error_that_says_nothing_is_none(error: object) -> None:
    assert read(said("{}", error=error)).text == "{}"


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"3", b"{}", b'{"choices": {}}', b"data: {"])
def test_what_is_no_answer_may_come_right_next_time(body: bytes) -> None:
    with pytest.raises(UnavailableError):
        completion_of(body, PROMPT)
