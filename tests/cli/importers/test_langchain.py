import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage, HumanMessage, message_to_dict, messages_to_dict

from cli.foreign_files import ANY_JSON, broken
from cli.stores import Run
from everturn.cli.importers.messages import langchain_conversation, looks_like_langchain
from everturn.cli.output.errors import CliError
from everturn.client import Everturn
from everturn.integrations.langchain.history import EverturnChatMessageHistory, turn_of_message
from integrations.langchain.langchain_messages import MESSAGES


def _turns(*messages: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any JSON value
    found = langchain_conversation(messages, conversation_id="c", position="position=$")
    return list(found.turns)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.type)
def test_a_message_becomes_the_turn_that_a_history_makes_of_it(message: BaseMessage) -> None:
    stored = json.loads(json.dumps(message_to_dict(message)))
    assert _turns(stored) == [json.loads(json.dumps(turn_of_message(message)))]


def test_an_imported_file_is_read_back_by_a_history_deep_equal(run: Run, tmp_path: Any) -> None:  # noqa: ANN401
    """Written as FileChatMessageHistory writes it."""
    (tmp_path / "trip.json").write_text(json.dumps(messages_to_dict(MESSAGES)))
    assert run("import", "trip.json").stdout.startswith(f"trip: {len(MESSAGES)} turns added")
    assert run("import", "trip.json").stdout.startswith(f"trip: 0 turns added, {len(MESSAGES)} al")
    with Everturn.local(tmp_path / "store") as client:
        history = EverturnChatMessageHistory("trip", client)
        assert messages_to_dict(history.messages) == messages_to_dict(MESSAGES)
        history.add_messages([HumanMessage("And then?")])
        assert len(history.messages) == len(MESSAGES) + 1


@pytest.mark.parametrize(
    "message", [7, {}, {"type": "human"}, {"type": 1, "data": {"content": ""}}]
)
def test_what_is_no_message_is_refused_with_its_place(message: object) -> None:
    assert not looks_like_langchain(message)
    with pytest.raises(CliError, match=r"^a message has a type .* position=\$\[1\]$"):
        _turns(message_to_dict(HumanMessage("x")), message)


@given(st.lists(broken(json.loads(json.dumps(messages_to_dict(MESSAGES[:4])))) | ANY_JSON))
def test_any_list_is_a_conversation_or_refused(messages: list[object]) -> None:
    try:
        turns = _turns(*messages)
    except CliError:
        return
    assert len(turns) == len(messages)
