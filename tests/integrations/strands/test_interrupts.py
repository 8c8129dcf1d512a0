"""Agents, swarms and graphs that stop and go on in another process."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry
from strands.interrupt import Interrupt
from strands.multiagent import GraphBuilder, Swarm
from strands.multiagent.base import Status
from strands.types.interrupt import InterruptResponseContent
from strands.types.tools import ToolContext

from everturn.client import Everturn
from everturn.integrations.strands.sessions import EverturnSessionManager
from integrations.strands.strands_model import Overflow, ScriptedModel, called, texts
from integrations.strands.strands_sessions import look_up, opened


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path) as made:
        yield made


class Approval(HookProvider):
    """Asks a person before any tool is used."""

    def register_hooks(self, registry: HookRegistry, **_: object) -> None:
        registry.add_callback(BeforeToolCallEvent, self.ask)

    def ask(self, event: BeforeToolCallEvent) -> None:
        if event.interrupt("approve", reason="a tool") != "yes":
            event.cancel_tool = "not approved"


def answered(
    interrupts: Sequence[Interrupt] | None, response: str
) -> list[InterruptResponseContent]:
    """What a person says to the one question that was asked."""
    [asked] = interrupts or ()
    return [{"interruptResponse": {"interruptId": asked.id, "response": response}}]


@pytest.mark.parametrize(
    ("response", "result"), [("yes", "left on Friday"), ("no", "not approved")]
)
def test_an_interrupted_agent_goes_on_in_another_process(
    client: Everturn, response: str, result: str
) -> None:
    asking = opened(
        client,
        ScriptedModel(called("look_up", "t1", order="1")),
        tools=[look_up],
        hooks=[Approval()],
    )
    stopped = asking("Where is 1?")
    assert stopped.stop_reason == "interrupt"

    model = ScriptedModel("Done.")
    going_on = opened(client, model, tools=[look_up], hooks=[Approval()])
    done = going_on(answered(stopped.interrupts, response))

    assert done.stop_reason == "end_turn"
    assert result in json.dumps(model.seen[-1])
    assert opened(client, ScriptedModel()).messages == going_on.messages


def swarm_of(client: Everturn, *answers: Any) -> tuple[Swarm, ScriptedModel]:  # noqa: ANN401
    @tool(context=True)
    def weather(tool_context: ToolContext) -> str:
        """Ask a person for the weather."""
        return str(tool_context.interrupt("ask", reason="need weather"))

    model = ScriptedModel(*answers)
    agent = Agent(model=model, name="weather", tools=[weather], callback_handler=None)
    return Swarm([agent], session_manager=EverturnSessionManager("team", client)), model


def test_an_interrupted_swarm_goes_on_in_another_process(client: Everturn) -> None:
    swarm, _ = swarm_of(client, called("weather", "t1"))
    stopped = swarm("How is the weather?")
    assert stopped.status == Status.INTERRUPTED

    going_on, model = swarm_of(client, "Sunny.")
    done = going_on(answered(stopped.interrupts, "sunny today"))

    assert done.status == Status.COMPLETED
    assert "sunny today" in json.dumps(model.seen[-1])


def test_a_graph_that_failed_goes_on_where_it_failed(client: Everturn) -> None:
    def graph_of(*answers: Any) -> tuple[Any, list[ScriptedModel]]:  # noqa: ANN401
        models = [ScriptedModel(answer) for answer in answers]
        builder = GraphBuilder()
        for name, model in zip("ab", models, strict=True):
            builder.add_node(Agent(model=model, name=name, callback_handler=None), name)
        builder.add_edge("a", "b")
        builder.set_entry_point("a")
        builder.set_max_node_executions(9)
        builder.set_session_manager(EverturnSessionManager("team", client))
        return builder.build(), models

    failing, _ = graph_of("first", Overflow())
    with pytest.raises(Exception, match=r"trim conversation context"):
        failing("go")

    graph, [first, second] = graph_of("again", "second")
    graph("go")

    assert (len(first.seen), len(second.seen)) == (0, 1)
    assert "first" in texts(second.seen[0])[-1]
