"""The SDK with its own program: a session is mirrored, and resumed where its files are not."""

import json
from pathlib import Path

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ResultMessage,
    get_session_messages_from_store,
    list_sessions_from_store,
    query,
)

from everturn.client import AsyncEverturn
from everturn.integrations.claude.sessions import EverturnSessionStore
from integrations.claude.scripted_messages_api import ScriptedMessagesApi, messages_api

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def options(folder: Path, home: str, api: ScriptedMessagesApi) -> ClaudeAgentOptions:
    """Return a run in a folder, from a machine with an empty home."""
    (folder / home).mkdir()
    return ClaudeAgentOptions(
        cwd=folder,
        max_turns=1,
        setting_sources=[],
        env={
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": "dummy",
            "HOME": str(folder / home),
            "CLAUDE_CONFIG_DIR": str(folder / home / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )


async def run(prompt: str, settings: ClaudeAgentOptions) -> ResultMessage:
    result = None
    async for message in query(prompt=prompt, options=settings):
        result = message if isinstance(message, ResultMessage) else result
    assert result is not None
    assert not result.is_error
    return result


async def test_a_session_is_resumed_on_another_machine(tmp_path: Path) -> None:
    first, second = "My cat is called Nimbus.", "What is my cat called?"
    with messages_api("A fine name.", "Nimbus.") as api:
        settings = options(tmp_path, "one", api)
        async with AsyncEverturn.local(tmp_path / "memory") as client:
            settings.session_store = EverturnSessionStore(client)
            session_id = (await run(first, settings)).session_id

        settings = options(tmp_path, "two", api)
        async with AsyncEverturn.local(tmp_path / "memory") as client:
            store = EverturnSessionStore(client)
            settings.session_store, settings.resume = store, session_id
            assert (await run(second, settings)).result == "Nimbus."

            sent = json.dumps(api.asked[-1]["messages"])
            assert sent.index(first) < sent.index("A fine name.") < sent.index(second)
            read = await get_session_messages_from_store(store, session_id, str(tmp_path))
            assert [one.type for one in read] == ["user", "assistant"] * 2
            (listed,) = await list_sessions_from_store(store, str(tmp_path))
            assert listed.first_prompt == first
            turns = [turn async for turn in client.all_recent_turns(roles=["user", "assistant"])]
            said = [turn.text for turn in reversed(turns)]
            assert said == [first, "A fine name.", second, "Nimbus."]


async def test_a_session_is_continued_without_its_id(tmp_path: Path) -> None:
    with messages_api("A fine name.", "Nimbus.") as api:
        async with AsyncEverturn.local(tmp_path / "memory") as client:
            settings = options(tmp_path, "one", api)
            settings.session_store = EverturnSessionStore(client)
            first = await run("My cat is called Nimbus.", settings)

            settings = options(tmp_path, "two", api)
            settings.session_store = EverturnSessionStore(client)
            settings.continue_conversation = True
            second = await run("What is my cat called?", settings)
    assert second.session_id == first.session_id
    assert "My cat is called Nimbus." in json.dumps(api.asked[-1]["messages"])
