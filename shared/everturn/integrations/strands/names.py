"""Where the sessions of Strands lie: the conversation of an agent, the documents of a session.

Two sessions or agents never share a name, whatever characters are in it: `%` and `/` are escaped,
and all beyond ASCII where the server would take two ids for one (names in another Unicode form than
NFC).

    conversation {session}             messages of the agent `default`
    conversation {session}/{agent}     messages of any other agent
    document strands.{session}/session             the session itself
    document strands.{session}/agent.{agent}       state of an agent
    document strands.{session}/multi_agent.{id}    state of a graph or a swarm
    document strands.{session}/redacted.{agent}    what redacted messages became, by turn number
"""

from typing import Final, NamedTuple
from unicodedata import is_normalized
from urllib.parse import quote, unquote

# What Strands calls an agent that was given no id (strands/agent/agent.py, _DEFAULT_AGENT_ID).
_DEFAULT_AGENT: Final = "default"
_AGENT: Final = "agent."


class Place(NamedTuple):
    """Where a document lies."""

    space: str
    key: str


def conversation_of(session_id: str, agent_id: str = _DEFAULT_AGENT) -> str:
    """Return the id of the conversation that holds the messages of an agent.

    Of an agent without an id of its own that is the id of the session.
    """
    session = _escaped(session_id)
    return session if agent_id == _DEFAULT_AGENT else f"{session}/{_escaped(agent_id)}"


def space_of(session_id: str) -> str:
    """Return the space that holds all documents of a session."""
    return f"strands.{_escaped(session_id)}"


def session_place(session_id: str) -> Place:
    """Return where a session lies."""
    return Place(space_of(session_id), "session")


def agent_place(session_id: str, agent_id: str) -> Place:
    """Return where the state of an agent lies."""
    return Place(space_of(session_id), f"{_AGENT}{_escaped(agent_id)}")


def multi_agent_place(session_id: str, multi_agent_id: str) -> Place:
    """Return where the state of a graph or a swarm lies."""
    return Place(space_of(session_id), f"multi_agent.{_escaped(multi_agent_id)}")


def redactions_place(session_id: str, agent_id: str) -> Place:
    """Return where it lies what the redacted messages of an agent became."""
    return Place(space_of(session_id), f"redacted.{_escaped(agent_id)}")


def agent_of(key: str) -> str | None:
    """Return the agent whose state has this key in its space; None if it is no agent's."""
    return unquote(key.removeprefix(_AGENT)) if key.startswith(_AGENT) else None


def _escaped(part: str) -> str:
    # One slash at most is ours: an id with a slash cannot be taken for two.
    if is_normalized("NFC", part):
        return part.replace("%", "%25").replace("/", "%2F")
    return quote(part, safe="")
