from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from strands.types.session import SessionMessage

from everturn.integrations.strands.turns import SeenMessage, in_exchanges

ASKED: Any = {"role": "user", "content": [{"text": "where?"}]}
ANSWERED: Any = {"role": "assistant", "content": [{"text": "there"}]}
CALLED: Any = {"role": "assistant", "content": [
    {"toolUse": {"toolUseId": "1", "name": "look", "input": {}}}]}  # fmt: skip
FOUND: Any = {"role": "user", "content": [
    {"toolResult": {"toolUseId": "1", "status": "success", "content": []}}]}  # fmt: skip


def ordered(*seen: tuple[Any, int]) -> list[int]:
    """Numbers, as they come; given are messages and what their writers saw before."""
    found = in_exchanges(
        SeenMessage(SessionMessage(said, number), after)
        for number, (said, after) in enumerate(seen)
    )
    return [one.message_id for one in found]


def test_an_answer_comes_after_its_question() -> None:
    assert ordered((ASKED, -1), (ASKED, -1), (ANSWERED, 1), (ANSWERED, 0)) == [0, 3, 1, 2]


def test_rounds_of_tools_stay_whole() -> None:
    mixed = [
        (ASKED, -1), (ASKED, -1), (CALLED, 0), (CALLED, 1), (FOUND, 3), (FOUND, 2), (ANSWERED, 5),
        (ANSWERED, 4), (ASKED, 6), (ASKED, 7),
    ]  # fmt: skip

    assert ordered(*mixed) == [0, 2, 5, 6, 1, 3, 4, 7, 8, 9]


def test_what_follows_nothing_that_is_there_keeps_its_place() -> None:
    """What was before it was removed, or never kept, or is another program's."""
    assert ordered((ANSWERED, -1), (ASKED, 0), (FOUND, 40), (ANSWERED, 2), (ASKED, 3)) == [
        0, 1, 2, 3, 4
    ]  # fmt: skip


@given(st.lists(st.sampled_from([ASKED, ANSWERED, CALLED, FOUND]), max_size=9))
def test_messages_of_one_writer_stay_as_they_are(said: list[Any]) -> None:
    seen = [(one, number - 1) for number, one in enumerate(said)]

    assert ordered(*seen) == list(range(len(said)))


SEEN = st.tuples(st.sampled_from([ASKED, ANSWERED, CALLED, FOUND]), st.integers(-1, 12))


@given(st.lists(SEEN, max_size=10))
def test_no_message_is_lost_or_doubled(seen: list[tuple[Any, int]]) -> None:
    assert sorted(ordered(*seen)) == list(range(len(seen)))
