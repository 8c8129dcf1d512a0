"""Erasures of a world that has everything, and stores that are in their way."""

import json
import threading
from collections.abc import Callable

from everturn.conversations.head_cache import HeadCache
from everturn.deletion.delete_conversation import Receipt
from everturn.documents.read_write import put_document
from everturn.errors import UnavailableError
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.upkeep.erase_conversations import ERASERS
from everturn.upkeep.erase_scope import erase_scope
from everturn.values.keys import Scope, heads_prefix
from fakes.wrapped_store import Answer, Verb, WrappedStore
from scenarios.process import SCOPE
from scenarios.sealed_world import everything, fill
from scenarios.world import World
from upkeep.traces import put_traces

ZEROS = dict.fromkeys(
    (
        "conversations", "turns", "segments", "staged", "quarantined", "watermarks", "documents",
        "memories", "vectors", "unreadable",
    ),
    0,
)  # fmt: skip
OTHER = Scope("acme", "bob")


class SlowStore(WrappedStore):
    """Takes its time for every request; a thread of a pool, beside the others, its share of it."""

    def __init__(self, world: World, seconds: float, inner: ObjectStore | None = None) -> None:
        super().__init__(inner or world.data)
        self._world = world
        self._seconds = seconds

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        del verb, key
        alone = threading.current_thread() is threading.main_thread()
        self._world.clock.sleep(self._seconds / (1 if alone else ERASERS))
        return send()


class StuckStore(WrappedStore):
    """Writes one key never."""

    def __init__(self, inner: ObjectStore, key: str) -> None:
        super().__init__(inner)
        self._key = key

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb == "put" and key == self._key:
            raise UnavailableError("a fault of the test")
        return send()


def erase(
    world: World, store: ObjectStore | None = None, *, derived: ObjectStore | None = None
) -> Receipt:
    return erase_scope(
        store=store or world.data,
        derived=derived or world.derived,
        heads=HeadCache(),
        clock=world.clock,
        entropy=world.entropy,
        scope=world.scope,
    )


def put_document_of(world: World, key: str, value: str = "secret") -> None:
    put_document(
        store=world.data, clock=world.clock, entropy=world.entropy, scope=world.scope,
        space="notes", key=key, value=value,
    )  # fmt: skip


def everything_of_ann(world: World) -> None:
    """Conversations of all kinds, documents, memories, lists, and what lies beside."""
    process = world.process()
    fill(process, 40)
    put_traces(world, each=2)
    process.create("empty", title="secret title")
    process.append("secret", "words", to="tenänt/ü")
    process.append("secret", to="gone")
    process.delete("gone")
    world.place(b"{secret", "corrupt")
    world.place(b'{"conversation_id":"another","turns":[],"secret":1}', "liar")
    world.data.overwrite(f"{heads_prefix(SCOPE)}stray secret.txt", b"secret")
    for number in range(3):
        put_document_of(world, f"k/{number}")
    world.data.overwrite("m/acme/ann/rid.json", b"secret")
    process.list_page()


def assert_tombstones_alone(world: World) -> None:
    assert b"secret" not in everything(world)
    for key in world.data.list("").keys:
        stored = world.data.get(key)
        assert isinstance(stored, StoredObject)
        assert key.startswith(heads_prefix(SCOPE))
        assert json.loads(stored.body)["deleted"]["done"] is True
