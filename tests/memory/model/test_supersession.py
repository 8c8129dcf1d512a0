"""Which of several statements holds, against a model that reads the rule word by word."""

from collections.abc import Sequence
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.model.supersession import Lineages, Replaces, Stated
from memory.model.supersession_model import RIDS, TIMES, Model, stated_ones


def _said(rid: str, *times: int, since: int | None = None) -> Stated:
    first = times[:1] if since is None else (since,)
    return Stated(rid, tuple(zip((*first, *times[1:]), times, strict=True)), ())


def _replacing(one: Stated, old: str, at: int, since: int | None = None) -> Stated:
    return one._replace(replaces=(*one.replaces, Replaces(old, at, at if since is None else since)))


def _new(rid: str, old: str, at: int, since: int | None = None) -> Stated:
    return _replacing(_said(rid, at, since=since), old, at, since)


@given(stated_ones())
def test_periods_are_those_of_the_rule(stated: list[Stated]) -> None:
    lineages, model = Lineages(stated), Model(stated)

    for rid in RIDS:
        periods = lineages.periods(rid)
        for at in (*TIMES, max(TIMES) + 1):
            holds = any(begin <= at and (end is None or at < end) for begin, end in periods)
            assert holds == model.holds(rid, at)


@given(stated_ones())
def test_the_current_statement_and_the_members_are_those_of_the_rule(stated: list[Stated]) -> None:
    lineages, model = Lineages(stated), Model(stated)

    for rid in RIDS:
        assert lineages.current_of(rid) == model.current(rid)
        assert lineages.is_current(rid) == (model.current(rid) == rid)
        assert lineages.lone(rid) == (model.lineage(rid) == {rid})
        if not lineages.lone(rid):
            known = {one.rid for one in stated} & model.lineage(rid)
            assert sorted(lineages.members(rid)) == sorted(known)


@given(stated_ones())
def test_periods_are_in_order_not_empty_and_apart(stated: list[Stated]) -> None:
    lineages = Lineages(stated)

    for rid in RIDS:
        periods = lineages.periods(rid)
        assert all(end is None or begin < end for begin, end in periods)
        assert all(one[1] is not None and one[1] < next_[0] for one, next_ in pairwise(periods))


@given(st.data(), stated_ones())
def test_the_order_in_which_statements_are_read_changes_nothing(
    data: st.DataObject, stated: list[Stated]
) -> None:
    one, other = Lineages(stated), Lineages(data.draw(st.permutations(stated)))

    for rid in RIDS:
        assert one.periods(rid) == other.periods(rid)
        assert one.current_of(rid) == other.current_of(rid)
        assert one.members(rid) == other.members(rid)


@given(stated_ones())
def test_lone_statements_may_be_left_out(stated: list[Stated]) -> None:
    whole = Lineages(stated)
    touched = [one for one in stated if not whole.lone(one.rid)]
    part = Lineages(touched)

    for rid in RIDS:
        assert part.current_of(rid) == whole.current_of(rid)
        assert part.lone(rid) == whole.lone(rid)
        assert part.lone(rid) or part.periods(rid) == whole.periods(rid)


def test_a_value_that_comes_back_holds_again() -> None:
    """8080, then 9090 in its place, then 8080 from a later source."""
    lineages = Lineages([_said("8080", 1, 3), _new("9090", "8080", 2)])

    assert lineages.current_of("9090") == lineages.current_of("8080") == "8080"
    assert lineages.periods("8080") == ((1, 2), (3, None))
    assert lineages.periods("9090") == ((2, 3),)
    assert lineages.members("9090") == ["8080", "9090"]


def test_saying_the_old_value_before_the_correction_does_not_bring_it_back() -> None:
    """An import of what was said long ago, read today."""
    lineages = Lineages([_said("8080", 1, 2), _new("9090", "8080", 3)])

    assert lineages.current_of("8080") == "9090"
    assert lineages.periods("8080") == ((1, 3),)


def test_repeating_what_holds_changes_nothing() -> None:
    lineages = Lineages([_said("8080", 1), _replacing(_said("9090", 2, 5, 7), "8080", 2)])

    assert lineages.periods("9090") == ((2, None),)
    assert lineages.periods("8080") == ((1, 2),)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_of_two_corrections_of_one_statement_the_later_holds(order: Sequence[int]) -> None:
    """Two writers that did not see each other, whichever was first at the store."""
    stated = [_said("old", 1), _new("one", "old", 2), _new("two", "old", 3)]
    lineages = Lineages([stated[place] for place in order])

    assert {lineages.current_of(rid) for rid in ("old", "one", "two")} == {"two"}
    assert lineages.periods("one") == ((2, 3),)


def test_two_corrections_of_one_instant_leave_one() -> None:
    """Which one is the same for every reader: the greater id."""
    lineages = Lineages([_said("old", 1), _new("one", "old", 2), _new("two", "old", 2)])

    assert lineages.current_of("old") == "two"
    assert lineages.periods("one") == ()


def test_two_that_replace_each_other_leave_the_later() -> None:
    one = _replacing(_said("one", 1), "two", 5)
    two = _replacing(_said("two", 2), "one", 6)

    assert Lineages([one, two]).current_of("one") == "two"


def test_what_two_statements_said_before_they_were_one_lineage_stays_true_together() -> None:
    """Both held until somebody said that one replaces the other."""
    lineages = Lineages([_said("tea", 1), _replacing(_said("coffee", 2), "tea", 5)])

    assert lineages.periods("tea") == ((1, 5),)
    assert lineages.periods("coffee") == ((2, None),)


def test_a_correction_that_held_from_the_start_leaves_the_old_no_time() -> None:
    lineages = Lineages([_said("old", 3), _new("new", "old", 5, since=3)])

    assert lineages.periods("old") == ()
    assert lineages.periods("new") == ((3, None),)


def test_a_correction_that_holds_from_later_on_leaves_the_old_until_then() -> None:
    lineages = Lineages([_said("old", 1), _new("new", "old", 2, since=9)])

    assert lineages.periods("old") == ((1, 9),)
    assert lineages.periods("new") == ((9, None),)


def test_a_chain_ends_in_its_last() -> None:
    lineages = Lineages([_said("a", 1), _new("b", "a", 2), _new("c", "b", 3)])

    assert lineages.current_of("a") == "c"
    assert [lineages.periods(rid) for rid in "abc"] == [((1, 2),), ((2, 3),), ((3, None),)]
    assert lineages.members("b") == ["a", "b", "c"]


def test_a_forgotten_statement_still_hides_what_it_replaced() -> None:
    lineages = Lineages([_said("old", 1), Stated("gone", (), (Replaces("old", 2, 2),))])

    assert lineages.current_of("old") is lineages.current_of("gone") is None
    assert not lineages.is_current("old")
    assert not lineages.is_current("gone")
    assert lineages.periods("old") == ((1, 2),)


def test_what_a_forgotten_statement_hid_comes_back_when_it_is_said_again() -> None:
    lineages = Lineages([_said("old", 1, 4), Stated("gone", (), (Replaces("old", 2, 2),))])

    assert lineages.current_of("gone") == "old"


def test_a_deleted_statement_hides_nothing_and_its_id_answers_its_successor() -> None:
    """With the statement its edges are gone; those that point to it are not."""
    after = Lineages([_said("old", 1), _new("last", "middle", 3)])

    assert after.is_current("old")
    assert after.current_of("middle") == "last"
    assert after.periods("middle") == ()
    assert after.members("middle") == ["last"]


def test_two_that_replaced_a_deleted_statement_are_still_alternatives() -> None:
    lineages = Lineages([_new("one", "gone", 2), _new("two", "gone", 3)])

    assert lineages.current_of("one") == "two"


def test_a_statement_that_replaced_nothing_is_alone_and_holds() -> None:
    lineages = Lineages([_said("a", 4, 5, since=1), Stated("b", ((2, 2),), (Replaces("b", 3, 3),))])

    assert lineages.lone("a")
    assert lineages.lone("b")
    assert lineages.is_current("a")
    assert lineages.members("a") == ["a"]
    assert lineages.periods("a") == ((1, None),)


def test_many_changes_of_one_value_are_read_at_once() -> None:
    """Quadratic time would take minutes here."""
    chain = [_said("0", 0), *(_new(str(n), str(n - 1), n) for n in range(1, 20_000))]
    lineages = Lineages(chain)

    assert lineages.current_of("0") == "19999"
    assert lineages.periods("7") == ((7, 8),)
