"""Every call that writes, what a network may do to it, and what is stored afterwards."""

from collections.abc import Callable
from typing import Any, TypeAlias

from client.faults import Fault, answers, lost_answer, lost_request, no_connection
from everturn.client import ABSENT, Everturn

Write: TypeAlias = Callable[[Everturn, dict[str, Any]], object]

_STEPS = {"name": "Release", "trigger": "a tag", "steps": ["build", "push"]}


def seeded(memory: Everturn) -> dict[str, Any]:
    """Put something there for each call; return the names that are made by the store."""
    memory.append("talk", [{"role": "user", "text": "One."}, {"role": "user", "text": "Two."}])
    pattern = memory.remember("pattern", spec=_STEPS).memory
    fact = memory.remember("fact", "The server listens on port 8080.").memory
    assert pattern is not None
    assert fact is not None
    etag = memory.put_document("space", "key", {"n": 1}).etag
    return {"pattern": pattern.id, "fact": fact.id, "etag": etag}


# Those that may be sent again whatever happened, and end in the same state as once.
REPEATED: dict[str, Write] = {
    "append": lambda memory, _: memory.append("talk", [{"role": "user", "text": "Three."}]),
    "append_new": lambda memory, _: memory.append_user("new", "One."),
    "append_expected": lambda memory, _: memory.append(
        "talk", [{"role": "user", "text": "Three."}], expected_turn_count=2
    ),
    "create_conversation": lambda memory, _: memory.create_conversation("empty", title="T"),
    "create_unnamed": lambda memory, _: memory.create_conversation(title="T"),
    "update_conversation": lambda memory, _: memory.update_conversation(
        "talk", title="T", metadata={"a": 1}
    ),
    "delete_conversation": lambda memory, _: memory.delete_conversation("talk"),
    "redact_turn": lambda memory, _: memory.redact_turn("talk", 0, text="(gone)"),
    "remember": lambda memory, _: memory.remember("fact", "The sky is blue."),
    "remember_again": lambda memory, _: memory.remember("fact", "The server listens on port 8080."),
    "correct_memory": lambda memory, ids: memory.correct_memory(
        ids["fact"], "The server listens on port 9090."
    ),
    "change_memory": lambda memory, ids: memory.change_memory(ids["fact"], pinned=True),
    "forget_memory": lambda memory, ids: memory.forget_memory(ids["fact"]),
    "record_outcome": lambda memory, ids: memory.record_outcome(ids["pattern"], "success"),
    "put_document": lambda memory, _: memory.put_document("space", "key", {"n": 2}),
    "delete_document": lambda memory, _: memory.delete_document("space", "key"),
    "delete_document_expected": lambda memory, ids: memory.delete_document(
        "space", "key", expect=ids["etag"]
    ),
    "erase": lambda memory, _: memory.erase(),
}
# Those whose outcome cannot be known after a lost answer: they say so.
ONCE: dict[str, Write] = {
    "pop_turn": lambda memory, _: memory.pop_turn("talk", expected_turn_count=2),
    "put_document_expected": lambda memory, ids: memory.put_document(
        "space", "key", {"n": 2}, expect=ids["etag"]
    ),
    "put_document_absent": lambda memory, _: memory.put_document(
        "space", "new", {"n": 2}, expect=ABSENT
    ),
}
WRITES = REPEATED | ONCE
NOT_DONE: dict[str, list[Fault]] = {
    "no connection": [no_connection],
    "throttled": [answers(429)],
    "both": [no_connection, answers(429, headers={"retry-after": "1"})],
}
UNCLEAR: dict[str, list[Fault]] = {
    "lost request": [lost_request],
    "lost answer": [lost_answer],
    "lost answers": [lost_answer, lost_answer],
    "an error instead of it": [
        lambda request, answer: (answer(request), answers(503)(request, answer))[1]
    ],
    "500": [answers(500)],
    "503": [answers(503)],
}


def state_of(memory: Everturn) -> dict[str, Any]:
    """Return all that is stored, but for times, versions and ids that are made up."""
    turns: dict[str, Any] = {}
    for line in memory.export():
        if "conversation_id" in line:
            said = [(turn["role"], turn["text"]) for turn in line["turns"]]
            id_ = line["conversation_id"]
            key = id_ if id_ in {"talk", "new", "empty"} else "unnamed"
            turns[key] = [*turns.get(key, []), (said, line.get("title"), line.get("metadata"))]
    memories = [
        (found.statement, found.count, found.pinned, found.coverage, found.strength)
        for found in memory.all_memories(superseded=True)
    ]
    documents = [(row.key, row.value) for row in memory.all_documents("space", values=True)]
    return {"turns": turns, "memories": sorted(map(repr, memories)), "documents": documents}
