"""Conversations that are sealed early, and what of them is stored, seen without any service."""

import json
from collections.abc import Sequence

from everturn.conversations.model.sealing import SealLimits, parse_segment
from everturn.conversations.model.segment_refs import Sealed, SegmentRef, tiles
from everturn.conversations.model.turn import TurnDraft
from everturn.ports.object_store import ANY, StoredObject
from everturn.values.go_json import JsonObject
from everturn.values.keys import segment_key, segment_name_of, segments_prefix
from scenarios.process import CONVERSATION, Process
from scenarios.world import World

# A turn of these tests takes some 70 bytes: a conversation is sealed at 15 turns and keeps 4, and
# a segment grows up to 28.
SMALL = SealLimits(
    above_bytes=1_000, tail_bytes=250, tail_turns=4, max_tail_bytes=600, segment_bytes=2_000
)
TS = "2025-05-05T05:05:05Z"


def said(number: int) -> str:
    """Return what the turn of this number says."""
    return f"turn {number:04d}"


def fill(process: Process, count: int, *, start: int = 0, seconds: float = 0) -> list[str]:
    """Append turns one by one, so far apart, each second one by the assistant; their texts."""
    texts = [said(number) for number in range(start, start + count)]
    for number, text in enumerate(texts, start):
        role = "assistant" if number % 2 else "user"
        process.append_drafts([TurnDraft(role, text)])
        process.clock.sleep(seconds)
    return texts


def sealed_of(world: World) -> Sealed:
    """Return what the stored head says of segments."""
    sealed = world.record().head.sealed
    assert sealed is not None
    return sealed


def segments_there(world: World) -> list[str]:
    """Return the names of all segments in the store, those that no head names included."""
    entries = world.data.list(segments_prefix(world.scope, CONVERSATION)).entries
    return [segment_name_of(entry.key) for entry in entries]


def orphans(world: World) -> list[str]:
    """Return the names of the segments that the head does not name."""
    sealed = world.record().head.sealed
    named = sealed.names if sealed else frozenset()
    return [name for name in segments_there(world) if name not in named]


def taken_in(world: World) -> list[str]:
    """Return those of which a longer segment that the head names holds all turns."""
    named = sealed_of(world).segments
    unnamed = [SegmentRef(name, 0) for name in orphans(world)]
    return [ref.name for ref in unnamed if any(map(ref.is_inside, named))]


def key_of(world: World, name: str) -> str:
    """Return the key of a segment."""
    return segment_key(world.scope, CONVERSATION, name)


def segment(world: World, name: str) -> StoredObject:
    """Return a stored segment."""
    found = world.data.get(key_of(world, name))
    assert isinstance(found, StoredObject)
    return found


def put_segment(world: World, name: str, body: bytes) -> None:
    """Put a segment there, whatever was there."""
    world.data.overwrite(key_of(world, name), body)


def remove_segment(world: World, name: str) -> None:
    """Take a segment away."""
    world.data.delete(key_of(world, name), expect=ANY)


def stored_texts(world: World) -> list[str]:
    """Return the texts of all turns as the head and its segments hold them; they must tile."""
    head = world.record().head
    values: list[object] = []
    if head.sealed is not None:
        assert tiles(head.sealed.segments)
        for ref in head.sealed.segments:
            stored = segment(world, ref.name)
            record = parse_segment(stored.body, ref_name=ref.name, conversation_id=CONVERSATION)
            assert record.newest_ns == ref.newest_ns
            values += record.values
    values += world.record().values
    assert len(values) == head.turn_count
    return [str(value["text"]) for value in values if isinstance(value, dict)]


def everything(world: World) -> bytes:
    """Return all that is stored, data and derived, as one text to look into."""
    bodies: list[bytes] = []
    for store in (world.data, world.derived):
        for key in (entry.key for entry in store.list("").entries):
            found = store.get(key)
            assert isinstance(found, StoredObject)
            bodies.append(found.body)
    return b"\n".join(bodies)


def at_segments_end(world: World) -> int:
    """Pop until the head holds one turn of its own; the turn count."""
    count = sealed_of(world).turns + 1
    for number in range(world.record().head.turn_count, count, -1):
        world.process().pop(expected=number)
    return count


def rewritten_by_go(world: World, *texts: str, turns: Sequence[JsonObject] = ()) -> None:
    """Let Go's program read the head, append, and write what it knows: no `sealed`, no metadata."""
    head = json.loads(world.stored().body)
    new = [{"role": "user", "text": text, "ts": TS} for text in texts]
    fields = {
        "conversation_id": head["conversation_id"],
        **({"title": head["title"]} if "title" in head else {}),
        "turns": [*(turns or head["turns"]), *new],
        "updated": "2026-07-07T07:07:07Z",
    }
    world.place(json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode())
