"""Read other programs' JSON without trusting any field, and make conversations of it.

No error quotes a value: it may be what a user said.

Where messages form a tree, one branch of it is what a person saw who edited and asked again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject
from everturn.cli.output.errors import CliError
from everturn.conversations.model.turn import END_TIME_NS, MAX_NAME_CHARS, TurnDraft, encode_turns
from everturn.errors import EverturnError
from everturn.values.timestamps import NANOSECONDS, format_time, parse_time

# The API refuses a longer one (POST /v1/conversations); what is in a list is 60 characters.
_MAX_TITLE_CHARS: Final = 1_000
_TIMES: Final = range(END_TIME_NS)
_END_S: Final = END_TIME_NS // NANOSECONDS


def object_in(value: Mapping[str, Any], name: str) -> JsonObject:
    """Return an object's field that is an object; an empty one where it is none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def list_in(value: Mapping[str, Any], name: str) -> list[Any]:
    """Return an object's field that is a list; an empty one where it is none."""
    found = value.get(name)
    return found if isinstance(found, list) else []


def text_in(value: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of an object's fields that is a text and not empty."""
    found = (value.get(name) for name in names)
    return next((text for text in found if isinstance(text, str) and text), None)


def time_of(value: object) -> str | None:
    """Return a time as RFC 3339; None where it is none, or outside of the years 1970 to 2100.

    Args:
        value: an RFC 3339 text, without an offset in UTC; or seconds since 1970.
    """
    if isinstance(value, str):
        time_ns = parse_time(value)
        return value if time_ns is not None and time_ns in _TIMES else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _END_S:
        return None
    # Clocks of other programs say microseconds at most; a double holds those to the year 2100.
    time_ns = round(value * 1_000_000) * (NANOSECONDS // 1_000_000)
    return format_time(time_ns) if time_ns in _TIMES else None


def turn(
    role: str, *, text: str | None = None, ts: str | None = None, name: str | None = None,
    content: Any = None, metadata: JsonObject | None = None,  # noqa: ANN401 - any JSON value
) -> JsonObject:  # fmt: skip
    """Return a turn as the API takes it; a name that is too long for one is left to the content."""
    fields = {
        "role": role,
        "text": text,
        "ts": ts,
        "name": name if name and len(name) <= MAX_NAME_CHARS else None,
        "content": content,
        "metadata": metadata,
    }
    return {field: value for field, value in fields.items() if value is not None}


def nothing_said(role: str) -> JsonObject:
    """Return the turn of a message that says nothing: it is counted, and not stored."""
    return turn(role, text="")


def conversation(
    conversation_id: str,
    turns: Sequence[JsonObject],
    *,
    position: str,
    title: str | None = None,
    archived: bool = False,
    metadata: JsonObject | None = None,
    notes: Iterable[str] = (),
) -> FoundConversation:
    """Return a conversation whose turns the API takes, each of them.

    Raises:
        CliError: it refuses one, such as a turn above 1 MiB: then none is sent.
    """
    for number, one in enumerate(turns):
        _check(one, f"{position} turn={number}")
    head: JsonObject = {"title": title[:_MAX_TITLE_CHARS]} if title else {}
    if metadata:
        head["metadata"] = metadata
    return FoundConversation(
        conversation_id, tuple(turns), head, archived=archived, notes=tuple(notes)
    )


def _check(one: JsonObject, position: str) -> None:
    try:
        encode_turns([TurnDraft(**one)], now_ns=0)
    except EverturnError as exc:
        field = (exc.field or "").removeprefix("turns.0").removeprefix(".")
        raise CliError(
            " ".join([exc.message, *([f"field={field}"] if field else []), position])
        ) from exc


def branch_to(leaf: str, parents: Mapping[str, str | None]) -> list[str]:
    """Return the ids from the root of a tree to a leaf.

    A parent that is not there is none; a circle is walked once.
    """
    branch: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in branch:
        branch[at] = None
        at = parents[at]
    return list(branch)[::-1]


def newest_leaf(parents: Mapping[str, str | None], times: Mapping[str, str]) -> str | None:
    """Return the leaf whose time is the latest, of equal ones the last; None of an empty tree.

    Args:
        parents: each id's parent.
        times: RFC 3339 times of some of them, in UTC.
    """
    inner = {parent for one, parent in parents.items() if parent != one}
    leaves = [one for one in parents if one not in inner] or list(parents)
    if not leaves:
        return None
    return max(enumerate(leaves), key=lambda leaf: (times.get(leaf[1], ""), leaf[0]))[1]
