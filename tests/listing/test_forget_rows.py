"""Forgetting.

No text of these conversations is left in any file of the cache, and none comes back.
"""

from dataclasses import replace

import pytest

from everturn.errors import AccessDeniedError, OutcomeUnknownError, UnavailableError
from everturn.listing.cache_files import ListCacheFiles, forget_all, forget_rows
from everturn.listing.list_conversations import ConversationPage, list_conversations
from everturn.listing.model.cache_root import LIMITS, CacheLimits, CacheRoot
from everturn.ports.object_store import StoredObject
from everturn.values.keys import head_key, list_cache_key, list_files_prefix
from fakes.content_etags import ContentEtags
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from listing.test_list_robustness import FailingStore
from scenarios.process import SCOPE
from scenarios.world import World

SHORT = CacheLimits(whole_rows=4, recent_rows=3, run_rows=3)
SECRET = "a-word-that-is-secret"


def listed(world: World, limits: CacheLimits = SHORT) -> ConversationPage:
    return list_conversations(
        data=world.data, derived=world.derived, clock=world.clock, scope=SCOPE, limits=limits
    )


def forget(world: World, *names: str) -> bool:
    keys = [head_key(SCOPE, name) for name in names]
    return forget_rows(derived=world.derived, scope=SCOPE, keys=keys)


def cache(world: World) -> bytes:
    """All that lies in the store of derived data."""
    bodies = b""
    for key in world.derived.list("").keys:
        stored = world.derived.get(key)
        assert isinstance(stored, StoredObject)
        bodies += stored.body
    return bodies


def say(world: World, text: str, *names: str) -> None:
    for name in names:
        world.process().append(text, to=name)
        world.clock.sleep(1)


def root(world: World) -> CacheRoot:
    return ListCacheFiles(derived=world.derived, scope=SCOPE).open_root().root


@pytest.fixture
def long(world: World) -> World:
    """The word is in the middle of twelve conversations, then in an older row of one, unlisted."""
    say(world, "a", *(f"c{number}" for number in range(5)))
    say(world, SECRET, "told")
    say(world, "a", *(f"c{number}" for number in range(5, 11)))
    listed(world)
    return world


@pytest.mark.parametrize("limits", [SHORT, LIMITS])
def test_no_text_of_a_forgotten_row_is_left(world: World, limits: CacheLimits) -> None:
    say(world, SECRET, "told")
    say(world, "b", *(f"c{number}" for number in range(9)))
    listed(world, limits)
    assert SECRET.encode() in cache(world)

    world.remove("told")
    assert forget(world, "told")

    assert SECRET.encode() not in cache(world)
    assert len(listed(world, limits).rows) == 9


def test_neither_is_that_of_older_rows_which_other_runs_still_hold(long: World) -> None:
    """The newest row is in another file than the one that holds what was said first."""
    for number in range(3):
        say(long, f"said later {number}", "told", "c0", "c1", "c2")
        listed(long)
    files = [key for key in long.derived.list(list_files_prefix(SCOPE)).keys if key]
    assert len(files) > 4
    assert SECRET.encode() in cache(long)

    long.remove("told")
    assert forget(long, "told")

    assert SECRET.encode() not in cache(long)
    assert b"said later" in cache(long)


def test_other_rows_are_not_read_again(long: World) -> None:
    long.remove("told")
    forget(long, "told")
    assert listed(long).read == 0


def test_a_forgotten_head_that_is_still_there_is_read_again(long: World) -> None:
    assert forget(long, "told")
    page = listed(long)
    assert (page.read, len(page.rows)) == (1, 12)


def test_it_costs_a_handful_of_requests_and_no_listing(long: World) -> None:
    store = InterleavedStore(long.derived)
    forget_rows(derived=store, scope=SCOPE, keys=[head_key(SCOPE, "told")])
    assert sorted(store.verbs) == ["delete_many", "get", "get", "get", "overwrite", "put"]


def test_in_a_short_list_it_is_two_requests(world: World) -> None:
    say(world, "a", "told")
    listed(world)
    store = InterleavedStore(world.derived)
    forget_rows(derived=store, scope=SCOPE, keys=[head_key(SCOPE, "told")])
    assert store.verbs == ["get", "put"]


def test_a_list_that_read_the_head_before_cannot_bring_it_back(world: World) -> None:
    """It has the row in its hands, and writes its cache after the delete."""
    say(world, SECRET, "told")

    def between() -> None:
        world.process().delete("told")
        assert forget(world, "told")

    slow = InterleavedStore(world.derived, before={("put", 1): between})
    page = list_conversations(
        data=world.data, derived=slow, clock=world.clock, scope=SCOPE, limits=SHORT
    )

    assert [row.title for row in page.rows] == [SECRET]
    assert SECRET.encode() not in cache(world)
    assert listed(world).rows == ()


@pytest.mark.parametrize("listed_before", [False, True])
def test_neither_can_it_where_etags_are_those_of_the_content(*, listed_before: bool) -> None:
    """A root that holds none of the rows, written anew, would have the etag it had before."""
    world = World()
    world.derived = ContentEtags(world.clock)
    say(world, "a", "other")
    if listed_before:
        listed(world)
    say(world, SECRET, "told")

    def between() -> None:
        world.process().delete("told")

    slow = InterleavedStore(world.derived, before={("put", 1): between})
    list_conversations(data=world.data, derived=slow, clock=world.clock, scope=SCOPE, limits=SHORT)

    assert slow.verbs.count("put") == 1
    assert SECRET.encode() not in cache(world)


@pytest.mark.parametrize("names", [(), ("c0", "c1", "c2", "c3", "c4")])
def test_a_list_keeps_the_count_of_forgets(long: World, names: tuple[str, ...]) -> None:
    """Whether it writes the root alone or folds: a root must never be as one was before."""
    forget(long, "told")
    forget(long, "told")
    say(long, "more", "c5", *names)
    before = root(long)
    listed(long)
    assert (root(long).forgets, root(long) != before) == (2, True)
    assert (root(long).runs != before.runs) == bool(names)


def test_neither_does_one_that_lost_its_index(long: World) -> None:
    forget(long, "told")
    name = root(long).index
    long.derived.overwrite(f"{list_files_prefix(SCOPE)}{name}", b"")
    listed(long)
    assert root(long).forgets == 1


def test_neither_can_one_that_was_folding(world: World) -> None:
    say(world, SECRET, "told")
    say(world, "a", *(f"c{number}" for number in range(6)))

    def between() -> None:
        world.process().delete("told")
        assert forget(world, "told")

    slow = InterleavedStore(world.derived, before={("put", 1): between})
    list_conversations(data=world.data, derived=slow, clock=world.clock, scope=SCOPE, limits=SHORT)

    assert SECRET.encode() not in cache(world)


def test_a_list_that_wins_the_race_is_met_in_the_next_attempt(long: World) -> None:
    def between() -> None:
        say(long, "more", "c1")
        listed(long)

    store = InterleavedStore(long.derived, before={("put", 1): between})
    assert forget_rows(derived=store, scope=SCOPE, keys=[head_key(SCOPE, "told")])
    assert SECRET.encode() not in cache(long)


def test_a_broken_root_hides_no_file_with_the_text(long: World) -> None:
    long.derived.overwrite(list_cache_key(SCOPE), b"{")
    assert forget(long, "told")
    assert SECRET.encode() not in cache(long)


def test_a_broken_index_takes_all_runs_with_it(long: World) -> None:
    for key in long.derived.list(list_files_prefix(SCOPE)).keys:
        stored = long.derived.get(key)
        assert isinstance(stored, StoredObject)
        if b'"stale"' in stored.body:
            long.derived.overwrite(key, b"")
    assert forget(long, "told")
    assert SECRET.encode() not in cache(long)
    assert len(listed(long).rows) == 12


@pytest.mark.parametrize(
    "error", [AccessDeniedError("no"), UnavailableError("later"), OutcomeUnknownError("?")]
)
@pytest.mark.parametrize("verb", ["get", "put"])
def test_what_is_not_certain_is_said(world: World, verb: str, error: Exception) -> None:
    say(world, SECRET, "told")
    listed(world)
    failing = FailingStore(world.derived, verb, list_cache_key(SCOPE), error)  # type: ignore[arg-type]
    assert not forget_rows(derived=failing, scope=SCOPE, keys=[head_key(SCOPE, "told")])


def test_an_answer_that_was_lost_is_not_taken_for_a_failure(long: World) -> None:
    store = FaultyStore(long.derived, scripted({("put", 1): Fault.LOST_RESPONSE}))
    assert forget_rows(derived=store, scope=SCOPE, keys=[head_key(SCOPE, "told")])
    assert SECRET.encode() not in cache(long)


def test_a_file_that_is_not_removed_is_said(long: World) -> None:
    store = FaultyStore(long.derived, scripted({("delete_many", 1): Fault.LOST_REQUEST}))
    assert not forget_rows(derived=store, scope=SCOPE, keys=[head_key(SCOPE, "told")])


def test_all_is_forgotten_but_the_count_and_if_wanted_the_edges(long: World) -> None:
    files = ListCacheFiles(derived=long.derived, scope=SCOPE)
    files.commit(replace(root(long), edges=("c/k",)), after=files.open_root())
    forget_all(derived=long.derived, scope=SCOPE, edges=None)
    assert root(long) == CacheRoot(edges=("c/k",), forgets=1)
    forget_all(derived=long.derived, scope=SCOPE)
    assert root(long) == CacheRoot(forgets=2)


@pytest.mark.parametrize(
    "error", [AccessDeniedError("no"), UnavailableError("later"), OutcomeUnknownError("?")]
)
@pytest.mark.parametrize("verb", ["get", "put"])
def test_forgetting_all_never_ends_in_silence_without_it(
    world: World, verb: str, error: Exception
) -> None:
    failing = FailingStore(world.derived, verb, list_cache_key(SCOPE), error)  # type: ignore[arg-type]
    # What is refused for good is not to be sent again.
    expected = AccessDeniedError if isinstance(error, AccessDeniedError) else UnavailableError
    with pytest.raises(expected):
        forget_all(derived=failing, scope=SCOPE)
