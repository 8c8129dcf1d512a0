import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.foreign_files import ANY_JSON, Json
from cli.stores import Run
from everturn.cli.importers.messages import (
    anthropic_conversation,
    looks_like_anthropic,
    looks_like_openai,
    messages_in,
    openai_conversation,
)
from everturn.cli.output.errors import CliError
from everturn.client import AsyncEverturn
from everturn.conversations.model.turn import TurnDraft
from everturn.integrations.openai_agents.session import EverturnSession
from everturn.integrations.openai_agents.turns import is_item
from integrations.openai_agents.agents_items import ITEMS as ITEMS_OF_SESSIONS

CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "gate", "arguments": '{"n":"B12"}'}}
    ],
}
COMPLETIONS = [
    {"role": "developer", "content": "Be short."},
    {"role": "user", "name": "dana", "content": [{"type": "text", "text": "Which gate?"}]},
    CALL,
    {"role": "tool", "tool_call_id": "c1", "content": "Terminal 1"},
    {"role": "assistant", "content": None, "refusal": None},
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "I may not say."}]},
    {"role": "assistant", "content": None, "refusal": "Nor I."},
]
ITEMS = [
    {"type": "reasoning", "id": "r", "summary": []},
    {"type": "function_call", "call_id": "c", "name": "gate", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": "Terminal 1"},
    {"type": "web_search_call", "action": {"type": "search", "query": "gates"}},
]
BLOCKS: list[Json] = [
    {"role": "user", "content": "Which gate?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": "t", "name": "gate", "input": {"n": "B12"}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": "Terminal 1"}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "In terminal 1."}]},
]


def _openai(messages: list[Any]) -> list[Json]:
    found = openai_conversation(messages, conversation_id="c", position="position=$")
    return list(found.turns)


def _anthropic(messages: list[Any]) -> list[Json]:
    found = anthropic_conversation(messages, conversation_id="c", position="position=$")
    return list(found.turns)


def _stored(turns: list[Json]) -> list[tuple[object, object]]:
    """Return role and text as a store keeps them."""
    values = [TurnDraft(**turn).value(None) for turn in turns]
    return [(value["role"], value["text"]) for value in values]


def test_messages_of_chat_completions_are_kept_whole() -> None:
    turns = _openai(COMPLETIONS)
    assert [turn["content"] for turn in turns] == COMPLETIONS
    assert _stored(turns) == [
        ("system", "Be short."),
        ("user", "Which gate?"),
        ("assistant", 'gate {"n":"B12"}'),
        ("tool", "Terminal 1"),
        ("assistant", ""),
        ("assistant", "I may not say."),
        ("assistant", "Nor I."),
    ]
    assert turns[1]["name"] == "dana"


def test_items_of_the_responses_api_are_kept_whole() -> None:
    turns = _openai(ITEMS)
    assert [turn["content"] for turn in turns] == ITEMS
    assert _stored(turns) == [
        ("assistant", ""),
        ("assistant", "gate {}"),
        ("tool", "Terminal 1"),
        ("assistant", 'web_search {"type": "search", "query": "gates"}'),
    ]


def test_the_old_form_of_a_call_is_told_too() -> None:
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    (turn,) = _openai([call])
    assert turn["text"] == "f {}"
    assert _openai([{"role": "function", "name": "f", "content": "1"}])[0]["role"] == "tool"


@pytest.mark.anyio
async def test_a_file_of_what_a_session_holds_finds_all_of_it_there(
    run: Run, tmp_path: Path
) -> None:
    """And what is imported where no session was is what a session reads."""
    stored = [one for one in ITEMS_OF_SESSIONS if is_item(one)]
    (tmp_path / "trip.json").write_text(json.dumps(stored))
    async with AsyncEverturn.local(tmp_path / "store") as client:
        session = EverturnSession("trip", client)
        await session.add_items(stored)
        told = run("import", "trip.json", "--from", "openai").stdout
        assert told.startswith(f"trip: 0 turns added, {len(stored)} already there")

        run("import", "trip.json", "--from", "openai", "--id", "new")
        assert await EverturnSession("new", client).get_items() == stored
        turns = [(await client.get_turns(id_, last=99)).turns for id_ in ("trip", "new")]
    assert [(t.role, t.text, t.content) for t in turns[0]] == [
        (t.role, t.text, t.content) for t in turns[1]
    ]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_content_of_the_messages_api_is_kept_as_it_is() -> None:
    turns = _anthropic(BLOCKS)
    assert [turn["content"] for turn in turns] == [message["content"] for message in BLOCKS]
    assert [(turn["role"], turn["text"]) for turn in turns] == [
        ("user", "Which gate?"),
        ("assistant", 'gate {"n": "B12"}'),
        ("user", "Terminal 1"),
        ("assistant", "In terminal 1."),
    ]


def test_what_the_system_is_told_comes_first() -> None:
    messages = messages_in({"system": "Be short.", "messages": BLOCKS})
    assert messages == [{"role": "system", "content": "Be short."}, *BLOCKS]
    assert messages_in({"messages": BLOCKS}) == BLOCKS
    assert messages_in({"turns": BLOCKS}) is None
    assert messages_in(BLOCKS) is None


@pytest.mark.parametrize("value", [CALL, COMPLETIONS[3], *ITEMS[1:]])
def test_calls_tell_that_it_is_of_openai(value: object) -> None:
    assert looks_like_openai(value)
    assert not looks_like_anthropic(value)


@pytest.mark.parametrize("value", BLOCKS[1:3])
def test_blocks_tell_that_it_is_of_anthropic(value: object) -> None:
    assert looks_like_anthropic(value)
    assert not looks_like_openai(value)


@pytest.mark.parametrize("value", [BLOCKS[0], BLOCKS[3], COMPLETIONS[1], 7, None, {}, []])
def test_text_alone_tells_nothing(value: object) -> None:
    assert not looks_like_openai(value)
    assert not looks_like_anthropic(value)


@pytest.mark.parametrize("message", [7, None, {}, {"role": 1}, {"content": "x"}])
def test_what_is_no_message_is_refused_with_its_place(message: object) -> None:
    with pytest.raises(CliError, match=r" position=\$\[1\]$"):
        _openai([COMPLETIONS[0], message])
    with pytest.raises(CliError, match=r" position=\$\[1\]$"):
        _anthropic([BLOCKS[0], message])


MESSAGES = st.lists(
    ANY_JSON
    | st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": ANY_JSON},
        optional={"tool_calls": ANY_JSON, "type": ANY_JSON, "name": ANY_JSON},
    ),
    max_size=3,
)


@given(MESSAGES)
def test_any_list_is_a_conversation_or_refused(messages: list[Any]) -> None:
    for read in (_openai, _anthropic):
        try:
            turns = read(messages)
        except CliError:
            continue
        assert len(turns) == len(messages)
