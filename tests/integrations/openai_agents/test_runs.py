"""Runs of agents over our sessions, as over the SDK's own."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from agents import Agent, RunConfig, Runner, function_tool
from agents.extensions.memory import EncryptedSession
from agents.items import TResponseInputItem
from agents.memory import OpenAIResponsesCompactionSession, Session
from agents.testing import ScriptedModel, assistant_message, function_call

from everturn.client import AsyncEverturn
from everturn.integrations.openai_agents.session import EverturnSession
from integrations.openai_agents.agents_items import ITEMS, Fields, item, texts, user
from integrations.openai_agents.agents_sessions import KINDS, everturn_sessions

pytestmark = pytest.mark.anyio

QUIET = RunConfig(tracing_disabled=True)
RESUMED = """
import asyncio, json, sys
from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message
from everturn.client import AsyncEverturn
from everturn.integrations.openai_agents.session import EverturnSession

async def main():
    model = ScriptedModel([[assistant_message("Take a coat.")]])
    async with AsyncEverturn.local(sys.argv[1]) as client:
        session = EverturnSession("talk", client)
        agent = Agent(name="guide", model=model)
        quiet = RunConfig(tracing_disabled=True)
        await Runner.run(agent, "What to wear?", session=session, run_config=quiet)
    print(json.dumps(model.last_call.input))

asyncio.run(main())
"""


@function_tool
def weather(city: str) -> str:
    """Return the weather of a city."""
    return f"14 degrees in {city}"


def guide(city: str) -> tuple[Agent[None], ScriptedModel]:
    """Return an agent that asks for the weather of a city, tells it, and then says good-bye."""
    call = function_call("weather", {"city": city}, call_id=f"call_{city}")
    told = assistant_message(f"14 degrees in {city}.")
    model = ScriptedModel([[call], [told], [assistant_message("Good-bye.")]])
    return Agent(name="guide", model=model, tools=[weather]), model


async def talk(session: Session, city: str) -> Sequence[Any]:
    """Have two runs in a session; return what the model was given each time."""
    agent, model = guide(city)
    await Runner.run(agent, f"How warm is {city}?", session=session, run_config=QUIET)
    await Runner.run(agent, "Thanks", session=session, run_config=QUIET)
    model.assert_complete()
    return [call.input for call in model.calls]


def kinds(items: Sequence[TResponseInputItem]) -> list[Any]:
    return [one.get("type") or one.get("role") for one in cast("Sequence[Fields]", items)]


async def test_a_model_is_given_the_same_as_with_the_sdks_own_session(tmp_path: Path) -> None:
    given, stored = [], []
    for make in KINDS.values():
        async with make(tmp_path) as session_of:
            given.append(await talk(session_of("talk"), "Ulm"))
            stored.append(await session_of("talk").get_items())

    assert given[0] == given[1]
    assert stored[0] == stored[1]
    assert len(stored[0]) == 6
    assert given[0][2] == [*stored[0][:4], user("Thanks")]


async def test_another_process_goes_on_where_this_one_stopped(tmp_path: Path) -> None:
    async with everturn_sessions(tmp_path) as session_of:
        await talk(session_of("talk"), "Ulm")
        before = await session_of("talk").get_items()

        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", RESUMED, str(tmp_path)],
            capture_output=True,
            check=True,
        )

        assert json.loads(done.stdout) == [*before, user("What to wear?")]
        assert (await session_of("talk").get_items())[: len(before) + 1] == json.loads(done.stdout)


async def test_two_runs_at_once_lose_nothing_of_either(tmp_path: Path) -> None:
    async def run(city: str) -> None:
        async with everturn_sessions(tmp_path) as session_of:
            await talk(session_of("talk"), city)

    cities = ["Ulm", "Bonn", "Kiel"]
    await asyncio.gather(*map(run, cities))

    async with everturn_sessions(tmp_path) as session_of:
        stored = await session_of("talk").get_items()
    assert len(stored) == 6 * len(cities)
    for city in cities:
        own = [one for one in stored if city in json.dumps(one)]
        assert kinds(own) == ["user", "function_call", "function_call_output", "message"]
    assert texts(stored).count("Thanks") == len(cities)


async def test_a_call_whose_result_was_redacted_is_not_shown_to_the_model(tmp_path: Path) -> None:
    agent, model = guide("Ulm")
    async with AsyncEverturn.local(tmp_path) as client:
        session = EverturnSession("talk", client)
        await Runner.run(agent, "How warm is Ulm?", session=session, run_config=QUIET)
        await client.redact_turn("talk", 2, text="[gone]")

        await Runner.run(agent, "Thanks", session=session, run_config=QUIET)

    assert model.last_call is not None
    assert kinds(model.last_call.input) == ["user", "message", "user"]


async def test_a_session_can_be_compacted(tmp_path: Path) -> None:
    """The SDK clears the session and adds what its service made of it."""
    short = item(type="compaction", encrypted_content="gAAAA")

    async def compact(**_asked: object) -> SimpleNamespace:
        return SimpleNamespace(output=[short], usage=None)

    service = SimpleNamespace(responses=SimpleNamespace(compact=compact))
    async with everturn_sessions(tmp_path) as session_of:
        plain = session_of("talk")
        session = OpenAIResponsesCompactionSession("talk", plain, client=cast("Any", service))
        await session.add_items([user("a"), user("b")])
        await session.run_compaction({"force": True, "compaction_mode": "input"})
        await session.add_items([user("c")])

        assert await plain.get_items() == [short, user("c")]


async def test_a_session_can_be_encrypted(tmp_path: Path) -> None:
    async with everturn_sessions(tmp_path) as session_of:
        plain = session_of("talk")
        session = EncryptedSession("talk", plain, encryption_key="a key of this test")
        await session.add_items(ITEMS)

        assert await session.get_items() == ITEMS
        assert await session.pop_item() == ITEMS[-1]
        # Longer than what random base64 holds by chance.
        assert "degrees in Ulm" in json.dumps(ITEMS)
        assert "degrees in Ulm" not in json.dumps(await plain.get_items())
