"""What points at memories besides words: a name that many share, a time, their own weight."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.index.rank_memories import (
    in_said_context,
    named_subjects,
    salience_cue,
    subject_cue,
    when_cue,
    without_subjects,
)
from everturn.memory.index.row import PINNED, MemoryRow
from everturn.memory.model.salience import HALF_LIFE_NS, salience
from everturn.recall.language.terms import terms_of
from memory.index.ranked_memories import hours, index_of, memory_rows, said
from memory.model.memories import START_NS

DANA = [f"Dana knows port {at}" for at in range(10)]
BEN = [f"Ben knows lake {at}" for at in range(10)]


def test_whom_many_memories_name_is_a_subject_of_a_query() -> None:
    index = index_of(hours([*DANA, *BEN, "Zoe knows a cat"]))

    assert named_subjects(index, "What did Dana and Ben say of Zoe?").keys() == {"Dana", "Ben"}
    assert named_subjects(index, "what did dana say?") == {}
    assert named_subjects(index, "Port Know Lake").keys() == {"Port", "Lake"}


def test_nobody_is_a_subject_of_a_handful_of_memories() -> None:
    assert not named_subjects(index_of(hours(DANA[:7])), "What does Dana know?")


@pytest.mark.parametrize(
    ("query", "bare"),
    [
        ("What does Dana's cat like?", "What does 's cat like?"),
        ("Dana and Ben on lakes", "and on lakes"),
        ("Danas lake", "Danas lake"),
        ("Dana", "Dana"),
        ("who is Dana", "who is Dana"),
    ],
)
def test_names_leave_a_query_unless_it_says_nothing_else(query: str, bare: str) -> None:
    assert without_subjects(query, ["Dana", "Ben"]) == bare


def test_a_query_without_names_stays_as_it_is() -> None:
    assert without_subjects("two  spaces", []) == "two  spaces"


def test_a_memory_has_the_share_of_the_subjects_that_it_names() -> None:
    index = index_of(hours(["Dana met Ben", "Dana swims", "a port"]))
    terms = [*terms_of("Dana"), *terms_of("Ben")]

    assert subject_cue(index, terms).tolist() == [1, 0.5, 0]
    assert subject_cue(index, []).tolist() == [0, 0, 0]


def test_a_time_counts_where_one_is_asked_for() -> None:
    index = index_of([said("met Ann yesterday"), said("met Ann"), said("tea", valid_from_ns=1)])

    assert when_cue(index, "when did we meet").tolist() == [1, 0, 1]
    assert when_cue(index, "whom did we meet").tolist() == [0, 0, 0]


@given(memory_rows(), st.integers(0, 400))
def test_the_salience_of_all_is_that_of_each(rows: list[MemoryRow], days: int) -> None:
    now_ns = START_NS + days * HALF_LIFE_NS // 90
    expected = [
        salience(row.salience, now_ns=now_ns, pinned=row.flags & PINNED > 0) for row in rows
    ]

    assert salience_cue(index_of(rows), now_ns).tolist() == pytest.approx(expected)


def test_a_cosine_has_something_of_those_beside_it() -> None:
    rows = [*hours(["port", "lake"], by="a"), *hours(["cat"], by="b")]
    index = index_of(rows)
    cosines = index.scales.astype(float)
    cosines[:] = [0.5, 0.1, 0.4]

    found = in_said_context(index, cosines)

    assert found[0] > 0.5
    assert found[1] == pytest.approx(0.1 + 0.2 * 0.5)
    assert found[2] == 0.4
