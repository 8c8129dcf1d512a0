"""A head that cannot be read: a clear error, nothing overwritten, and nothing else hidden."""

from collections.abc import Callable

import pytest

from everturn.conversations.model.patch import Patch
from everturn.errors import CorruptRecordError
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.world import World

CORRUPT = [
    b"",
    b"not json",
    b'{"conversation_id":"thread-1","turns":[',
    b'{"conversation_id":"thread-1","turns":{}}',
    b'{"turns":[]}',
    b"[]",
    b"null",
    b"\xff\xfe\x00",
    b'{"conversation_id":"thread-1","turns":[],"updated":"2025-01-01T00:00:00Z"} trailing',
    b"[" * 100_000,
]
MISPLACED = [
    b'{"conversation_id":"thread-2","turns":[{"role":"user","text":"a"}],"updated":""}',
    b'{"conversation_id":"","turns":[{"role":"user","text":"a"}]}',
    b'{"conversation_id":"\\ud800","turns":[{"role":"user","text":"a"}]}',
    b'{"conversation_id":"../thread-1","turns":[{"role":"user","text":"a"}]}',
    b'{"conversation_id":"Thread-1","turns":[{"role":"user","text":"a"}]}',
]
CALLS: dict[str, Callable[[Process], object]] = {
    "append": lambda process: process.append("b"),
    "append with a key": lambda process: process.append("b", key="k"),
    "append of blanks": lambda process: process.append(" "),
    "patch": lambda process: process.patch(Patch(title="t")),
    "delete": lambda process: process.delete(),
    "create": lambda process: process.create(),
    "read": lambda process: process.read(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("body", [*CORRUPT, *MISPLACED])
def test_a_corrupt_head_is_named_and_never_overwritten(
    world: World, body: bytes, call: Callable[[Process], object]
) -> None:
    world.place(body)
    before = world.stored()
    store = InterleavedStore(world.data)

    with pytest.raises(CorruptRecordError, match="conversation=thread-1"):
        call(world.process(store))

    assert world.stored() == before
    assert len(store.verbs) <= 2


@pytest.mark.parametrize("body", CORRUPT)
def test_a_warm_process_does_not_overwrite_a_head_that_became_corrupt(
    world: World, body: bytes
) -> None:
    process = world.process()
    process.append("a")
    world.place(body)

    with pytest.raises(CorruptRecordError):
        process.append("b")

    assert world.stored().body == body


@pytest.mark.parametrize("body", [*CORRUPT, *MISPLACED])
def test_a_list_skips_a_corrupt_head_and_shows_the_others(world: World, body: bytes) -> None:
    process = world.process()
    process.append("a", to="c1")
    process.append("b", to="c2")
    world.place(body)

    for expected_reads in (3, 0):
        page = process.list_page()
        assert [row.conversation_id for row in page.rows] == ["c1", "c2"]
        assert (page.skipped, page.read) == (1, expected_reads)


def test_a_mended_head_is_listed_again(world: World) -> None:
    process = world.process()
    process.append("a")
    good = world.stored().body
    world.place(good[:-5])
    assert process.list_page().skipped == 1
    world.place(good)

    page = process.list_page()

    assert (page.skipped, len(page.rows)) == (0, 1)
