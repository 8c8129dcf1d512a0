"""A turn is taken back while others recall: in every order with two changes between the two."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.errors import NotFoundError
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.recall_request import Recalled
from fakes.fake_embedder import FakeEmbedder
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from fakes.schedule import run_in_order
from scenarios.process import Process
from scenarios.recall_process import Recaller, chunk_keys, is_indexed, lexical, recaller, texts
from scenarios.sealed_world import fill, said
from scenarios.world import World

# Some thousand interleavings: a minute.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small", "small_chunks")]

# One chunk, one segment: no call makes two requests at once, so an order is an order.
COUNT = 16
SEALED, NEWEST = 2, COUNT - 1
MOST = 30


@dataclass(frozen=True)
class TakingBack:
    """A way to take turns back, and their numbers."""

    act: Callable[[Process], object]
    gone: Sequence[int]


def _live_again(process: Process) -> None:
    process.delete()
    process.create()
    process.append("a second life")


WAYS = {
    "redact sealed": TakingBack(lambda process: process.redact(SEALED), [SEALED]),
    "redact newest": TakingBack(lambda process: process.redact(NEWEST, text="else"), [NEWEST]),
    "pop": TakingBack(lambda process: process.pop(expected=COUNT), [NEWEST]),
    "delete": TakingBack(lambda process: process.delete(), range(COUNT)),
    "delete and live again": TakingBack(_live_again, range(COUNT)),
}


def _world(known: int, embedder: Callable[[], FakeEmbedder]) -> tuple[World, Recaller]:
    """Return a world of one store, and a process that recalled when so many turns were there."""
    world = World()
    assert isinstance(world.data, MemoryStore)
    world.derived = world.data
    fill(world.process(), known)
    process = recaller(world, embedder())
    if known:
        process.recall("turn")
    fill(world.process(), COUNT - known, start=known)
    return world, process


def _orders(first: str, second: str, *, requests: int) -> Iterator[list[str]]:
    """Yield: so many requests of one, so many of the other, the first to its end, the rest."""
    for begun in range(requests):
        for meanwhile in range(1, requests):
            yield [first] * begun + [second] * meanwhile + [first] * MOST


def _assert_gone(world: World, way: TakingBack, embedder: Callable[[], FakeEmbedder]) -> None:
    assert [number for number in way.gone if is_indexed(world, said(number))] == []
    try:
        found = texts(recaller(world, embedder()).recall("turn"))
    except NotFoundError:
        return
    assert not set(found) & {said(number) for number in way.gone}


@pytest.mark.parametrize("first", ["recall", "take back"])
@pytest.mark.parametrize("known", [0, COUNT - 1, COUNT])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_no_row_of_it_stays_and_no_later_recall_finds_it(
    way: TakingBack, known: int, first: str
) -> None:
    """The process that recalls is cold, knows all but the newest turn, or knows all."""
    second = "take back" if first == "recall" else "recall"
    for order in _orders(first, second, requests=10):
        world, process = _world(known, FakeEmbedder)

        def recall(store: ObjectStore, process: Recaller = process) -> Recalled:
            return replace(process, data=store, derived=store).recall("turn")

        def take_back(store: ObjectStore, world: World = world) -> object:
            return way.act(replace(world.process(store), derived=store))

        ended = run_in_order(world.data, {"recall": recall, "take back": take_back}, order)

        assert isinstance(ended["recall"], Recalled | NotFoundError), order
        assert not isinstance(ended["take back"], Exception), order
        _assert_gone(world, way, FakeEmbedder)


@pytest.mark.parametrize("way", ["redact sealed", "pop"])
def test_a_recall_that_learns_of_it_looks_again(way: str) -> None:
    """It wrote the chunk, and the head it looks at then is another."""
    world, process = _world(COUNT - 1, FakeEmbedder)
    taking = WAYS[way]
    store = InterleavedStore(
        world.data, after={("overwrite", 1): lambda: taking.act(world.process())}
    )
    process.data = process.derived = store

    found = process.recall("turn")

    assert not set(texts(found)) & {said(number) for number in taking.gone}
    assert not found.degraded


@pytest.mark.parametrize("embedder", [FakeEmbedder, lexical])
@pytest.mark.parametrize("way", ["redact sealed", "redact newest", "pop"])
def test_after_a_crash_the_next_cold_recall_takes_the_row_away(
    way: str, embedder: Callable[[], FakeEmbedder]
) -> None:
    """It ended between its chunk and the look at the head, and a redaction came between."""
    world, process = _world(0, embedder)
    taking = WAYS[way]

    def take_back_and_crash() -> None:
        taking.act(world.process())
        raise KeyboardInterrupt

    process.data = process.derived = InterleavedStore(
        world.data, before={("overwrite", 1): take_back_and_crash}
    )
    body = _lost_write(process)
    key = body[0]
    world.derived.overwrite(*body)
    assert chunk_keys(world) == [key]
    assert any(is_indexed(world, said(number)) for number in taking.gone)

    found = texts(recaller(world, embedder()).recall("turn"))

    assert not set(found) & {said(number) for number in taking.gone}
    _assert_gone(world, taking, embedder)


def _lost_write(process: Recaller) -> tuple[str, bytes]:
    """Let a recall crash in its write, and return what it was about to write."""
    written: list[tuple[str, bytes]] = []
    inner = process.derived

    class _Noting(InterleavedStore):
        def overwrite(self, key: str, body: bytes):  # type: ignore[no-untyped-def]  # noqa: ANN202
            written.append((key, body))
            return super().overwrite(key, body)

    process.derived = _Noting(inner)
    with pytest.raises(KeyboardInterrupt):
        process.recall("turn")
    [lost] = written
    return lost


def test_what_a_crash_left_of_a_deleted_conversation_goes_with_the_next_sweep() -> None:
    world, process = _world(0, FakeEmbedder)

    def delete_and_crash() -> None:
        world.process().delete()
        raise KeyboardInterrupt

    process.data = process.derived = InterleavedStore(
        world.data, before={("overwrite", 1): delete_and_crash}
    )
    world.derived.overwrite(*_lost_write(process))
    assert chunk_keys(world)

    world.clock.sleep(91 * 86_400)
    world.process().sweep()
    world.process().sweep()

    assert chunk_keys(world) == []


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.UNAVAILABLE, Fault.LOST_RESPONSE])
@pytest.mark.parametrize("way", ["redact sealed", "pop"])
def test_a_row_that_could_not_be_removed_goes_with_the_next_recall(way: str, fault: Fault) -> None:
    world, process = _world(0, FakeEmbedder)
    taking = WAYS[way]
    racing = InterleavedStore(
        world.data, before={("overwrite", 1): lambda: taking.act(world.process())}
    )
    process.data = racing
    process.derived = FaultyStore(racing, scripted({("delete_many", 1): fault}))

    found = process.recall("turn")

    assert not set(texts(found)) & {said(number) for number in taking.gone}
    _assert_gone(world, taking, FakeEmbedder)
