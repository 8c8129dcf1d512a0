"""What a guardrail takes out of a session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from everturn.client import Everturn
from integrations.strands.strands_model import Guarded, ScriptedModel, called
from integrations.strands.strands_sessions import look_up, opened, said


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path) as made:
        yield made


def test_what_a_guardrail_redacts_is_found_nowhere(client: Everturn, tmp_path: Path) -> None:
    """Not restored, not in the conversation, not by recall, in no file."""
    first = opened(client, ScriptedModel("Hello.", Guarded("[removed]", "I cannot say.")))
    first("hi")
    first("my secret is xyzzy")

    second = opened(client, ScriptedModel())

    assert said(second) == [
        ("user", "hi"), ("assistant", "Hello."),
        ("user", "[removed]"), ("assistant", "I cannot say."),
    ]  # fmt: skip
    assert second.messages == first.messages
    [_, _, redacted, _] = client.get_turns("s").turns
    assert (redacted.text, redacted.redacted) == ("[removed]", True)
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"xyzzy" not in kept


def test_a_redacted_tool_result_still_answers_its_call(client: Everturn) -> None:
    model = ScriptedModel(called("look_up", "t1", order="1"), Guarded("[removed]", "I cannot say."))
    first = opened(client, model, tools=[look_up])
    first("Where is 1?")

    second = opened(client, ScriptedModel())

    assert second.messages == first.messages
    [block] = second.messages[2]["content"]
    assert block["toolResult"]["toolUseId"] == "t1"
    assert block["toolResult"]["content"] == [{"text": "[removed]"}]


def test_a_turn_that_was_taken_back_is_not_restored(client: Everturn) -> None:
    """Its number is given again, and what was redacted under it before does not come back."""
    opened(client, ScriptedModel(Guarded("[removed]", "No.")))("secret")
    for count in (2, 1):
        client.pop_turn("s", expected_turn_count=count)

    opened(client, ScriptedModel("Hello."))("hi")

    assert said(opened(client, ScriptedModel())) == [("user", "hi"), ("assistant", "Hello.")]
