"""Events of Amazon Bedrock AgentCore Memory, as ListEvents answers them.

Checked against the service's model in botocore 1.44.8 (version 2024-02-28), and bedrock-agentcore's
converter for Strands messages.
https://docs.aws.amazon.com/bedrock-agentcore/latest/APIReference/API_Event.html

    {"events": [{"actorId", "sessionId", "eventId", "eventTimestamp", "branch"?: {"name"},
        "metadata"?, "payload": [{"conversational": {"role", "content": {"text"}}}
                                 | {"blob": any} | {"json": any}]}], "nextToken"?}
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.importers.export_files import FoundDocument
from everturn.cli.importers.foreign_json import (
    conversation,
    list_in,
    object_in,
    text_in,
    time_of,
    turn,
)
from everturn.cli.importers.json_stream import Value, is_json, parsed
from everturn.cli.importers.strands import strands_turn
from everturn.cli.output.errors import CliError
from everturn.values.timestamps import parse_time

_ROLES: Final = {"USER": "user", "ASSISTANT": "assistant", "TOOL": "tool", "OTHER": "other"}
_MAIN: Final = "main"
_TOKENS: Final = ("nextToken", "NextToken")


def looks_like_agentcore(value: object) -> bool:
    """Say whether this is an event, or an answer with events."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("events"), list):
        return all(map(_is_event, value["events"]))
    return _is_event(value)


def _is_event(value: object) -> bool:
    needed = {"actorId", "sessionId", "eventTimestamp", "payload"}
    return isinstance(value, dict) and needed <= set(value)


@dataclass(frozen=True, slots=True)
class _Event:
    session_id: str
    actor_id: str
    event_id: str
    time_ns: int
    ts: str
    branch: str
    payload: list[Any]
    metadata: JsonObject


def read_events(
    values: Iterable[Value], *, actor: str | None
) -> Iterator[FoundConversation | FoundDocument]:
    """Yield a conversation for each session and branch, and a document for what is no message.

    Args:
        values: events, or answers with events, in any order.
        actor: whose events to take, if there are several actors.

    Raises:
        CliError: one is no event, a page is missing, or the events are of several actors and none
            of them, or of none of them, is named.
    """
    groups: dict[tuple[str, str], list[_Event]] = {}
    for event in _of_one_actor(list(_events(values)), actor):
        groups.setdefault((event.session_id, event.branch), []).append(event)
    _refuse_shared(groups)
    for (session_id, branch), events in groups.items():
        events.sort(key=lambda event: (event.time_ns, event.event_id))
        yield from _found(session_id, branch, events)


def _refuse_shared(groups: Iterable[tuple[str, str]]) -> None:
    """Refuse ids that are one, as session `a/b` and branch `b` of session `a` would be.

    AgentCore itself gives no such ids: theirs have no slash, and nothing beyond ASCII.
    """
    ids = Counter(normalize("NFC", _id_of(*group)) for group in groups)
    for id_, count in ids.items():
        if count > 1:
            raise CliError(f"several sessions or branches have one id conversation={id_}")


def _id_of(session_id: str, branch: str) -> str:
    return session_id if branch == _MAIN else f"{session_id}/{branch}"


def _events(values: Iterable[Value]) -> Iterator[_Event]:
    goes_on = False
    for position, value in values:
        if not isinstance(value, dict):
            raise CliError(f"no event {position}")
        page = list_in(value, "events") if "events" in value else [value]
        goes_on = "events" in value and any(value.get(name) for name in _TOKENS)
        for number, event in enumerate(page):
            yield _event(event, f"{position} event={number}")
    if goes_on:
        raise CliError("there are more events than these, list all of them into one file")


def _event(value: object, position: str) -> _Event:
    if not isinstance(value, dict) or not _is_event(value):
        raise CliError(f"an event has an actor, a session, a time and a payload {position}")
    ids = text_in(value, "sessionId"), text_in(value, "actorId")
    ts = time_of(value["eventTimestamp"])
    time_ns = None if ts is None else parse_time(ts)
    if ids[0] is None or ids[1] is None or ts is None or time_ns is None:
        raise CliError(f"an event has an actor, a session, a time and a payload {position}")
    return _Event(
        session_id=ids[0],
        actor_id=ids[1],
        event_id=text_in(value, "eventId") or "",
        time_ns=time_ns,
        ts=ts,
        branch=text_in(object_in(value, "branch"), "name") or _MAIN,
        payload=list_in(value, "payload"),
        metadata=object_in(value, "metadata"),
    )


def _of_one_actor(events: Sequence[_Event], actor: str | None) -> list[_Event]:
    """Return the events of one actor: whose they become says the identity of the caller alone."""
    actors = sorted({event.actor_id for event in events})
    named = f"actors={','.join(actors)}"
    if len(actors) > 1 and actor not in actors:
        raise CliError(f"these events are of several actors, name one by --from-actor {named}")
    if actor is not None and actor not in actors:
        raise CliError(f"these events are of another actor {named}")
    return [event for event in events if actor is None or event.actor_id == actor]


def _found(
    session_id: str, branch: str, events: Sequence[_Event]
) -> Iterator[FoundConversation | FoundDocument]:
    turns: list[JsonObject] = []
    documents: list[FoundDocument] = []
    for event in events:
        for number, item in enumerate(event.payload):
            said = _turn(item, event) if isinstance(item, dict) else None
            if said is not None:
                turns.append(said)
            else:
                key = f"{event.event_id or event.ts}.{number}"
                documents.append(FoundDocument(f"agentcore.{session_id}", key, item))
    if turns:
        yield conversation(_id_of(session_id, branch), turns, position=f"session={session_id}")
    yield from documents


def _turn(item: JsonObject, event: _Event) -> JsonObject | None:
    """Return the turn of one item of a payload; None where it is no message."""
    said = object_in(item, "conversational")
    if said:
        text, role = (
            text_in(object_in(said, "content"), "text") or "",
            text_in(said, "role") or "OTHER",
        )
    elif (pair := _pair(item.get("blob"))) is not None:
        text, role = pair
    else:
        return None
    kept = _stored(text)
    if kept is not None:
        return kept | {"ts": event.ts}
    role = _ROLES.get(role.upper(), role)
    own = {"event_id": event.event_id, "metadata": event.metadata}
    return turn(
        role, text=text, ts=event.ts, metadata={"agentcore": {k: v for k, v in own.items() if v}}
    )


def _pair(blob: object) -> tuple[str, str] | None:
    """Return text and role of a message that was too long for a text: Strands puts it in a blob."""
    if not isinstance(blob, str) or not blob.startswith("[") or not is_json(blob):
        return None
    match parsed(blob, "blob"):
        case [str(text), str(role)]:
            return text, role
    return None


def _stored(text: str) -> JsonObject | None:
    """Return the turn of a text that is a stored message of Strands; None where it is a text."""
    if not text.startswith("{") or not is_json(text):
        return None
    value = parsed(text, "text")
    if not {"message", "message_id"} <= set(value):
        return None
    try:
        return strands_turn(value, "text")
    except CliError:
        return None
