"""The load bench finds what was lost, doubled, moved, out of order or never said."""

import pytest
from load_check import Said, Thread, judge

FAULTS = ("lost", "doubled", "moved", "disordered", "strange")


def thread(name: str = "t") -> Thread:
    return Thread("ada", name)


def said(text: str, place: int | None, *, agent: int = 0, name: str = "t") -> Said:
    return Said(thread(name), agent, text, place)


def found(turns: list[Said], stored: dict[Thread, list[str]]) -> dict[str, list[str]]:
    """Return the faults that are there, by kind."""
    verdict = judge(turns, stored)
    faults = {kind: list(getattr(verdict, kind)) for kind in FAULTS}
    return {kind: texts for kind, texts in faults.items() if texts}


def test_nothing_is_wrong_where_each_turn_is_at_its_place() -> None:
    turns = [said("a", 0), said("b", 1, agent=1), said("c", 2)]
    assert found(turns, {thread(): ["a", "b", "c"]}) == {}


def test_a_lost_turn_is_found() -> None:
    assert found([said("a", 0), said("b", 1)], {thread(): ["a"]}) == {"lost": ["b"]}


def test_a_turn_of_a_conversation_that_is_gone_is_lost() -> None:
    assert found([said("a", 0)], {}) == {"lost": ["a"]}


def test_a_turn_that_is_there_twice_is_found() -> None:
    turns = [said("a", 0), said("b", 1)]
    assert found(turns, {thread(): ["a", "b", "a"]}) == {"doubled": ["a"]}


def test_a_turn_that_nobody_acknowledged_is_not_there_twice_either() -> None:
    assert found([said("a", None)], {thread(): ["a", "a"]}) == {"doubled": ["a"]}


@pytest.mark.parametrize("stored", [[], ["a"]], ids=["missing", "there"])
def test_a_turn_that_nobody_acknowledged_may_be_there_or_not(stored: list[str]) -> None:
    assert found([said("a", None)], {thread(): stored}) == {}


def test_a_turn_in_another_conversation_is_lost_in_its_own_and_strange_there() -> None:
    stored = {thread(): [], thread("other"): ["a"]}
    assert found([said("a", 0)], stored) == {"lost": ["a"], "strange": ["a"]}


def test_a_turn_in_two_conversations_is_doubled() -> None:
    stored = {thread(): ["a"], thread("other"): ["a"]}
    assert found([said("a", 0)], stored) == {"doubled": ["a"], "strange": ["a"]}


def test_a_changed_text_is_lost_and_strange() -> None:
    assert found([said("a", 0)], {thread(): ["A"]}) == {"lost": ["a"], "strange": ["A"]}


def test_a_turn_at_another_number_than_was_acknowledged_is_found() -> None:
    turns = [said("a", 0, agent=0), said("b", 1, agent=1)]
    assert found(turns, {thread(): ["b", "a"]}) == {"moved": ["a", "b"]}


def test_turns_of_one_agent_in_another_order_are_found() -> None:
    """Whatever they were acknowledged with."""
    assert found([said("a", 1), said("b", 0)], {thread(): ["b", "a"]}) == {"disordered": ["b"]}


def test_turns_of_one_agent_have_no_order_between_conversations() -> None:
    turns = [said("a", 1), said("b", 0, name="other"), said("c", 2)]
    stored = {thread(): ["x", "a", "c"], thread("other"): ["b"]}
    assert found([*turns, said("x", 0, agent=1)], stored) == {}
