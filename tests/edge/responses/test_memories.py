"""From a memory to the JSON of an answer."""

import json
from typing import Any

from everturn.edge.responses.base import Answer
from everturn.edge.responses.memories import memories_listed, memory_json, memory_read
from everturn.memory.model.memory import Memory, Promotion
from everturn.memory.model.pattern_spec import PatternSpec
from everturn.memory.model.source import FurtherSource, Outcome, Source
from everturn.memory.model.supersession import Replaces
from everturn.memory.read_memory import HistoryEntry, MemoryPage, ReadMemory
from everturn.memory.views import MemoryView

SECOND = 1_000_000_000
RID, OLD = "a" * 32, "b" * 32


def _fact(number: int, *quotes: str) -> MemoryView:
    sources = tuple(
        Source(f"{at:016x}", at * SECOND, f"c{at}", quote=quote) for at, quote in enumerate(quotes)
    )
    return MemoryView(Memory(f"{number:032x}", "fact", f"Fact {number}.", sources=sources))


def _body(response: Answer) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(str(response.body))
    return body


def _full() -> Memory:
    """A memory that has everything."""
    return Memory(
        RID,
        "pattern",
        spec=PatternSpec(name="Deploy", steps=("push",)),
        subject="ops",
        hard=True,
        importance=9,
        pinned=True,
        provenance="imported",
        sources=(Source("0" * 16, 2 * SECOND, "c1", 3, 4, "push it", "1" * 16),),
        more=(FurtherSource("2" * 16, SECOND),),
        replaces=(Replaces(OLD, 2 * SECOND, SECOND),),
        outcomes=(Outcome("3" * 16, "success", SECOND),),
        promoted=Promotion("deploy", 3 * SECOND),
    )


def test_the_answer_shows_every_field_and_no_hash_of_a_source() -> None:
    memory = _full()
    view = MemoryView(memory, SECOND, 4 * SECOND, "c" * 32)
    assert memory_json(view) == {
        "id": RID,
        "uri": f"everturn://memory/pattern/{RID}",
        "kind": "pattern",
        "spec": {"name": "Deploy", "steps": ["push"]},
        "subject": "ops",
        "hard": True,
        "importance": 9,
        "count": 2,
        "coverage": 2,
        "strength": memory.strength,
        "sources": [
            {
                "conversation_id": "c1", "from": 3, "to": 4, "quote": "push it",
                "at": "1970-01-01T00:00:02Z",
            },
        ],
        "first_seen": "1970-01-01T00:00:01Z",
        "last_seen": "1970-01-01T00:00:02Z",
        "valid_from": "1970-01-01T00:00:01Z",
        "valid_to": "1970-01-01T00:00:04Z",
        "supersedes": [OLD],
        "superseded_by": "c" * 32,
        "pinned": True,
        "provenance": "imported",
        "promoted": {"name": "deploy", "at": "1970-01-01T00:00:03Z"},
    }  # fmt: skip


def test_a_forgotten_part_of_a_history_has_no_text() -> None:
    entries = [
        HistoryEntry(OLD, SECOND, 2 * SECOND, forgotten=True),
        HistoryEntry(RID, 2 * SECOND, None, "It is 9090."),
    ]
    assert _body(memory_read(ReadMemory(_fact(1), entries)))["history"] == [
        {
            "id": OLD, "forgotten": True,
            "valid_from": "1970-01-01T00:00:01Z", "valid_to": "1970-01-01T00:00:02Z",
        },
        {"id": RID, "statement": "It is 9090.", "valid_from": "1970-01-01T00:00:02Z"},
    ]  # fmt: skip


def test_a_page_ends_where_an_answer_is_full_and_its_cursor_goes_on_there() -> None:
    views = [_fact(number, *["x" * 2_000] * 32) for number in range(60)]
    response = memories_listed(MemoryPage(views, None, 0, 0))
    body = _body(response)
    shown = len(body["memories"])
    assert 0 < shown < 60
    assert len(str(response.body).encode()) <= 3 * 1_048_576
    rest = memories_listed(MemoryPage(views[:shown], None, 0, 0))
    assert "next_cursor" in body
    assert "next_cursor" not in _body(rest)


def test_a_history_too_long_for_an_answer_loses_its_beginning() -> None:
    entries = [HistoryEntry(RID, at * SECOND, None, f"{at} " + "x" * 4_000) for at in range(900)]
    response = memory_read(ReadMemory(_fact(1), entries))
    body = _body(response)
    assert len(str(response.body).encode()) <= 3 * 1_048_576
    assert body["history"][-1]["statement"].startswith("899 ")
    assert body["history_cut"] == 900 - len(body["history"])
