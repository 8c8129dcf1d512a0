"""An event of Google ADK as a turn, and back."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from google.adk.events.event import Event
from google.adk.sessions.state import State
from google.genai import types

from everturn.errors import CorruptRecordError
from everturn.wire.conversations import Turn

_USER: Final = "user"
# What an event always says, and content of another kind does not say all of.
_OURS: Final = {"id", "author", "invocation_id", "actions", "timestamp"}


def turn_of_event(event: Event, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the turn of an event; its content is the event, without state that is `temp:`.

    The text is what was said in it; thoughts are not.
    """
    kept = event.model_dump(mode="json", exclude_none=True)
    kept["actions"]["state_delta"] = state_delta(event)
    turn = {
        "role": _role(event),
        "text": said_in(event.content),
        "ts": datetime.fromtimestamp(event.timestamp, UTC).isoformat(),
        "content": kept,
    }
    if event.author and event.author != _USER:
        turn["name"] = event.author
    return {**turn, "metadata": dict(metadata)} if metadata else turn


def event_of_turn(turn: Turn) -> Event:
    """Return the event that became a turn, equal to it.

    What was redacted, or appended by others with any content, is an event with the turn's text.

    Raises:
        CorruptRecordError: the content is an event that this version of ADK cannot read.
    """
    if not isinstance(turn.content, dict) or not turn.content.keys() >= _OURS:
        return _plain_event(turn)
    try:
        return Event.model_validate(turn.content)
    except ValueError as exc:
        raise CorruptRecordError(f"an event cannot be read index={turn.index}") from exc


def event_key(turn: Mapping[str, Any]) -> str:
    """Return the idempotency key of the append of an event: equal events have one key."""
    told = json.dumps(turn, sort_keys=True, default=str)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def state_delta(event: Event) -> dict[str, Any]:
    """Return what an event changes in the state and is kept: as JSON, without `temp:`."""
    told: dict[str, Any] = event.actions.model_dump(mode="json")["state_delta"]
    return {key: each for key, each in told.items() if not key.startswith(State.TEMP_PREFIX)}


def said_in(content: types.Content | None) -> str:
    """Return the text of a content's parts, a line each."""
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _role(event: Event) -> str:
    if event.get_function_responses():
        return "tool"
    return "user" if event.author == _USER else "assistant"


def _plain_event(turn: Turn) -> Event:
    author = _USER if turn.role == "user" else turn.name or turn.role
    content = types.Content(
        role="user" if author == _USER else "model", parts=[types.Part(text=turn.text)]
    )
    time = turn.time
    return Event(
        id=f"turn-{turn.index}",
        author=author,
        content=content,
        timestamp=0.0 if time is None else time.timestamp(),
    )
