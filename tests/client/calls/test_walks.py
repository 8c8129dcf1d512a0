"""What walks over pages comes to an end, and says where it could not go on."""

from collections.abc import Callable, Iterator

import pytest

from client.faults import Fault, FaultyNetwork, answers
from client.hand_time import HandClock
from everturn.client import Everturn
from everturn.errors import MisconfiguredError, UnavailableError

Bare = Callable[..., tuple[Everturn, FaultyNetwork, HandClock]]
Walked = Callable[[Everturn], Iterator[object]]

_TURN = {"index": 0, "role": "user", "text": "Hi.", "ts": None}
_PAGE = {"turns": [_TURN], "turn_count": 2}
_WALKS: dict[str, tuple[Walked, dict[str, object]]] = {
    "turns": (lambda client: client.all_turns("c"), {**_PAGE, "next": 0}),
    "conversations": (Everturn.all_conversations, {"conversations": [], "skipped": 0}),
    "documents": (lambda client: client.all_documents("s"), {"documents": [], "skipped": 0}),
    "memories": (Everturn.all_memories, {"memories": [], "skipped": 0}),
    "recent turns": (Everturn.all_recent_turns, {"turns": [], "skipped": 0}),
}


@pytest.mark.parametrize(("walked", "page"), _WALKS.values(), ids=_WALKS)
def test_pages_that_do_not_go_on_are_an_error(
    bare: Bare, walked: Walked, page: dict[str, object]
) -> None:
    """One that names itself as the next one would be read for ever."""
    client, network, _ = bare()
    network.meets([answers(200, {"next_cursor": "x", **page})] * 100)
    with pytest.raises(MisconfiguredError, match="do not go on"):
        list(walked(client))
    assert len(network.requests) <= 2


def test_pages_that_go_round_in_a_circle_are_an_error(bare: Bare) -> None:
    client, network, _ = bare()
    page = {"conversations": [], "skipped": 0}
    network.meets([answers(200, {"next_cursor": cursor, **page}) for cursor in "abc" * 30])
    with pytest.raises(MisconfiguredError, match="do not go on"):
        list(client.all_conversations())
    assert len(network.requests) == 4


def test_a_file_whose_pages_do_not_go_on_is_an_error(bare: Bare) -> None:
    client, network, _ = bare()
    whole = {"conversation_id": "c", "title": "T", "updated": "2026-01-01T00:00:00Z"}
    network.meets([answers(413), answers(200, whole), *[answers(200, {**_PAGE, "next": 0})] * 100])
    with pytest.raises(MisconfiguredError, match="do not go on"):
        client.export_conversation("c")
    assert len(network.requests) == 3


def test_a_file_of_something_else_is_a_clear_error(bare: Bare) -> None:
    client, network, _ = bare()
    network.meets([answers(413), answers(200, {"title": "T"})])
    with pytest.raises(MisconfiguredError, match="no everturn"):
        client.export_conversation("c")


@pytest.mark.parametrize("fault", [answers(503), answers(404)])
def test_a_walk_that_has_begun_is_whole_or_raises(bare: Bare, fault: Fault) -> None:
    """In the mode `best_effort` too: the oldest turns would pass for all there are."""
    client, network, _ = bare(best_effort=True)
    network.meets([answers(200, {**_PAGE, "next": 1}), *[fault] * 10])
    turns = client.all_turns("c")
    assert next(turns).text == "Hi."
    with pytest.raises((UnavailableError, MisconfiguredError)):
        next(turns)


def test_a_walk_that_cannot_begin_is_empty_where_that_was_asked_for(bare: Bare) -> None:
    client, network, _ = bare(best_effort=True)
    network.meets([answers(503)] * 10)
    assert list(client.all_turns("c")) == []
