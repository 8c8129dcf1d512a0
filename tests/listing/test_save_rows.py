"""Writing the cache of a long list: whatever fails costs reads, and nothing is left lying about."""

import json

import pytest

from everturn.errors import AccessDeniedError
from everturn.listing.cache_files import ListCacheFiles
from everturn.values.keys import list_cache_key, list_files_prefix
from fakes.faulty_store import Fault, FaultyStore
from fakes.interleaved_store import InterleavedStore
from listing.long_list import NAMES, body, files, filled, ids, index_file, opened
from listing.test_list_robustness import FailingStore
from scenarios.process import SCOPE
from scenarios.world import World


@pytest.fixture
def long(world: World) -> World:
    """Twelve conversations, the last one newest, in four runs."""
    return filled(world)


@pytest.mark.parametrize("verb", ["overwrite", "put", "delete_many", "list"])
@pytest.mark.parametrize("fault", list(Fault))
def test_a_fold_that_fails_anywhere_costs_reads_and_shows_nothing_wrong(
    long: World, verb: str, fault: Fault
) -> None:
    for name in NAMES[:5]:
        long.process().append("more", to=name)
        long.clock.sleep(1)
    faulty = FaultyStore(long.derived, lambda asked: fault if asked == verb else None)
    wanted = [*NAMES[4::-1], *NAMES[:4:-1]]
    with opened(long, derived=faulty) as walk:
        assert ids(walk) == wanted
    faulty.land_all()
    for _ in range(2):
        with opened(long) as walk:
            assert ids(walk) == wanted
    with opened(long) as walk:
        assert walk.read == 0


def test_files_that_nobody_needs_go_away(long: World) -> None:
    """Those of the fold before last at once, those of a call that died after an hour."""
    long.derived.overwrite(f"{list_files_prefix(SCOPE)}{'0' * 32}", b"of a call that died")
    sizes = []
    for turn in range(12):
        for name in NAMES[turn % 3 :: 3]:
            long.process().append(str(turn), to=name)
            long.clock.sleep(600)
        with opened(long) as walk:
            assert len(ids(walk)) == 12
        sizes.append(len(files(long)))
    assert max(sizes) <= 2 * (1 + 9)
    assert f"{list_files_prefix(SCOPE)}{'0' * 32}" not in files(long)


def test_a_young_file_that_no_root_names_is_left_to_the_call_that_writes_it(long: World) -> None:
    young = f"{list_files_prefix(SCOPE)}{'0' * 32}"
    long.derived.overwrite(young, b"of a call under way")
    for name in NAMES[:5]:
        long.process().append("more", to=name)
    with opened(long):
        pass
    assert young in files(long)


def test_a_file_that_is_not_what_its_name_says_is_a_lost_one(long: World) -> None:
    index = index_file(long)
    one, other = [key for key in files(long) if key != index][:2]
    name = one.rpartition("/")[2]
    row = json.loads(body(long, other).split(b"\n")[1])
    cache = ListCacheFiles(derived=long.derived, scope=SCOPE)
    long.derived.overwrite(one, body(long, other))
    assert cache.run(name).row(row[0], row[1]) is None
    assert cache.run(other.rpartition("/")[2]).row(row[0], row[1]) is not None


def test_two_folds_at_once_leave_the_files_of_the_one_that_won(long: World) -> None:
    for name in NAMES[:5]:
        long.process().append("more", to=name)
        long.clock.sleep(1)

    def between() -> None:
        long.process().append("other", to="c11")
        with opened(long):
            pass

    slow = InterleavedStore(long.derived, before={("put", 1): between})
    with opened(long, derived=slow):
        pass
    after = len(files(long))
    with opened(long) as walk:
        assert (len(ids(walk)), walk.read) == (12, 0)
    assert after == len(files(long))


def test_a_root_that_cannot_be_read_is_left_alone(long: World) -> None:
    failing = FailingStore(long.derived, "get", list_cache_key(SCOPE), AccessDeniedError("no"))
    counted = InterleavedStore(failing)
    with opened(long, derived=counted) as walk:
        assert (len(ids(walk)), walk.read) == (12, 12)
    assert counted.verbs == ["get"]
