"""A list that is long under small limits, and what lies in its cache."""

from collections.abc import Iterator
from contextlib import contextmanager

from everturn.listing.model.cache_root import CacheLimits
from everturn.listing.walk_rows import RowWalk, open_rows
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import list_files_prefix
from scenarios.process import SCOPE
from scenarios.world import World

SHORT = CacheLimits(whole_rows=4, recent_rows=3, run_rows=3, walked_rows=100)
NAMES = [f"c{number:02}" for number in range(12)]


def filled(world: World) -> World:
    """Add twelve conversations, the last one newest, in four runs."""
    for name in NAMES:
        world.process().append(name, to=name)
        world.clock.sleep(1)
    with opened(world) as walk:
        assert walk.read == 12
    return world


@contextmanager
def opened(
    world: World,
    *,
    data: ObjectStore | None = None,
    derived: ObjectStore | None = None,
    limits: CacheLimits = SHORT,
) -> Iterator[RowWalk]:
    """Open the rows of a world."""
    with open_rows(
        data=data or world.data, derived=derived or world.derived, scope=SCOPE, clock=world.clock,
        limits=limits,
    ) as walk:  # fmt: skip
        yield walk


def ids(walk: RowWalk) -> list[str]:
    """Return the ids of all rows, newest first."""
    return [listed.row.conversation_id for listed in walk.newest_first()]


def files(world: World) -> list[str]:
    """Return the keys of all files of the cache but its root."""
    return [key for key in world.derived.list(list_files_prefix(SCOPE)).keys if key]


def body(world: World, key: str) -> bytes:
    found = world.derived.get(key)
    assert found is not None
    assert not isinstance(found, str)
    return getattr(found, "body", b"")


def index_file(world: World) -> str:
    """Return the key of the index."""
    return next(key for key in files(world) if b'"stale"' in body(world, key))
