"""The newest turns across conversations, held against a reading of everything."""

import json
from typing import Any

import pytest

from everturn.conversations.model import sealing
from everturn.conversations.model.sealing import SealLimits
from everturn.errors import InvalidRequestError
from everturn.values.cursors import RecentCursor
from listing.recent_calls import START_NS, Recent, dice, draft, expected, named, window
from scenarios.world import World

TINY = SealLimits(
    above_bytes=400, tail_bytes=100, tail_turns=2, max_tail_bytes=300, segment_bytes=300
)


@pytest.fixture
def recent(world: World) -> Recent:
    return Recent(world)


def test_the_newest_turn_of_all_conversations_comes_first(world: World, recent: Recent) -> None:
    process = world.process()
    process.append_drafts([draft("user", 1), draft("user", 5)], to="a")
    process.append_drafts([draft("user", 3)], to="b")

    page = recent.page()

    assert named(page.items) == [("a", 1), ("b", 0), ("a", 0)]
    assert (page.next_cursor, page.skipped) == (None, 0)


def test_of_one_time_conversations_go_by_id_and_in_each_the_later_turn_first(
    world: World, recent: Recent
) -> None:
    process = world.process()
    for id_ in ("b", "a", "c"):
        process.append("x", "y", to=id_)

    assert named(recent.page().items) == [
        ("a", 1), ("a", 0), ("b", 1), ("b", 0), ("c", 1), ("c", 0),
    ]  # fmt: skip
    assert recent.walk(1) == list(recent.page().items)


def test_an_item_has_the_title_of_its_conversation(world: World, recent: Recent) -> None:
    world.process().append("What is  the\nplan?", "a", to="c")

    assert [item.title for item in recent.page().items] == ["What is the plan?"] * 2


def test_nothing_is_a_page(recent: Recent) -> None:
    page = recent.page()

    assert (page.items, page.next_cursor, page.skipped) == ((), None, 0)


def test_deleted_and_empty_conversations_have_no_turns(world: World, recent: Recent) -> None:
    process = world.process()
    process.create("empty")
    process.append("x", to="gone")
    process.delete("gone")
    process.append("x", to="here")

    assert named(recent.page().items) == [("here", 0)]


def test_an_old_turn_of_a_busy_conversation_does_not_come_before_a_newer_one(
    world: World, recent: Recent
) -> None:
    """`updated` says when a conversation was written, not when its turns were said."""
    process = world.process()
    process.append_drafts([draft("user", -50)], to="busy")
    process.append_drafts([draft("user", -10)], to="quiet")
    world.clock.sleep(1_000)
    process.append_drafts([draft("user", -40)], to="busy")

    assert named(recent.page(1).items) == [("quiet", 0)]
    assert named(recent.walk(1)) == [("quiet", 0), ("busy", 1), ("busy", 0)]


def test_a_window_is_half_open(world: World, recent: Recent) -> None:
    world.process().append_drafts([draft("user", second) for second in range(-5, 0)], to="c")

    assert named(recent.page(window=window(-4, -2)).items) == [("c", 2), ("c", 1)]
    assert named(recent.page(window=window(-2, None)).items) == [("c", 4), ("c", 3)]
    assert named(recent.page(window=window(None, -4)).items) == [("c", 0)]
    assert recent.page(window=window(0, 9)).items == ()


def test_roles_choose_turns(world: World, recent: Recent) -> None:
    roles = ["user", "assistant", "tool", "Ann"]
    world.process().append_drafts([draft(role, at) for at, role in enumerate(roles)], to="c")

    assert named(recent.page(roles=["user", "Ann"]).items) == [("c", 3), ("c", 0)]
    assert recent.page(roles=["system"]).items == ()


def test_a_foreign_turn_without_a_time_comes_last_and_keeps_its_place(
    world: World, recent: Recent
) -> None:
    turns: list[dict[str, Any]] = [
        {"role": "user", "text": "none"},
        {"role": "user", "text": "known", "ts": "2026-01-01T00:00:00Z"},
        {"role": "user", "text": "no time", "ts": "yesterday"},
        {"role": "user", "text": "a unit mistaken", "ts": "9999-01-01T00:00:00Z"},
        {"role": "user", "text": "before all", "ts": "0001-01-01T00:00:00Z"},
        {"text": "no role"},
    ]
    document = {"conversation_id": "c", "turns": turns, "updated": "2026-01-02T00:00:00Z"}
    world.place(json.dumps(document).encode(), "c")
    world.process().append("newest", to="c")

    order = [("c", 6), ("c", 1), ("c", 4), ("c", 3), ("c", 2), ("c", 0)]
    assert named(recent.page().items) == order
    assert named(recent.walk(1)) == order
    assert named(recent.page(window=window(None, 0)).items) == order[2:]


def test_turns_of_the_year_one_alone_are_found(world: World, recent: Recent) -> None:
    """What a conversation says of its newest turn lies before 1970 then."""
    turns = [{"role": "user", "text": "x", "ts": "0001-01-01T00:00:00Z"}, {"role": "a", "text": ""}]
    for id_ in ("c", "d"):
        document = {"conversation_id": id_, "turns": turns, "updated": "0001-01-01T00:00:00Z"}
        world.place(json.dumps(document).encode(), id_)

    assert named(recent.walk(1)) == [("c", 1), ("c", 0), ("d", 1), ("d", 0)]


def test_an_unreadable_head_is_counted_and_hides_nothing_else(world: World, recent: Recent) -> None:
    world.place(b"{", "broken")
    world.place(b'{"conversation_id":"other","turns":[],"updated":""}', "misplaced")
    world.process().append("x", to="c")

    page = recent.page()

    assert (named(page.items), page.skipped) == ([("c", 0)], 2)


def test_a_page_is_as_long_as_an_answer_may_be(world: World, recent: Recent) -> None:
    for number in range(5):
        world.process().append(str(number) * 900_000, to=f"c{number}")

    page = recent.page()

    assert len(page.items) == 3
    assert named(recent.walk(50)) == [(f"c{number}", 0) for number in range(5)]
    assert page.next_cursor is not None


@pytest.mark.parametrize("cursor", ["", "x", "W10", "WzEsImMiXQ"])
def test_a_cursor_that_did_not_come_from_here_is_refused(recent: Recent, cursor: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        recent.page(cursor=cursor)
    assert caught.value.field == "cursor"


@pytest.mark.parametrize("ts_ns", [-(10**30), -1, 0, 10**30])
def test_a_forged_cursor_is_a_place_like_any_other(
    world: World, recent: Recent, ts_ns: int
) -> None:
    world.process().append("x", to="c")

    page = recent.page(cursor=RecentCursor(ts_ns, "zz", -(10**30)).encode())

    assert named(page.items) == ([("c", 0)] if ts_ns > START_NS else [])


@pytest.mark.parametrize("seed", range(12))
def test_a_walk_shows_every_wanted_turn_once_in_order(
    world: World, recent: Recent, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Over sealed and plain conversations whose times run in any order."""
    monkeypatch.setattr(sealing, "LIMITS", TINY)
    chance = dice(seed)
    ids = [f"c{number}" for number in range(chance.randint(1, 30))]
    for id_ in (chance.choice(ids) for _ in range(60)):
        world.clock.sleep(chance.choice([0, 0, 1, 30]))
        drafts = [
            draft(chance.choice(["user", "assistant", "tool"]), chance.randint(-90, 90))
            for _ in range(chance.randint(1, 4))
        ]
        world.process().append_drafts(drafts, to=id_)
    used = [row.conversation_id for row in world.process().walk(limit=1_000)]
    bounds = sorted(chance.sample(range(-90, 90), 2))
    chosen = chance.choice([window(None, None), window(*bounds), window(None, bounds[1])])
    roles = chance.choice([(), ("tool",), ("user", "assistant")])

    found = recent.walk(chance.choice([1, 2, 7, 1_000]), window=chosen, roles=roles)

    assert named(found) == expected(world, used, window=chosen, roles=roles)


def test_what_is_said_during_a_walk_shows_on_the_next_one(world: World, recent: Recent) -> None:
    process = world.process()
    for number in range(6):
        process.append_drafts([draft("user", number - 10)], to=f"c{number % 3}")
    before = expected(world, ["c0", "c1", "c2"])

    def say_more() -> None:
        world.clock.sleep(1)
        world.process().append("newer", to="c1")
        world.process().append("newer", to="new")

    walking = Recent(world, between=say_more)

    assert named(walking.walk(1)) == before
    assert len(recent.walk(1)) == len(before) + 2 * (len(before) - 1)
