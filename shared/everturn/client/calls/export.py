"""The call that exports one conversation as its file."""

import json
from dataclasses import replace
from typing import Any, Final

from everturn.client.calls.call import MAX_PAGE, Answer, Call, Plan, Walk
from everturn.client.calls.conversations import get_conversation
from everturn.client.calls.encoding import Json, json_bytes, path_of
from everturn.client.calls.turns import get_turns
from everturn.errors import TooLargeError

_NAMED: Final = ("conversation_id", "title")
_OPTIONAL: Final = ("folder", "archived", "metadata")


def export_conversation(conversation_id: str) -> Plan[bytes]:
    """Return the JSON file of a conversation, byte for byte as it is stored.

    One above 3 MiB is put together from its pages: the same members in the same order, without
    what other programs added. Raises in the mode `best_effort` as well: an empty file is no copy.

    Raises:
        NotFoundError: there is none, or it was deleted.
    """
    try:
        document: bytes = yield Call(
            name="export_conversation",
            method="GET",
            path=path_of("conversations", conversation_id, "export"),
            answer=Answer(_object_bytes),
        )
    except TooLargeError:
        document = yield from _assembled(conversation_id)
    return document


def _assembled(conversation_id: str) -> Plan[bytes]:
    head = yield _raw(get_conversation(conversation_id, limit=1), *_NAMED, "updated")
    walk = _raw_turns(conversation_id)
    turns: list[Json] = []
    call: Call[dict[str, Any]] | None = walk.first
    asked: set[str] = set()
    while call is not None:
        page = yield call
        turns += walk.items(page)
        call = walk.after(page, call, asked)
    named = {name: head[name] for name in _NAMED}
    optional = {name: head[name] for name in _OPTIONAL if name in head}
    return json_bytes({**named, "turns": turns, "updated": head["updated"], **optional})


def _raw_turns(conversation_id: str) -> Walk[dict[str, Any], Json]:
    def page(first: int) -> Call[dict[str, Any]]:
        return _raw(get_turns(conversation_id, from_=first, limit=MAX_PAGE), "turns")

    return Walk(
        first=page(0),
        items=lambda found: [
            {name: value for name, value in turn.items() if name != "index"}
            for turn in found["turns"]
        ],
        then=lambda found: None if found.get("next") is None else page(found["next"]),
    )


def _raw(call: Call[Any], *names: str) -> Call[dict[str, Any]]:
    """Return a call whose answer is not read into a model, which would lose what is new."""
    return replace(call, answer=Answer(lambda body: _object(body, *names)))


def _object_bytes(body: bytes) -> bytes:
    _object(body, "conversation_id")
    return body


def _object(body: bytes, *names: str) -> dict[str, Any]:
    value = json.loads(body)
    if not isinstance(value, dict) or not value.keys() >= set(names):
        raise ValueError("no such object")
    return value
