"""The answers of the routes that keep memories."""

from everturn.edge.responses.base import Answer, Room, answer, times_json
from everturn.memory.change_memory import ChangedMemory, Forgotten, Promoted
from everturn.memory.model.memory import Promotion
from everturn.memory.model.pattern_spec import PatternSpec
from everturn.memory.model.source import Source
from everturn.memory.read_memory import HistoryEntry, MemoryPage, ReadMemory
from everturn.memory.remember_memory import Remembered
from everturn.memory.views import MemoryView
from everturn.values.cursors import MemoryCursor
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.timestamps import format_time


def remembered(outcome: Remembered) -> Answer:
    """Answer with a memory, new or known."""
    memory = outcome.memory
    shown = memory_json(MemoryView(memory, memory.valid_from_ns)) if memory else None
    body: JsonObject = {"memory": shown, "created": outcome.created}
    return answer(body, 201 if outcome.created else 200)


def memories_listed(page: MemoryPage) -> Answer:
    """Answer a list."""
    memories = Room().begin(page.views, memory_json)
    next_cursor = page.next_cursor
    if len(memories) < len(page.views):
        next_cursor = MemoryCursor(page.views[len(memories) - 1].memory.rid).encode()
    body: JsonObject = {"memories": memories}
    if next_cursor is not None:
        body["next_cursor"] = next_cursor
    if page.pending:
        body["pending"] = page.pending
    return answer({**body, "skipped": page.skipped})


def memory_read(found: ReadMemory) -> Answer:
    """Answer a read: the memory, and the history of what held in its place.

    Where a history is too long for an answer, its beginning is left out.
    """
    room = Room()
    [memory] = room.begin([found.view], memory_json)
    newest = room.begin(reversed(found.history), _entry_json)
    cut = len(found.history) - len(newest)
    body: JsonObject = {"memory": memory, "history": newest[::-1]}
    return answer({**body, "history_cut": cut} if cut else body)


def memory_changed(outcome: ChangedMemory) -> Answer:
    """Answer with a memory as it is now, and the id of the one in whose place it came."""
    body: JsonObject = {"memory": memory_json(outcome.view)}
    replaced: JsonObject = {"superseded": outcome.superseded} if outcome.superseded else {}
    return answer(body | replaced)


def memory_forgotten(outcome: Forgotten, kept: JsonObject) -> Answer:
    """Answer with a receipt; `kept` says what the bucket keeps for some days."""
    deleted: JsonObject = {"memories": outcome.memories}
    return answer({"deleted": deleted, "complete": outcome.complete, **kept})


def memory_promoted(outcome: Promoted) -> Answer:
    """Answer with the skill: its name, and the files of its folder."""
    skill = outcome.skill
    files: JsonObject = {"SKILL.md": skill.text}
    return answer({"name": skill.name, "files": files, "memory": memory_json(outcome.view)})


def memory_json(view: MemoryView) -> JsonObject:
    """Return a memory as answers show it; what it does not have is left out."""
    memory = view.memory
    return {
        "id": memory.rid,
        "uri": memory.uri,
        "kind": memory.kind,
        **_said(memory.statement, memory.spec),
        "subject": memory.subject,
        "hard": memory.hard,
        "importance": memory.importance,
        "count": memory.count,
        "coverage": memory.count,
        "strength": memory.strength,
        "sources": list(map(_source_json, memory.sources)),
        **times_json(first_seen=memory.first_seen_ns, last_seen=memory.last_seen_ns),
        "supersedes": [edge.rid for edge in memory.replaces],
        "pinned": memory.pinned,
        "provenance": memory.provenance,
        **times_json(valid_from=view.valid_from_ns, valid_to=view.valid_to_ns),
        **({"superseded_by": view.superseded_by} if view.superseded_by else {}),
        **({"promoted": _promotion_json(memory.promoted)} if memory.promoted else {}),
    }


def _promotion_json(promotion: Promotion) -> JsonObject:
    return {"name": promotion.name, "at": format_time(promotion.at_ns)}


def _entry_json(entry: HistoryEntry) -> JsonObject:
    said = {"forgotten": True} if entry.forgotten else _said(entry.statement, entry.spec)
    times = times_json(valid_from=entry.since_ns, valid_to=entry.until_ns)
    return {"id": entry.rid, **said, **times}


def _said(statement: str, spec: PatternSpec | None) -> JsonObject:
    return {"spec": spec.to_json()} if spec else {"statement": statement}


def _source_json(source: Source) -> JsonValue:
    fields = source.to_json()
    names = ("conversation_id", "from", "to", "quote", "at")
    return {name: fields[name] for name in names if name in fields}
