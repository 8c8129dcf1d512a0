"""Stand-ins for what lies beside a conversation's head: staged, set aside, watermarks, vectors."""

from everturn.values.keys import (
    quarantine_prefix,
    segments_prefix,
    staged_prefix,
    vectors_prefix,
    watermark_key,
)
from scenarios.process import CONVERSATION
from scenarios.world import World


def put_traces(world: World, conversation_id: str = CONVERSATION, *, each: int = 2) -> None:
    """Put so many of each kind there, and one watermark."""
    scope, id_ = world.scope, conversation_id
    for number in range(each):
        world.data.overwrite(f"{staged_prefix(scope, id_)}{number:012d}.json", b"secret")
        world.data.overwrite(f"{quarantine_prefix(scope, id_)}{number:012d}.json", b"secret")
        world.derived.overwrite(f"{vectors_prefix(scope, id_)}m/{number:06d}", b"secret")
    world.data.overwrite(watermark_key(scope, id_), b"secret")


def traces(world: World, conversation_id: str = CONVERSATION) -> list[str]:
    """Return the keys of all that lies beside a head."""
    scope, id_ = world.scope, conversation_id
    places = [
        (world.data, segments_prefix(scope, id_)),
        (world.data, staged_prefix(scope, id_)),
        (world.data, quarantine_prefix(scope, id_)),
        (world.derived, vectors_prefix(scope, id_)),
    ]
    keys = [entry.key for store, prefix in places for entry in store.list(prefix).entries]
    watermark = watermark_key(scope, id_)
    return keys if world.data.get(watermark) is None else [*keys, watermark]
