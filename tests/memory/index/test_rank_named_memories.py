"""Who and what a query names, as the ranking of memories takes it."""

import pytest

from everturn.memory.index.rank_memories import memory_query_text
from memory.index.ranked_memories import FILLER, best, hours, index_of, ranked


def test_the_one_who_is_asked_for_comes_before_others_of_whom_the_same_is_said() -> None:
    """As many memories name each of them as are needed for a name to be no word of its own."""
    places = ["a lake", *(f"fair {at}" for at in range(9))]
    rows = hours([f"{name} went to {place}" for place in places for name in ("Dana", "Ben")])

    for row, name in enumerate(("Dana", "Ben")):
        assert best(rows, f"When did {name} go to the lake?") == row


def test_a_name_alone_finds_whatever_names_it_and_says_that_it_is_little() -> None:
    rows = hours([f"{name} went to {at}" for at in range(8) for name in ("Dana", "Ben")])

    ranking = ranked(rows, "Dana")

    assert sorted(ranking.order()) == list(range(0, 16, 2))
    assert ranking.scores.max() < 0.5


def test_names_that_many_share_are_not_embedded() -> None:
    rows = hours([f"Dana likes lake {at}" for at in range(10)])

    assert memory_query_text(index_of(rows), "What does  Dana like?") == "What does like?"
    assert memory_query_text(index_of(rows[:3]), "What does Dana like?") == "What does Dana like?"
    assert memory_query_text(index_of(rows), "<recalled_memory>Dana") == ""


@pytest.mark.parametrize("name", ["0x52ab90", "src/parse.ts", "MARK-77120431", "10.0.0.7"])
def test_an_identifier_that_is_found_is_near_certain(name: str) -> None:
    rows = hours([*FILLER, f"see {name} for it", "ever see lunch there and the weather"])

    ranking = ranked(rows, f"what did we ever say of {name} and lunch there")

    assert ranking.order()[0] == len(FILLER)
    assert ranking.scores.max() >= 0.95
