"""Lists: what is shown, in which order, and what stays hidden."""

import pytest

from everturn.conversations.model.patch import Patch
from everturn.conversations.model.summary import Summary
from everturn.errors import InvalidRequestError
from everturn.listing.list_conversations import Filters
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE
from scenarios.world import World


def _ids(rows: tuple[Summary, ...] | list[Summary]) -> list[str]:
    return [row.conversation_id for row in rows]


def test_rows_are_newest_first(world: World) -> None:
    process = world.process()
    for name in ("old", "middle", "new"):
        process.append("a", to=name)
        world.clock.sleep(1)

    assert _ids(process.list_page().rows) == ["new", "middle", "old"]

    process.append("b", to="old")
    assert _ids(process.list_page().rows) == ["old", "new", "middle"]


def test_a_row_shows_title_preview_count_and_time(world: World) -> None:
    process = world.process()
    process.append("What is  the\nplan?", "Sleep.")
    updated_ns = process.patch(Patch(folder="f", archived=True)).updated_ns

    assert process.list_page().rows == (
        Summary("thread-1", "What is the plan?", "Sleep.", 2, updated_ns, "f", archived=True),
    )


def test_a_patch_does_not_move_a_row(world: World) -> None:
    process = world.process()
    process.append("a", to="old")
    world.clock.sleep(1)
    process.append("a", to="new")
    process.patch(Patch(title="renamed"), "old")

    rows = process.list_page().rows
    assert [(row.conversation_id, row.title) for row in rows] == [("new", "a"), ("old", "renamed")]


def test_equal_times_are_ordered_by_id_over_all_pages(world: World) -> None:
    """45 conversations of one nanosecond, 20 on a page."""
    names = [f"c{number}" for number in range(45)]
    for name in names:
        world.process().append("a", to=name)
    assert len({world.record(name).head.updated_ns for name in names}) == 1
    process = world.process()

    first = process.list_page(limit=20)
    rows = process.walk(limit=20)

    assert len(first.rows) == 20
    assert _ids(rows) == sorted(names)


def test_a_long_walk_shows_every_conversation_once(world: World) -> None:
    names = [f"c{number}" for number in range(1_203)]
    process = world.process()
    for name in names:
        process.append("a", to=name)
        world.clock.sleep(0.001)

    assert _ids(process.walk(limit=100)) == names[::-1]


def test_the_last_page_has_no_cursor(world: World) -> None:
    process = world.process()
    for name in ("c1", "c2"):
        process.append("a", to=name)

    assert process.list_page(limit=2).next_cursor is None
    assert process.list_page(limit=1).next_cursor is not None
    assert process.list_page(limit=1, cursor=process.list_page(limit=1).next_cursor).rows


def test_a_conversation_written_during_a_walk_moves_above_the_cursor(world: World) -> None:
    """It does not come twice, nothing else is missed, and the next walk has it on top."""
    process = world.process()
    for number in range(6):
        process.append("a", to=f"c{number}")
        world.clock.sleep(1)
    first = process.list_page(limit=3)
    process.append("b", to="c1")
    process.append("b", to="c5")
    process.append("a", to="fresh")

    rest = process.list_page(limit=10, cursor=first.next_cursor)

    assert _ids(first.rows) == ["c5", "c4", "c3"]
    assert _ids(rest.rows) == ["c2", "c0"]
    assert _ids(process.list_page().rows)[:3] == ["c1", "c5", "fresh"]


def test_a_conversation_deleted_during_a_walk_does_not_stop_it(world: World) -> None:
    """Not even the one that the cursor names."""
    process = world.process()
    for number in range(4):
        process.append("a", to=f"c{number}")
        world.clock.sleep(1)
    first = process.list_page(limit=2)
    process.delete("c2")
    process.delete("c0")

    assert _ids(process.list_page(cursor=first.next_cursor).rows) == ["c1"]


@pytest.mark.parametrize("cursor", ["", "x", "\u00e9", "bnVsbA", "WzEsMl0", "W10", "e30", "WzFd"])
def test_what_is_no_cursor_is_refused(world: World, cursor: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        world.process().list_page(cursor=cursor)

    assert caught.value.field == "cursor"


def test_filters_leave_what_matches_all_of_them(world: World) -> None:
    process = world.process()
    for name, title, folder, archived in (
        ("c1", "Trip to Rome", "home", False),
        ("c2", "trip to work", "job", False),
        ("c3", "Trip", "home", True),
        ("c4", "Taxes", None, False),
    ):
        process.create(name, title=title, folder=folder)
        process.append("a", to=name)
        process.patch(Patch(archived=archived), name)
        world.clock.sleep(1)

    def found(filters: Filters) -> list[str]:
        return sorted(_ids(process.walk(limit=1, filters=filters)))

    assert found(Filters(folder="home")) == ["c1", "c3"]
    assert found(Filters(archived=False)) == ["c1", "c2", "c4"]
    assert found(Filters(archived=True)) == ["c3"]
    assert found(Filters(title_part="TRIP")) == ["c1", "c2", "c3"]
    assert found(Filters(folder="home", archived=False, title_part="rome")) == ["c1"]
    assert found(Filters(folder="nowhere")) == []


def test_deleted_and_empty_conversations_are_not_listed(world: World) -> None:
    process = world.process()
    process.create("empty", title="t")
    process.append("a", to="deleted")
    process.append("a", to="kept")
    assert len(process.list_page().rows) == 2
    process.delete("deleted")

    page = process.list_page()

    assert _ids(page.rows) == ["kept"]
    assert page.skipped == 0


def test_a_deleted_and_created_conversation_is_listed_from_its_first_turn_on(world: World) -> None:
    process = world.process()
    process.append("old")
    process.delete()
    process.create()
    assert process.list_page().rows == ()

    process.append("new")
    assert [row.title for row in process.list_page().rows] == ["new"]


def test_another_scope_sees_nothing(world: World) -> None:
    world.process().append("a")
    for other in (
        world.process(scope=type(SCOPE)("acme", "bob")),
        world.process(scope=type(SCOPE)("other", "ann")),
    ):
        assert other.list_page().rows == ()


def test_a_head_gone_between_listing_and_reading_is_dropped(world: World) -> None:
    world.process().append("a", to="kept")
    world.process().append("a", to="gone")
    store = InterleavedStore(world.data, after={("list", 1): lambda: world.remove("gone")})

    page = world.process(store).list_page()

    assert (_ids(page.rows), page.skipped) == (["kept"], 0)
    assert _ids(world.process().list_page().rows) == ["kept"]


def test_a_head_deleted_between_listing_and_reading_is_dropped(world: World) -> None:
    world.process().append("a", to="kept")
    world.process().append("a", to="gone")
    other = world.process()
    store = InterleavedStore(world.data, after={("list", 1): lambda: other.delete("gone")})

    assert _ids(world.process(store).list_page().rows) == ["kept"]


def test_a_head_written_between_listing_and_reading_is_shown_as_it_was_read(world: World) -> None:
    world.process().append("a")
    other = world.process()
    store = InterleavedStore(world.data, after={("list", 1): lambda: other.append("b")})

    assert world.process(store).list_page().rows[0].turn_count == 2
    again = world.process().list_page()
    assert (again.rows[0].turn_count, again.read) == (2, 0)
