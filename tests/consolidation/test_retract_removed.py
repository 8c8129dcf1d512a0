"""Taking back what turns said that were taken back while memories were made of them."""

from dataclasses import replace

import pytest

from consolidation.consolidations import memories
from conversations.model.sealed_values import turn
from emulation.counting_store import CountingStore
from everturn.consolidation.retract_turns import take_back_dead
from everturn.consolidation.window_step import Applied, apply_findings
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.errors import AccessDeniedError, UnavailableError
from everturn.extraction.answers.findings import Extracted
from everturn.memory.model.draft import MemoryDraft
from everturn.memory.writer import MemoryWriter
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.keys import head_key
from fakes.wrapped_store import RefusingStore
from scenarios.process import CONVERSATION
from scenarios.world import World


def _fact(
    statement: str, number: int = 0, quote: str = "", *, last: int | None = None
) -> Extracted:
    draft = MemoryDraft("fact", statement, provenance="derived")
    return Extracted(draft, number, number if last is None else last, quote or statement)


def _writer(world: World, store: ObjectStore | None = None) -> MemoryWriter:
    return MemoryWriter(store or world.data, world.clock, world.entropy, world.scope)


def _apply(
    world: World,
    *found: Extracted,
    values: dict[int, JsonValue] | None = None,
    store: ObjectStore | None = None,
) -> Applied:
    turns: dict[int, JsonValue] = {n: turn(n, ts="2024-05-24T10:00:00Z") for n in range(9)}
    return apply_findings(
        found,
        writer=_writer(world, store),
        conversation_id=CONVERSATION,
        values=turns if values is None else values,
    )


def _found(world: World) -> StoredRecord:
    found = read_record(store=world.data, scope=world.scope, conversation_id=CONVERSATION)
    assert found is not None
    return found


def _values(found: StoredRecord) -> dict[int, JsonValue]:
    return dict(enumerate(found.record.values))


def _take_back(
    world: World, found: StoredRecord, *said: Extracted, store: ObjectStore | None = None
) -> bool:
    return take_back_dead(
        said,
        writer=_writer(world, store),
        derived=world.derived,
        found=found,
        values=_values(found),
    )


def _said(world: World) -> tuple[StoredRecord, tuple[Extracted, ...]]:
    """Return a conversation as it was read, and the memories that were made of it."""
    world.process().append("a", "b", "c")
    found = _found(world)
    said = (_fact("a"), _fact("b", 1), _fact("b and c", 1, "b", last=2))
    _apply(world, *said, values=_values(found))
    return found, said


def test_where_nobody_wrote_since_it_takes_one_request(world: World) -> None:
    found, said = _said(world)
    counting = CountingStore(world.data)
    assert _take_back(world, found, *said, store=counting)
    assert counting.verbs() == ["get"]
    assert len(memories(world)) == 3


def test_an_append_takes_nothing_back(world: World) -> None:
    found, said = _said(world)
    world.process().append("d")
    assert _take_back(world, found, *said)
    assert len(memories(world)) == 3


def _put(world: World, **turns: JsonObject | None) -> None:
    """Change the head behind the back of everybody, so that nothing else takes anything back."""
    found = _found(world)
    values = {f"n{n}": value for n, value in enumerate(found.record.values)} | turns
    encoded = [dumps(value).encode() for value in values.values() if value is not None]
    head = replace(found.record.head, turns_json=b",".join(encoded), turn_count=len(encoded))
    key = head_key(world.scope, CONVERSATION)
    world.data.put(key, head.encode(), expect=found.etag, meta=found.ring.meta)


@pytest.mark.parametrize(
    "value",
    [
        {"role": "user", "text": "", "ts": "2026-01-01T00:00:00Z", "redacted": True},
        {"role": "user", "text": "another", "ts": "2026-01-01T00:00:00Z"},
        {"role": "user", "text": "b", "ts": "2026-01-02T00:00:00Z"},
    ],
)
def test_what_a_turn_said_that_is_another_now_is_taken_back(
    world: World, value: JsonObject
) -> None:
    """What it said together with another turn goes as well: its words may be of this one."""
    found, said = _said(world)
    _put(world, n1=value)
    assert _take_back(world, found, *said)
    assert sorted(memories(world)) == ["a"]


def test_what_a_turn_said_that_is_not_there_is_taken_back(world: World) -> None:
    found, said = _said(world)
    _put(world, n2=None)
    assert _take_back(world, found, *said, _fact("c", 2))
    assert sorted(memories(world)) == ["a", "b"]


def test_a_conversation_that_is_gone_is_said_to_be(world: World) -> None:
    found, said = _said(world)
    world.process().delete()
    assert not _take_back(world, found, *said)
    world.remove()
    assert not _take_back(world, found, *said)


def test_where_something_may_be_left_it_is_to_be_done_again(world: World) -> None:
    found, said = _said(world)
    _put(world, n1=None, n2=None)
    refusing = RefusingStore(world.data, "put", "m/", AccessDeniedError("403"))
    with pytest.raises(UnavailableError, match="not all gone"):
        _take_back(world, found, *said, store=refusing)
