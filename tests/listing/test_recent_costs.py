"""What recent turns cost in requests: a list, and no more heads and segments than can matter."""

from collections import Counter

import pytest

from emulation.counting_store import CountingStore
from everturn.conversations.model import sealing
from everturn.values.cursors import RecentCursor
from listing.recent_calls import START_NS, Recent, draft, named, window
from listing.test_recent_turns import TINY
from scenarios.world import World


@pytest.fixture
def world() -> World:
    """A world whose listing has pages of a hundred keys."""
    return World(page_keys=100)


@pytest.fixture
def store(world: World) -> CountingStore:
    return CountingStore(world.data)


def _kinds(store: CountingStore) -> Counter[tuple[str, str]]:
    """How many requests of each verb went to keys of each kind."""
    return Counter((verb, key.partition("/")[0]) for verb, key in store.calls)


def _fill(world: World, conversations: int, turns: int = 3) -> None:
    for number in range(conversations):
        drafts = [draft("user", number * 10 - 100_000 + turn) for turn in range(turns)]
        world.process().append_drafts(drafts, to=f"c{number:04d}")
        world.clock.sleep(0.001)
    world.process().list_page()


def test_ten_turns_of_a_thousand_conversations_open_eleven_heads_at_most(
    world: World, store: CountingStore
) -> None:
    _fill(world, 1_000)
    derived = CountingStore(world.derived)

    page = Recent(world, store, derived).page(10)

    assert named(page.items)[:4] == [("c0999", 2), ("c0999", 1), ("c0999", 0), ("c0998", 2)]
    assert _kinds(store) == {("list", "c"): 10, ("get", "c"): 11}
    assert derived.verbs() == ["get"]
    assert page.read == 11


def test_a_head_is_opened_once_for_a_page(world: World, store: CountingStore) -> None:
    _fill(world, 40)

    page = Recent(world, store).page(1_000)

    assert len(page.items) == 120
    assert _kinds(store) == {("list", "c"): 1, ("get", "c"): 40}


def test_conversations_older_than_since_are_not_opened(world: World, store: CountingStore) -> None:
    """As far as their last write tells: times far before it are found all the same."""
    for number in range(50):
        world.clock.sleep(10)
        world.process().append("x", to=f"c{number:02d}")
    world.process().list_page()

    page = Recent(world, store).page(window=window(475, None))

    assert named(page.items) == [("c49", 0), ("c48", 0), ("c47", 0)]
    assert _kinds(store)["get", "c"] == 3


def test_a_page_deep_in_the_past_opens_no_conversation_that_began_after_it(
    world: World, store: CountingStore
) -> None:
    for number in range(50):
        world.clock.sleep(10)
        world.process().append("x", to=f"c{number:02d}")
    world.process().list_page()
    recent = Recent(world, store)

    assert named(recent.page(window=window(None, 25)).items) == [("c01", 0), ("c00", 0)]
    assert _kinds(store)["get", "c"] == 2
    store.calls.clear()
    cursor = RecentCursor(START_NS + 30 * 10**9, "c02", 0).encode()
    assert named(recent.page(cursor=cursor).items) == [("c01", 0), ("c00", 0)]
    assert _kinds(store)["get", "c"] == 3


def test_segments_that_cannot_matter_stay_closed(
    world: World, store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "LIMITS", TINY)
    for number in range(60):
        world.process().append_drafts([draft("user", number - 100)], to="long")
    sealed = world.record("long").head.sealed
    assert sealed is not None
    assert len(sealed.segments) > 5
    world.process().list_page()
    recent = Recent(world, store)

    tail = world.record("long").head.turn_count - sealed.turns
    assert len(recent.page(tail - 1).items) == tail - 1
    assert _kinds(store)["get", "s"] == 0
    store.calls.clear()
    assert len(recent.page(window=window(-60, None)).items) == 20
    assert _kinds(store)["get", "s"] == sum(
        ref.newest_ns >= START_NS - 60 * 10**9 for ref in sealed.segments
    )


def test_of_many_segments_of_one_time_the_last_are_opened_first(
    world: World, store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "LIMITS", TINY)
    for _ in range(100):
        world.process().append_drafts([draft("user", -1)], to="long")
    world.process().list_page()
    tail = 100 - world.record("long").head.first_turn

    page = Recent(world, store).page(tail + 10)

    assert named(page.items) == [("long", 99 - at) for at in range(tail + 10)]
    assert _kinds(store)["get", "s"] <= 16


def test_the_answers_of_a_question_at_the_end_of_a_segment_are_few_requests_more(
    world: World, store: CountingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "LIMITS", TINY)
    for number in range(30):
        role = "user" if number % 2 == 0 else "assistant"
        world.process().append_drafts([draft(role, number - 100)], to="long")
    sealed = world.record("long").head.sealed
    assert sealed is not None
    ends = [ref for ref in sealed.segments if ref.last % 2 == 0]
    assert ends, "no segment ends with a question"
    world.process().list_page()
    chosen = window(ends[0].last - 100, ends[0].last - 99)

    page = Recent(world, store).page(pairs=True, window=chosen)

    assert [turn.index for turn in page.items[0].answers] == [ends[0].last + 1]
    later = sum(ref.first > ends[0].last for ref in sealed.segments)
    assert _kinds(store)["get", "c"] == 2
    assert _kinds(store)["get", "s"] <= later + 4
