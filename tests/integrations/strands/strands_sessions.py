"""Agents of Strands whose session is kept in a directory."""

from typing import Any

from strands import Agent, tool

from everturn.client import Everturn
from everturn.integrations.strands.sessions import EverturnSessionManager
from integrations.strands.strands_model import ScriptedModel


def opened(client: Everturn, model: ScriptedModel, **settings: Any) -> Agent:  # noqa: ANN401
    """An agent of the session `s`, restored if it is there."""
    manager = EverturnSessionManager(settings.pop("session_id", "s"), client)
    return Agent(model=model, session_manager=manager, callback_handler=None, **settings)


def said(agent: Agent) -> list[tuple[str, str]]:
    """Role and text of all messages that have one."""
    return [
        (one["role"], block["text"])
        for one in agent.messages
        for block in one["content"]
        if "text" in block
    ]


@tool
def look_up(order: str) -> str:
    """Look an order up.

    Args:
        order: its number.
    """
    return f"order {order} left on Friday"
