import json

import pytest

from everturn.conversations.model.turn import TurnDraft
from everturn.conversations.read_conversation import (
    MAX_ANSWER_BYTES,
    TurnPage,
    export_conversation,
    read_turns,
)
from everturn.errors import InvalidRequestError, NotFoundError, TooLargeError
from scenarios.process import CONVERSATION, SCOPE
from scenarios.world import World


def _page(
    world: World, *, last: int | None = None, first: int | None = None, limit: int | None = None
) -> TurnPage:
    return read_turns(
        store=world.data, scope=SCOPE, conversation_id=CONVERSATION,
        last=last, first=first, limit=limit,
    )  # fmt: skip


def _numbers(page: TurnPage) -> list[int]:
    return [turn.index for turn in page.turns]


@pytest.fixture
def hundred(world: World) -> World:
    world.process().append(*(str(number) for number in range(100)))
    return world


def test_nothing_said_is_the_newest_sixteen(hundred: World) -> None:
    page = _page(hundred)

    assert _numbers(page) == list(range(84, 100))
    assert page.next_turn is None


@pytest.mark.parametrize(("last", "first"), [(1, 99), (16, 84), (100, 0), (1_000, 0)])
def test_last_is_the_newest_so_many_oldest_first(hundred: World, last: int, first: int) -> None:
    assert _numbers(_page(hundred, last=last)) == list(range(first, 100))


def test_from_and_limit_walk_all_turns_in_pages(hundred: World) -> None:
    numbers, start = list[int](), 0
    while True:
        page = _page(hundred, first=start, limit=30)
        numbers += _numbers(page)
        if page.next_turn is None:
            break
        start = page.next_turn

    assert numbers == list(range(100))


def test_from_without_a_limit_is_fifty_and_a_limit_alone_begins_at_zero(hundred: World) -> None:
    assert _numbers(_page(hundred, first=10)) == list(range(10, 60))
    assert _numbers(_page(hundred, limit=5)) == list(range(5))
    assert _page(hundred, first=10).next_turn == 60


@pytest.mark.parametrize("first", [100, 10_000])
def test_from_behind_the_end_is_an_empty_page(hundred: World, first: int) -> None:
    page = _page(hundred, first=first)

    assert (page.turns, page.next_turn, page.orphan_tool) == ((), None, False)


@pytest.mark.parametrize(("first", "limit"), [(0, None), (None, 10), (1, 1)])
def test_last_goes_with_neither_from_nor_limit(
    hundred: World, first: int | None, limit: int | None
) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        _page(hundred, last=1, first=first, limit=limit)

    assert caught.value.field == "last"


def test_last_counts_readable_turns(world: World) -> None:
    """An unreadable foreign turn keeps its number and is not shown."""
    world.place(
        b'{"conversation_id":"thread-1","turns":[{"role":"user","text":"a"},{"role":"user"},'
        b'7,{"role":"user","text":"b"},{"text":"c"}],"updated":"2025-01-01T00:00:00Z"}'
    )

    page = _page(world, last=2)

    assert [(turn.index, turn.text) for turn in page.turns] == [(0, "a"), (3, "b")]
    assert page.record.head.turn_count == 5
    assert _page(world, first=1, limit=1).turns[0].index == 3


def test_a_page_that_begins_inside_a_tool_exchange_says_so(world: World) -> None:
    drafts = [
        TurnDraft("user", "question"),
        TurnDraft("assistant", "call"),
        TurnDraft("tool", "result"),
        TurnDraft("user", content=[{"type": "tool_result", "content": "r"}]),
        TurnDraft("assistant", "answer"),
    ]
    world.process().append_drafts(drafts)

    orphans = {last: _page(world, last=last).orphan_tool for last in range(1, 6)}

    assert orphans == {1: False, 2: True, 3: True, 4: False, 5: False}


def test_a_first_turn_of_a_tool_is_no_orphan(world: World) -> None:
    """Its call stands nowhere."""
    world.process().append_drafts([TurnDraft("tool", "result")])

    assert not _page(world).orphan_tool


def test_an_answer_of_three_mebibytes_holds_the_newest_or_says_what_is_next(
    world: World,
) -> None:
    process = world.process()
    for number in range(7):
        process.append(f"{number}" * 900_000)

    page = _page(world, first=2, limit=50)
    assert _numbers(page) == [2, 3, 4]
    assert page.next_turn == 5
    assert sum(len(json.dumps(turn.value)) for turn in page.turns) < MAX_ANSWER_BYTES
    newest = _page(world, last=7)
    assert _numbers(newest) == [4, 5, 6]
    assert newest.next_turn is None
    assert _numbers(_page(world, first=5)) == [5, 6]


def test_one_turn_is_shown_however_large(world: World) -> None:
    """A foreign turn may be above every limit of ours."""
    large = b'{"role":"user","text":"' + b"x" * MAX_ANSWER_BYTES + b'"}'
    world.place(b'{"conversation_id":"thread-1","turns":[' + large + b"," + large + b"]}")

    assert _numbers(_page(world, last=2)) == [1]
    page = _page(world, first=0)
    assert (_numbers(page), page.next_turn) == ([0], 1)


def test_an_unknown_and_a_deleted_conversation_look_alike(world: World) -> None:
    world.process().append("a")
    world.process().delete()
    calls = (
        lambda name: read_turns(store=world.data, scope=SCOPE, conversation_id=name),
        lambda name: export_conversation(store=world.data, scope=SCOPE, conversation_id=name),
    )
    messages = set()
    for call in calls:
        for name in ("unknown", CONVERSATION):
            with pytest.raises(NotFoundError) as caught:
                call(name)
            messages.add(caught.value.message)

    assert len(messages) == 1


def test_a_wrong_id_is_refused(world: World) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read_turns(store=world.data, scope=SCOPE, conversation_id=" ")

    assert caught.value.field == "conversation_id"


def test_an_empty_conversation_has_an_empty_page(world: World) -> None:
    world.process().create(title="t")

    page = _page(world)

    assert (page.turns, page.next_turn, page.record.head.title) == ((), None, "t")


def test_an_export_above_three_mebibytes_is_too_large(world: World) -> None:
    def body(size: int) -> bytes:
        frame = b'{"conversation_id":"thread-1","turns":[{"role":"user","text":"%s"}]}'
        return frame % (b"x" * (size - len(frame) + 2))

    world.place(body(MAX_ANSWER_BYTES))
    text = export_conversation(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)
    assert len(text.encode()) == MAX_ANSWER_BYTES

    world.place(body(MAX_ANSWER_BYTES + 1))
    with pytest.raises(TooLargeError, match="/turns"):
        export_conversation(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)
