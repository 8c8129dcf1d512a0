"""The newest items so far: as many as fit, whatever comes in whatever order."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.turn import Turn
from everturn.listing.model.recent_items import NewestShelf, RecentItem
from everturn.values.timestamps import format_time


def item(second: int, index: int = 0, text: str = "", id_: str = "c") -> RecentItem:
    ts = format_time(second * 10**9)
    return RecentItem(id_, "", Turn(index, "user", text, ts, {"text": text, "ts": ts}))


items = st.lists(
    st.builds(item, st.integers(0, 9), st.integers(0, 9), st.sampled_from(["", "x" * 200])),
    unique_by=lambda one: one.place,
    max_size=30,
)


def _fitting(ordered: list[RecentItem], limit: int, max_bytes: int) -> list[RecentItem]:
    shown: list[RecentItem] = []
    for one in ordered[:limit]:
        if shown and sum(other.size for other in [*shown, one]) > max_bytes:
            break
        shown.append(one)
    return shown


@given(items, st.integers(1, 5), st.integers(1, 2_000), st.integers(1, 4))
def test_what_is_shown_is_what_a_sort_of_everything_would_show(
    found: list[RecentItem], limit: int, max_bytes: int, parts: int
) -> None:
    shelf = NewestShelf(limit, max_bytes=max_bytes)
    for part in range(parts):
        shelf.add(found[part::parts])
    ordered = sorted(found, key=lambda one: one.place)
    shown = shelf.fitting(shelf.before(None))

    assert shown == _fitting(ordered, limit, max_bytes)
    assert shelf.is_full == (len(ordered) > len(shown))


@given(items, st.integers(1, 5))
def test_what_a_full_shelf_does_not_take_is_shown_by_none(
    found: list[RecentItem], limit: int
) -> None:
    shelf = NewestShelf(limit, max_bytes=10**6)
    shelf.add(found)
    refused = [one for one in found if not shelf.takes(one.place)]

    assert not set(map(id, refused)) & set(map(id, shelf.before(None)))
    assert not refused or shelf.is_full


def test_an_item_stands_there_once_as_it_was_seen_last() -> None:
    shelf = NewestShelf(5, max_bytes=10**6)
    shelf.add([item(1, text="old")])
    shelf.add([item(1, text="new")])

    assert [one.turn.text for one in shelf.before(None)] == ["new"]


def test_only_what_comes_before_an_unread_conversation_is_certain() -> None:
    shelf = NewestShelf(5, max_bytes=10**6)
    shelf.add([item(3, id_="a"), item(2, id_="a"), item(2, id_="c"), item(1, id_="a")])

    sure = shelf.before((-2 * 10**9, "b", -7))

    assert [one.cursor.ts_ns // 10**9 for one in sure] == [3, 2]
