"""Recent turns while conversations change, objects are missing, and the store is slow."""

from collections.abc import Callable
from typing import Any

import pytest

from everturn.conversations.model import sealing
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.errors import AccessDeniedError, EverturnError, UnavailableError
from everturn.ports.object_store import ANY
from everturn.values.keys import head_key, segment_key
from fakes.wrapped_store import Answer, Verb, WrappedStore
from listing.recent_calls import Recent, draft, expected, named, paired, window
from listing.test_recent_turns import TINY
from scenarios.world import World


class Watched(WrappedStore):
    """Lets the test step in before the first read of an object whose key begins so."""

    def __init__(self, world: World, prefix: str, act: Callable[[], Any]) -> None:
        super().__init__(world.data)
        self._prefix, self._act, self.times = prefix, act, 1

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb == "get" and key.startswith(self._prefix) and self.times:
            self.times -= 1
            self._act()
        return send()


class Slow(WrappedStore):
    """Takes its time for each object."""

    def __init__(self, world: World, seconds: float) -> None:
        super().__init__(world.data)
        self._clock, self._seconds = world.clock, seconds

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb == "get" and key.startswith("c/"):
            self._clock.sleep(self._seconds)
        return send()


@pytest.fixture
def sealed(world: World, monkeypatch: pytest.MonkeyPatch) -> tuple[SegmentRef, ...]:
    """The segments of a long conversation, beside a short one; both are in the list's cache."""
    monkeypatch.setattr(sealing, "LIMITS", TINY)
    for number in range(30):
        role = "user" if number % 2 == 0 else "assistant"
        world.process().append_drafts([draft(role, number - 100)], to="long")
    world.process().append_drafts([draft("user", -200)], to="short")
    world.process().list_page()
    head = world.record("long").head
    assert head.sealed is not None
    return head.sealed.segments


def test_a_conversation_deleted_after_it_was_listed_shows_nothing(world: World) -> None:
    for id_ in ("a", "b"):
        world.process().append("x", to=id_)
    world.process().list_page()
    key = head_key(world.scope, "a")
    store = Watched(world, key, lambda: world.process().delete("a"))

    page = Recent(world, store).page()

    assert (named(page.items), page.skipped, store.times) == ([("b", 0)], 0, 0)


@pytest.mark.usefixtures("sealed")
def test_a_segment_that_is_replaced_while_it_is_read_is_read_anew(world: World) -> None:
    everything = expected(world, ["long", "short"])
    store = Watched(world, "s/", lambda: world.process().redact(3, conversation_id="long"))

    page = Recent(world, store).page(1_000)

    assert (named(page.items), page.skipped, store.times) == (everything, 0, 0)
    texts = {item.turn.index: item.turn.text for item in page.items[:-1]}
    assert (texts[2], texts[3]) == ("x", "")


@pytest.mark.usefixtures("sealed")
@pytest.mark.parametrize("turns", [30, 300])
def test_what_is_deleted_while_its_segments_are_read_is_no_error(world: World, turns: int) -> None:
    """A few segments are read at once, hundreds in many steps."""
    for number in range(30, turns):
        world.process().append_drafts([draft("user", number - 400)], to="long")
    store = Watched(world, "s/", lambda: world.process().delete("long"))

    page = Recent(world, store).page(1_000)

    assert (page.items[-1].conversation_id, page.skipped) == ("short", 0)


def test_a_segment_that_is_missing_for_good_is_counted_and_hides_nothing_else(
    world: World, sealed: tuple[SegmentRef, ...]
) -> None:
    lost = sealed[2]
    whole = expected(world, ["long", "short"])
    world.data.delete(segment_key(world.scope, "long", lost.name), expect=ANY)

    page = Recent(world).page(1_000)

    left = [(id_, n) for id_, n in whole if id_ == "short" or not lost.first <= n <= lost.last]
    assert (named(page.items), page.skipped) == (left, 1)


def test_a_segment_that_cannot_be_read_is_counted_and_hides_nothing_else(
    world: World, sealed: tuple[SegmentRef, ...]
) -> None:
    for ref in sealed[:2]:
        world.data.overwrite(segment_key(world.scope, "long", ref.name), b"{")

    page = Recent(world).page(1_000)

    assert (page.skipped, len(page.items)) == (1, 31 - sealed[0].count - sealed[1].count)


def _raising(error: EverturnError) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def test_a_head_that_is_refused_is_counted(world: World) -> None:
    for id_ in ("a", "b"):
        world.process().append("x", to=id_)
    world.process().list_page()
    store = Watched(world, head_key(world.scope, "a"), _raising(AccessDeniedError("no")))

    page = Recent(world, store).page()

    assert (named(page.items), page.skipped) == ([("b", 0)], 1)


def test_a_store_that_does_not_answer_is_said_to_be(world: World) -> None:
    world.process().append("x", to="a")
    world.process().list_page()
    store = Watched(world, "c/", _raising(UnavailableError("no answer")))

    with pytest.raises(UnavailableError):
        Recent(world, store).page()


@pytest.mark.parametrize("recreated", [False, True])
def test_answers_of_a_conversation_that_went_meanwhile_are_said_to_be_missing(
    world: World, sealed: tuple[SegmentRef, ...], *, recreated: bool
) -> None:
    end = next(ref for ref in sealed if ref.last % 2 == 0)
    looks = 0

    def act() -> None:
        nonlocal looks
        looks += 1
        if looks == 2:
            world.process().delete("long")
            if recreated:
                world.process().create("long")
                drafts = [draft("user" if n % 2 == 0 else "assistant", n) for n in range(30)]
                world.process().append_drafts(drafts, to="long")

    store = Watched(world, head_key(world.scope, "long"), act)
    store.times = 2

    page = Recent(world, store).page(pairs=True, window=window(end.last - 100, end.last - 99))

    assert paired(page.items) == [(("long", end.last), ())]
    assert page.items[0].is_cut


def test_a_slow_store_gives_what_is_certain_and_a_cursor(world: World) -> None:
    """300 heads of which 16 take eight seconds: a call opens 32, and a walk sees all turns."""
    for number in range(300):
        world.clock.sleep(1)
        world.process().append("x", to=f"c{number:03d}")
    world.process().list_page()
    recent = Recent(world, Slow(world, 0.5))
    start_s = world.clock.monotonic_s()

    page = recent.page(1_000)

    assert world.clock.monotonic_s() - start_s < 20
    assert named(page.items) == [(f"c{299 - at:03d}", 0) for at in range(32)]
    assert page.next_cursor is not None
    assert len(named(recent.walk(1_000))) == 300


def test_a_slow_walk_without_a_wanted_turn_goes_on_all_the_same(world: World) -> None:
    world.process().append("old", to="c")
    for number in range(100):
        world.clock.sleep(1)
        world.process().append_drafts([draft("tool", number + 1)], to=f"t{number:03d}")
    world.process().list_page()
    recent = Recent(world, Slow(world, 0.5))

    assert recent.page(roles=["user"]).items == ()
    assert named(recent.walk(50, roles=["user"])) == [("c", 0)]


def test_a_walk_that_cannot_go_on_says_so(world: World) -> None:
    """All conversations reach over the same time: no few of them tell what comes next."""
    for number in range(100):
        world.process().append_drafts([draft("user", -number - 1)], to=f"c{number:03d}")
        world.process().append_drafts([draft("user", 100 + number)], to=f"c{number:03d}")
        world.clock.sleep(10)
    world.process().list_page()

    with pytest.raises(UnavailableError, match="ask for less"):
        Recent(world, Slow(world, 0.5)).page(window=window(None, 0))
