"""Runs of agents of Google ADK over our services, with a scripted model."""

from pathlib import Path
from typing import Any

import pytest
from google.adk.agents.llm_agent import LlmAgent
from google.adk.runners import Runner
from google.adk.tools.load_memory_tool import load_memory_tool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from cli.everturn_process import everturn_up
from everturn.client import AsyncEverturn
from everturn.integrations.adk.memory import EverturnMemoryService
from everturn.integrations.adk.sessions import EverturnSessionService
from integrations.adk.adk_services import ANN, ScriptedLlm, texts

pytestmark = pytest.mark.anyio


def text(said: str) -> types.Part:
    return types.Part(text=said)


def call(name: str, **arguments: Any) -> types.Part:  # noqa: ANN401 - any argument
    return types.Part(function_call=types.FunctionCall(name=name, args=arguments))


async def asked(runner: Runner, question: str, session_id: str = "s") -> list[str]:
    """What the agent answers."""
    message = types.Content(role="user", parts=[text(question)])
    return [
        part.text
        async for event in runner.run_async(
            user_id="ann", session_id=session_id, new_message=message
        )
        for part in (event.content.parts if event.content else None) or []
        if part.text
    ]


def prompt_of(model: ScriptedLlm) -> list[str]:
    """What the model was asked last."""
    return [part.text or "" for content in model.asked[-1].contents for part in content.parts or []]


async def test_another_process_goes_on_with_a_session(tmp_path: Path) -> None:
    def order(item: str, tool_context: ToolContext) -> dict[str, str]:
        """Order something."""
        tool_context.state["last"] = item
        tool_context.state["user:orders"] = tool_context.state.get("user:orders", 0) + 1
        tool_context.state["temp:seen"] = 1
        return {"ordered": item}

    first = ScriptedLlm(answers=[call("order", item="tea"), text("Tea is on its way.")])
    second = ScriptedLlm(answers=[text("You had tea.")])
    for model, question in ((first, "Some tea, please."), (second, "What did I have?")):
        async with AsyncEverturn.local(tmp_path) as client:
            service = EverturnSessionService(client)
            agent = LlmAgent(name="waiter", model=model, tools=[order], output_key="answer")
            runner = Runner(
                app_name="shop",
                agent=agent,
                session_service=service,
                auto_create_session=True,
            )
            assert await asked(runner, question)
            found = await service.get_session(**ANN, session_id="s")
    assert [line for line in prompt_of(second) if line] == [
        "Some tea, please.",
        "Tea is on its way.",
        "What did I have?",
    ]
    assert [line for line in texts(found) if line][-1] == "You had tea."
    assert found is not None
    assert found.state == {"last": "tea", "user:orders": 1, "answer": "You had tea."}
    assert [event.author for event in found.events] == ["user", *["waiter"] * 3, "user", "waiter"]


async def test_an_agent_finds_what_another_session_said(tmp_path: Path) -> None:
    model = ScriptedLlm(
        answers=[
            text("Noted."),
            call("load_memory", query="which port does the server use"),
            text("It is 8080."),
        ]
    )
    async with AsyncEverturn.local(tmp_path) as client:
        sessions, memory = EverturnSessionService(client), EverturnMemoryService(client)
        runner = Runner(
            app_name="shop",
            agent=LlmAgent(name="guide", model=model, tools=[load_memory_tool]),
            session_service=sessions,
            memory_service=memory,
            auto_create_session=True,
        )
        await asked(runner, "The server listens on port 8080.", "old")
        old = await sessions.get_session(**ANN, session_id="old")
        assert old is not None
        await memory.add_session_to_memory(old)
        assert await asked(runner, "Which port is it?", "new") == ["It is 8080."]
    answer = model.asked[-1].contents[-1].parts
    assert answer is not None
    assert answer[0].function_response is not None
    assert "The server listens on port 8080." in str(answer[0].function_response.response)


def test_one_client_serves_each_synchronous_run(tmp_path: Path) -> None:
    """`Runner.run` makes an event loop for each call; connections are of one loop alone."""
    model = ScriptedLlm(answers=[text("One."), text("Two."), text("Three.")])
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        runner = Runner(
            app_name="shop",
            agent=LlmAgent(name="guide", model=model),
            session_service=EverturnSessionService(AsyncEverturn(up.url)),
            auto_create_session=True,
        )
        for question in ("first", "second", "third"):
            message = types.Content(role="user", parts=[text(question)])
            assert list(runner.run(user_id="ann", session_id="s", new_message=message))
    assert prompt_of(model) == ["first", "One.", "second", "Two.", "third"]
