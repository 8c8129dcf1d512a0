"""Places, sizes and pairs of recent items."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.listing.model.recent_items import RecentItem, Wanted
from everturn.values.cursors import RecentCursor
from everturn.values.go_json import JsonValue
from everturn.values.timestamps import TimeWindow, format_time

roles = st.sampled_from(["user", "assistant", "tool", "Ann"])


def value(role: str, second: int = 0, text: str = "x") -> JsonValue:
    return {"role": role, "text": text, "ts": format_time(second * 10**9)}


def find(
    wanted: Wanted, *values: JsonValue, first: int = 0, is_end: bool = True
) -> list[RecentItem]:
    found = wanted.find(values, first=first, is_end=is_end, conversation_id="c", title="t")
    return list(found)


def test_what_follows_a_cursor_comes_after_its_place_in_the_order() -> None:
    turns = [value("user", second) for second in (1, 2, 2, 3)]
    everything = sorted(find(Wanted(), *turns), key=lambda item: item.place)
    assert [item.turn.index for item in everything] == [3, 2, 1, 0]
    for number, item in enumerate(everything):
        rest = find(Wanted(after=item.cursor), *turns)
        assert {one.place for one in rest} == {one.place for one in everything[number + 1 :]}


def test_the_end_of_what_is_wanted_is_the_earlier_of_window_and_cursor() -> None:
    cursor = RecentCursor(5, "c", 0)
    assert Wanted().end_ns is None
    assert Wanted(TimeWindow(until_ns=9)).end_ns == 8
    assert Wanted(TimeWindow(until_ns=9), after=cursor).end_ns == 5
    assert Wanted(TimeWindow(until_ns=3), after=cursor).end_ns == 2


@given(st.lists(roles, max_size=30), st.integers(0, 30))
def test_pairs_of_two_parts_are_those_of_the_whole_but_for_the_open_one(
    said: list[str], cut: int
) -> None:
    turns = [value(role) for role in said]
    whole = find(Wanted(pairs=True), *turns)
    front = find(Wanted(pairs=True), *turns[:cut], is_end=False)
    back = find(Wanted(pairs=True), *turns[cut:], first=len(turns[:cut]))

    assert [item.place for item in front + back] == [item.place for item in whole]
    closed = [item for item in front + back if not item.is_open]
    assert all(item in whole for item in closed)
    assert [item.is_open for item in front] == [False] * (len(front) - 1) + [True] * bool(front)


@given(st.lists(st.integers(0, 300), max_size=8), st.integers(0, 2_000))
def test_a_pair_is_cut_to_the_answers_that_fit(sizes: list[int], max_bytes: int) -> None:
    answers = [value("assistant", text="x" * size) for size in sizes if size]
    [pair] = find(Wanted(pairs=True), value("user"), *answers)
    cut = pair.cut_to(max_bytes)

    assert cut.turn == pair.turn
    assert cut.answers == pair.answers[: len(cut.answers)]
    assert cut.is_cut == (len(cut.answers) < len(pair.answers))
    assert not cut.answers or cut.size <= max_bytes
    assert cut.is_cut or cut == pair
