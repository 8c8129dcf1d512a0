"""The list cache may be lost, broken or stale: that costs reads, and never a wrong row."""

import json

import pytest

from everturn.errors import UnavailableError
from everturn.ports.object_store import ANY, StoredObject
from everturn.values.keys import list_cache_key
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE, Process
from scenarios.world import World

KEY = list_cache_key(SCOPE)


def _filled(world: World) -> Process:
    process = world.process()
    for number in range(3):
        process.append("a", to=f"c{number}")
    process.create("empty")
    process.list_page()
    return process


def _cache(world: World) -> bytes:
    stored = world.derived.get(KEY)
    assert isinstance(stored, StoredObject)
    return stored.body


@pytest.mark.parametrize(
    "broken",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"version":1}', b'{"version":1,"rows":[[1]]}',
        b'{"version":1,"rows":[["k","e",["c"],0,false]]}', b'{"version":1,"rows":7}',
        b'{"version":1,"rows":[["k","e",["c",1,2,3,"x",null,false],0,false]]}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_broken_cache_is_rebuilt(world: World, broken: bytes) -> None:
    process = _filled(world)
    rows, good = process.list_page().rows, json.loads(_cache(world))
    world.derived.overwrite(KEY, broken)

    page = process.list_page()

    assert (page.rows, page.read) == (rows, 4)
    assert json.loads(_cache(world)) == good


def test_a_missing_cache_is_rebuilt(world: World) -> None:
    process = _filled(world)
    world.derived.delete(KEY, expect=ANY)

    assert process.list_page().read == 4
    assert process.list_page().read == 0


def test_a_cache_of_another_version_is_rebuilt(world: World) -> None:
    process = _filled(world)
    world.derived.overwrite(KEY, _cache(world).replace(b'"version":3', b'"version":2'))

    assert process.list_page().read == 4


def test_rows_of_a_foreign_cache_are_not_shown(world: World) -> None:
    """What the listing does not name does not exist, and an etag that differs is read again."""
    process = _filled(world)
    stale = _cache(world)
    process.delete("c0")
    process.append("b", to="c1")
    world.remove("c2")
    world.derived.overwrite(KEY, stale)

    page = process.list_page()

    assert [(row.conversation_id, row.turn_count) for row in page.rows] == [("c1", 2)]
    assert page.read == 2


def test_a_conversation_that_went_away_leaves_the_cache(world: World) -> None:
    process = _filled(world)
    world.remove("c0")
    process.list_page()

    assert b"/c0.json" not in _cache(world)


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.UNAVAILABLE])
def test_a_failed_write_of_the_cache_does_not_fail_the_list(world: World, fault: Fault) -> None:
    process = _filled(world)
    process.append("b", to="c1")
    process.derived = FaultyStore(world.derived, lambda verb: fault if verb == "put" else None)

    assert [row.turn_count for row in process.list_page().rows] == [2, 1, 1]
    process.derived = world.derived
    assert [row.turn_count for row in process.list_page().rows] == [2, 1, 1]


def test_a_lost_race_for_the_cache_shows_no_stale_row(world: World) -> None:
    """A slow list writes its older cache over a newer one; the etags tell."""
    process = _filled(world)
    process.append("b", to="c1")
    quick = world.process()

    def between() -> None:
        quick.append("c", to="c1")
        quick.delete("c2")
        quick.list_page()

    slow = world.process()
    slow.derived = InterleavedStore(world.derived, before={("put", 1): between})
    slow.list_page()

    rows = world.process().list_page().rows
    assert [(row.conversation_id, row.turn_count) for row in rows] == [("c1", 3), ("c0", 1)]


def test_a_store_that_does_not_answer_fails_the_list(world: World) -> None:
    """No page is shown with rows missing."""
    process = _filled(world)
    process.append("b", to="c1")
    scripts: list[Script] = [
        {("get", 1): Fault.UNAVAILABLE},
        {("list", 1): Fault.UNAVAILABLE},
    ]
    for script in scripts:
        process.store = FaultyStore(world.data, scripted(script))
        with pytest.raises(UnavailableError):
            process.list_page()
