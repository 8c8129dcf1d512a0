"""Which ranked turns are shown, against the rules said one by one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.turn import Turn
from everturn.recall.index.recall_request import RecallRequest
from everturn.recall.index.turn_index import Stretch, TurnIndex
from everturn.recall.ranking.fusion import Ranking
from everturn.recall.ranking.select_hits import Picked, allowed_rows, pick_hits
from everturn.values.timestamps import TimeWindow
from everturn.values.token_estimate import count_tokens
from scenarios.recalled_turns import START_NS, index_of, minutes, turn

ASK = RecallRequest("anything")
TEXTS = st.lists(
    st.one_of(st.none(), st.sampled_from(["a", "bb " * 9, "ccc " * 40, "d" * 400, "é" * 33])),
    max_size=16,
)
SCORES = st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9, 1.0])


@st.composite
def ranked(draw: st.DrawFn) -> tuple[list[Turn | None], TurnIndex, Ranking]:
    """Draw turns with a score each, which those that cannot be read have not."""
    said = minutes(draw(TEXTS))
    scores = np.array([draw(SCORES) if one else 0.0 for one in said], np.float64)
    return said, index_of(said), Ranking(scores, {})


def _scored(texts: list[str | None], scores: list[float]) -> tuple[TurnIndex, Ranking]:
    return index_of(minutes(texts)), Ranking(np.array(scores, np.float64), {})


def _shown(picked: Picked) -> list[int]:
    return [found.row for found in picked.rows]


def _cost(said: list[Turn | None], picked: Picked) -> int:
    rows = [row for found in picked.rows for row in (found.row, *found.neighbours)]
    return sum(count_tokens(one.text) for row in rows if (one := said[row]))


requests = st.builds(
    RecallRequest,
    query=st.just("x"),
    top_k=st.integers(1, 8),
    budget_tokens=st.integers(1, 300),
    neighbours=st.integers(0, 3),
    min_score=SCORES,
)


@given(ranked(), requests)
def test_what_is_shown_fits_the_budget_or_is_the_best_alone(
    drawn: tuple[list[Turn | None], TurnIndex, Ranking], request: RecallRequest
) -> None:
    said, index, ranking = drawn
    picked = pick_hits(index, ranking, request)

    if picked.over_budget:
        [found] = picked.rows
        assert not found.neighbours
        assert ranking.scores[found.best] == ranking.scores.max()
        assert _cost(said, picked) > request.budget_tokens
    else:
        assert _cost(said, picked) <= request.budget_tokens


@given(ranked(), requests)
def test_shown_scores_fall_and_none_is_below_the_least(
    drawn: tuple[list[Turn | None], TurnIndex, Ranking], request: RecallRequest
) -> None:
    _, index, ranking = drawn
    picked = pick_hits(index, ranking, request)
    scores = [ranking.scores[found.best] for found in picked.rows]

    assert scores == sorted(scores, reverse=True)
    assert all(score >= request.min_score and score > 0 for score in scores)


@given(ranked(), requests)
def test_texts_are_distinct_and_of_equal_ones_the_newest_is_shown(
    drawn: tuple[list[Turn | None], TurnIndex, Ranking], request: RecallRequest
) -> None:
    _, index, ranking = drawn
    picked = pick_hits(index, ranking, request)
    hashes = [int(index.hashes[found.row]) for found in picked.rows]

    assert len(set(hashes)) == len(hashes)
    for found in picked.rows:
        same = np.flatnonzero((index.hashes == index.hashes[found.row]) & (ranking.scores > 0))
        assert found.row == same.max()
        assert ranking.scores[found.best] == ranking.scores[same].max()


@given(ranked(), requests)
def test_no_more_than_top_k_are_shown_or_cut(
    drawn: tuple[list[Turn | None], TurnIndex, Ranking], request: RecallRequest
) -> None:
    _, index, ranking = drawn
    picked = pick_hits(index, ranking, request)
    texts = {int(index.hashes[row]) for row in np.flatnonzero(ranking.scores)}

    assert len(picked.rows) + picked.filtered <= max(request.top_k, 1)
    if texts and not picked.filtered:
        assert picked.rows
    unlimited = pick_hits(index, ranking, replace(request, budget_tokens=100_000))
    assert len(unlimited.rows) + unlimited.filtered == min(request.top_k, len(texts))


@given(ranked(), requests)
def test_a_cut_leaves_those_above_it_as_they_are(
    drawn: tuple[list[Turn | None], TurnIndex, Ranking], request: RecallRequest
) -> None:
    _, index, ranking = drawn
    plain = replace(request, budget_tokens=100_000, neighbours=0)

    cut = pick_hits(index, ranking, plain)
    whole = pick_hits(index, ranking, replace(plain, min_score=0.0))

    kept = [one.row for one in whole.rows if ranking.scores[one.best] >= request.min_score]
    assert _shown(cut) == kept
    assert cut.filtered == len(whole.rows) - len(kept)


@given(ranked(), requests)
def test_neighbours_are_the_readable_turns_on_either_side(
    drawn: tuple[list[Turn | None], TurnIndex, Ranking], request: RecallRequest
) -> None:
    said, index, ranking = drawn
    readable = [at for at, one in enumerate(said) if one]

    for found in pick_hits(index, ranking, request).rows:
        at = readable.index(found.row)
        before = readable[max(at - request.neighbours, 0) : at]
        after = readable[at + 1 : at + 1 + request.neighbours]
        assert list(found.neighbours) in ([], [*before, *after])


def test_neighbours_that_do_not_fit_are_left_out() -> None:
    index, ranking = _scored(["x" * 400, "hit", "y" * 400], [0, 1, 0])

    [found] = pick_hits(index, ranking, replace(ASK, neighbours=1, budget_tokens=50)).rows

    assert (found.row, found.neighbours) == (1, ())


def test_neighbours_are_of_the_same_conversation() -> None:
    rows = index_of(minutes(["a", "b"])).stretches[0].rows
    other = index_of(minutes(["c", "d"])).stretches[0].rows
    index = TurnIndex([Stretch("one", 0, rows), Stretch("two", 0, other)])

    [found] = pick_hits(
        index, Ranking(np.array([0, 0, 1.0, 0]), {}), replace(ASK, neighbours=2)
    ).rows

    assert (found.row, found.neighbours) == (2, (3,))


def test_a_hit_too_big_for_the_budget_makes_room_for_the_next() -> None:
    index, ranking = _scored(["small", "x" * 400, "tiny"], [0.5, 1, 0.2])

    picked = pick_hits(index, ranking, replace(ASK, budget_tokens=10))

    assert (_shown(picked), picked.over_budget) == ([0, 2], False)


def test_if_none_fits_the_best_comes_alone() -> None:
    index, ranking = _scored(["x" * 400, "y" * 400], [0.5, 1])

    picked = pick_hits(index, ranking, replace(ASK, budget_tokens=10, neighbours=1))

    assert (_shown(picked), picked.over_budget) == ([1], True)


def test_nothing_is_shown_over_the_budget_that_the_least_score_cuts() -> None:
    index, ranking = _scored(["x" * 400], [0.5])

    picked = pick_hits(index, ranking, replace(ASK, budget_tokens=10, min_score=0.6))

    assert (picked.rows, picked.filtered, picked.over_budget) == ((), 1, False)


def test_the_search_for_what_fits_ends_somewhere() -> None:
    texts = [f"{at} " + "x" * 400 for at in range(1_500)]
    index, ranking = _scored([*texts, "fits"], [*[1.0] * 1_500, 0.5])

    assert pick_hits(index, ranking, replace(ASK, budget_tokens=10)).over_budget


SAID = [
    turn(0, "a", role="user", time_ns=START_NS),
    turn(1, "b", role="assistant", time_ns=START_NS + 10),
    None,
    turn(3, "c", role="tool"),
    turn(4, "d", role="user", time_ns=START_NS + 20),
]


@pytest.mark.parametrize(
    ("changed", "allowed"),
    [
        ({}, [0, 1, 3, 4]),
        ({"exclude_last": 1}, [0, 1, 3]),
        ({"exclude_last": 3}, [0]),
        ({"exclude_last": 4}, []),
        ({"exclude_last": 1_000}, []),
        ({"roles": ("user",)}, [0, 4]),
        ({"roles": ("user", "tool")}, [0, 3, 4]),
        ({"roles": ("nobody",)}, []),
        ({"roles": ("user",), "exclude_last": 1}, [0]),
        ({"window": TimeWindow(START_NS, None)}, [0, 1, 4]),
        ({"window": TimeWindow(START_NS + 1, None)}, [1, 4]),
        ({"window": TimeWindow(None, START_NS + 20)}, [0, 1]),
        ({"window": TimeWindow(START_NS + 10, START_NS + 20)}, [1]),
        ({"window": TimeWindow(START_NS + 21, None)}, []),
    ],
)
def test_only_turns_that_are_asked_for_may_be_found(
    changed: dict[str, object], allowed: list[int]
) -> None:
    request = replace(ASK, **changed)  # type: ignore[arg-type]  # the fields of each case

    assert list(np.flatnonzero(allowed_rows(index_of(SAID), request))) == allowed


@given(TEXTS, st.integers(0, 20))
def test_the_newest_that_are_left_out_are_readable_ones(
    texts: list[str | None], exclude_last: int
) -> None:
    readable = [at for at, text in enumerate(texts) if text is not None]
    request = replace(ASK, exclude_last=exclude_last)

    allowed = np.flatnonzero(allowed_rows(index_of(minutes(texts)), request))

    assert list(allowed) == readable[: max(len(readable) - exclude_last, 0)]


def test_neighbours_are_none_of_those_that_the_caller_has_already() -> None:
    index, ranking = _scored(["a", "b", "c", "d", "e"], [0, 0, 0.9, 0, 0])
    picked = pick_hits(index, ranking, replace(ASK, exclude_last=2, neighbours=2))
    assert [(found.row, found.neighbours) for found in picked.rows] == [(2, (0, 1))]
