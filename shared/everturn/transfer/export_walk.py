"""Walk the objects of an export, and make its lines, each one JSON object.

    {"conversation_id",...,"turns":[...],"updated",...}  a conversation, as its own export gives it
    {"conversation_id","first_turn":N,"turns":[...]}     turns of a long one, from number N on
    {"conversation_id",...,"updated","first_turn":N,...} its last line: all else, and its last turns
    {"document":{"space","key","value","updated"}}
    {"memory":{"id","kind",...}}                         a memory, with what it said before
    {"memory":{"id","kind","forgotten",...}}             one that was forgotten, without text
    {"skipped":{"conversation_id"|"key"|"document"|"memory"}}  what cannot be read
    {"gone":{"conversation_id"|"key"}}                   deleted since: its lines are void
    {"next_cursor"}                                      there are more; always the last line

Lines of one conversation follow one another. A line that begins at turn 0 replaces those before it,
which are of an earlier state.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal, TypeVar

from everturn.conversations.model.head import Head
from everturn.ports.object_store import ObjectStore
from everturn.storage.list_keys import list_all
from everturn.values.cursors import ExportCursor
from everturn.values.go_json import JsonObject, dumps
from everturn.values.keys import Scope, scope_prefix

_READERS: Final = 16

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Line:
    """One line; the cursor that begins with it and, where its object ends with it, the one behind.

    A tombstone has a line of kind "nothing": of no text, unless lines of the conversation are out;
    so has a memory whose sources are gone.
    """

    kind: Literal["conversation", "document", "memory", "skipped", "nothing"]
    text: str
    here: ExportCursor
    after: ExportCursor | None


def walk_objects(
    kind: str, at: ExportCursor, read: Callable[[str], Read], *, store: ObjectStore, scope: Scope
) -> Iterator[tuple[str, ExportCursor, ExportCursor, Read]]:
    """Yield key, cursors before and behind it, and what `read` makes of it, in order of the keys.

    So many are read at once as a GET waits for S3, and no more than the caller asks for.
    """
    prefix = scope_prefix(kind, scope)
    here = at if at.kind == kind else ExportCursor(kind)
    listed = list_all(store, prefix, start_after=prefix + here.name if here.name else "")
    keys = (entry.key for entry in listed if entry.key.endswith(".json"))
    with ThreadPoolExecutor(_READERS) as readers:
        while wave := list(islice(keys, _READERS)):
            for key, found in zip(wave, readers.map(read, wave), strict=True):
                after = _behind(key, kind, prefix, here)
                yield key, here, after, found
                here = after


def _behind(key: str, kind: str, prefix: str, here: ExportCursor) -> ExportCursor:
    # Another program's name may be no text at all: then what follows is gone on with from before.
    return ExportCursor(kind, key.removeprefix(prefix)) if key.isascii() else here


def one_line(json_text: str) -> str:
    """Return the same JSON in one line: line breaks stand between its parts only."""
    return json_text.replace("\r", " ").replace("\n", " ").strip()


def record_line(head: Head, turns_json: bytes, first: int) -> str:
    """Return a conversation with these turns, the first of which has the number `first`."""
    before = (("first_turn", str(first)),) if first else ()
    whole = replace(head, turns_json=turns_json, sealed=None, foreign=(*head.foreign, *before))
    return one_line(whole.encode().decode())


def turns_line(conversation_id: str, turns_json: bytes, first: int) -> str:
    """Return some turns of a conversation whose last line follows."""
    front = f'{{"conversation_id":{dumps(conversation_id)},"first_turn":{first},"turns":['
    return one_line(f"{front}{turns_json.decode()}]}}")


def document_line(envelope: str) -> str:
    """Return a document as it is stored."""
    return one_line(f'{{"document":{envelope}}}')


def memory_line(record: str) -> str:
    """Return a memory as it is stored."""
    return one_line(f'{{"memory":{record}}}')


def skipped_line(what: JsonObject) -> str:
    """Return the line of something that cannot be exported."""
    return dumps({"skipped": what})


def gone_line(what: JsonObject) -> str:
    """Return the line of a conversation that was deleted when some of its lines were out."""
    return dumps({"gone": what})


def cursor_line(cursor: str) -> str:
    """Return the line that says where to go on."""
    return dumps({"next_cursor": cursor})
