import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strands.types.content import Message
from strands.types.session import SessionMessage

from everturn.conversations.model.turn import text_of_content
from everturn.integrations.strands.turns import (
    SeenMessage,
    after_of,
    in_exchanges,
    message_of,
    redacted_message,
    redacted_text,
    redaction_of,
    turn_of,
)
from everturn.wire.conversations import Turn

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
IMAGE = st.binary(max_size=40).map(
    lambda data: {"image": {"format": "png", "source": {"bytes": data}}}
)
BLOCKS = st.one_of(
    st.builds(lambda text: {"text": text}, TEXT),
    st.builds(lambda given: {"toolUse": {"toolUseId": "1", "name": "n", "input": given}}, JSON),
    st.builds(
        lambda block: {"toolResult": {"toolUseId": "1", "status": "success", "content": [block]}},
        IMAGE | st.builds(lambda value: {"json": value}, JSON),
    ),
    st.just({"cachePoint": {"type": "default"}}),
    IMAGE,
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": st.lists(BLOCKS, max_size=4)},
    optional={
        "tracking_id": TEXT,
        "metadata": st.fixed_dictionaries({}, optional={"custom": st.dictionaries(TEXT, JSON)}),
    },
)


def stored(turn: dict[str, Any], index: int = 3) -> Turn:
    """A turn as it is read back."""
    value = {**json.loads(json.dumps(turn)), "index": index}
    return Turn.model_validate({"text": text_of_content(value["content"]), **value})


@given(MESSAGES, st.booleans())
def test_a_message_comes_back_deep_equal(said: Message, whole: bool) -> None:  # noqa: FBT001
    """Bytes, tool calls, ids and metadata, kept either way."""
    message = SessionMessage(said, 0, created_at="2026-01-02T03:04:05.000006+00:00")

    back = message_of(stored(turn_of(message, whole=whole)))

    assert back == SessionMessage(
        said, 3, created_at=message.created_at, updated_at=message.updated_at
    )


def test_the_blocks_of_a_message_are_the_content_of_its_turn() -> None:
    """So the server finds the text in them, and the tool results."""
    said: Any = {"role": "user", "content": [{"text": "hi"}], "tracking_id": "t"}
    turn = turn_of(SessionMessage(said, 0))

    assert turn["content"] == [{"text": "hi"}]
    assert turn["role"] == "user"
    assert "text" not in turn


def test_a_turn_knows_the_message_before_it_as_its_writer_saw_it() -> None:
    """Strands numbers a message by it; a turn of another program knows none."""
    said: Any = {"role": "user", "content": [{"text": "hi"}]}

    assert [after_of(stored(turn_of(SessionMessage(said, n), whole=w))) for n, w in
            ((0, False), (8, False), (8, True))] == [-1, 7, 7]  # fmt: skip
    assert after_of(Turn(index=7, role="user", text="hi", ts=None)) == -1


def test_much_beside_the_blocks_is_kept_too() -> None:
    custom = {"text": "x" * 20_000}
    said: Any = {"role": "user", "content": [{"text": "hi"}], "metadata": {"custom": custom}}
    turn = turn_of(SessionMessage(said, 0))

    assert len(json.dumps(turn["metadata"])) < 16_384
    assert message_of(stored(turn)).message == said
    assert stored(turn).text == "hi"


@pytest.mark.parametrize(
    ("role", "as_role"),
    [("user", "user"), ("assistant", "assistant"), ("system", "user"), ("Ann", "user")],
)
def test_a_turn_of_another_program_is_read_by_its_text(role: str, as_role: str) -> None:
    turn = Turn(index=7, role=role, text="hello", ts="2026-01-01T00:00:00Z", content=["odd"])

    back = message_of(turn)

    assert back.to_message() == {"role": as_role, "content": [{"text": "hello"}]}
    assert (back.message_id, back.created_at) == (7, "2026-01-01T00:00:00Z")


ANYTHING = st.recursive(JSON | st.just([{"text": "hi"}]), lambda inner: st.fixed_dictionaries(
    {}, optional={"role": inner, "content": inner, "message": inner, "after": inner}
))  # fmt: skip


@given(st.sampled_from(["user", "assistant", "tool"]), ANYTHING, ANYTHING)
@example("user", [{"text": "hi"}], {"message": {"role": [], "content": None}})
def test_no_turn_of_another_program_makes_a_session_unreadable(
    role: str, content: Any, own: Any  # noqa: ANN401 - any JSON
) -> None:  # fmt: skip
    """Not even one that copied the metadata of ours."""
    turn = Turn(index=7, role=role, text="", ts=None, content=content, metadata={"strands": own})

    back = message_of(turn)

    assert isinstance(after_of(turn), int)
    assert back.message["role"] in {"user", "assistant"}
    assert all(isinstance(block, dict) for block in back.message["content"])
    assert in_exchanges([SeenMessage(back, after_of(turn))]) == [back]


def test_a_turn_of_another_program_without_a_text_says_so() -> None:
    """Such as an image alone: a model refuses a blank text."""
    turn = Turn(index=0, role="user", text=" ", ts=None, content=[{"type": "image"}])

    assert message_of(turn).to_message()["content"] == [{"text": "[no text]"}]


def test_a_turn_that_another_program_redacted_says_so() -> None:
    """A model refuses a blank text."""
    turn = Turn(index=0, role="user", text="", ts=None, redacted=True)

    assert message_of(turn).to_message()["content"] == [{"text": "[redacted]"}]


def test_a_redaction_keeps_nothing_of_what_was_said() -> None:
    said: Any = {"role": "user", "content": [{"text": "my secret"}]}
    left: Any = {"role": "user", "content": [{"text": "[gone]"}], "tracking_id": "t"}
    message = SessionMessage(said, 5, redact_message=left)

    redaction = redaction_of(message, 3)
    turn = Turn(index=5, role="user", text="[gone]", ts=None, redacted=True)
    seen = redacted_message(turn, redaction)
    back = seen.message

    assert "secret" not in json.dumps(redaction)
    assert seen.after == 3
    assert back.to_message() == left
    assert back.redact_message == left
    assert back.created_at == message.created_at


@pytest.mark.parametrize(("role", "text"), [("user", "[erased]"), ("assistant", "[gone]")])
def test_a_turn_that_was_redacted_otherwise_says_what_it_says(role: str, text: str) -> None:
    """By another program later, or another turn under the same number."""
    left: Any = {"role": "user", "content": [{"text": "[gone]"}], "tracking_id": "t"}
    redaction = redaction_of(SessionMessage(left, 5, redact_message=left), 3)
    turn = Turn(index=5, role=role, text=text, ts=None, redacted=True)

    assert redacted_message(turn, redaction).message.to_message() == {
        "role": role, "content": [{"text": text}]
    }  # fmt: skip


def test_what_is_left_of_tool_results_is_the_text_of_a_redacted_turn() -> None:
    left: Any = {
        "role": "user",
        "content": [
            {
                "toolResult": {
                    "toolUseId": "1",
                    "status": "error",
                    "content": [{"text": "x" * 2_000}],
                }
            }
        ],
    }

    assert redacted_text(SessionMessage(left, 0)) == "x" * 1_000
