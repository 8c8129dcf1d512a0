"""A list is made of what can be read: no single file and no broken cache stands in its way."""

from collections.abc import Callable

import pytest

from everturn.adapters.system_clock import ManualClock
from everturn.conversations.model.head import Head
from everturn.conversations.read_conversation import MAX_ANSWER_BYTES
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    OutcomeUnknownError,
    UnavailableError,
)
from everturn.listing.list_conversations import list_conversations
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.values.keys import head_key, list_cache_key
from fakes.wrapped_store import Answer, Verb, WrappedStore
from scenarios.process import SCOPE
from scenarios.world import World

BAD = head_key(SCOPE, "bad")


class FailingStore(WrappedStore):
    """Raises an error for one verb on one key."""

    def __init__(self, inner: ObjectStore, verb: Verb, key: str, error: Exception) -> None:
        super().__init__(inner)
        self._fails = (verb, key)
        self._error = error

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if (verb, key) == self._fails:
            raise self._error
        return send()


def listed(data: ObjectStore, derived: ObjectStore) -> tuple[list[str], int]:
    page = list_conversations(data=data, derived=derived, clock=ManualClock(), scope=SCOPE)
    return [row.conversation_id for row in page.rows], page.skipped


@pytest.mark.parametrize("error", [AccessDeniedError("no"), CorruptRecordError("broken sidecar")])
def test_a_head_that_the_store_does_not_give_is_skipped_alone(
    world: World, error: Exception
) -> None:
    world.process().append("a", to="good")
    world.process().append("b", to="bad")
    failing = FailingStore(world.data, "get", BAD, error)
    assert listed(failing, world.derived) == (["good"], 1)


def test_a_head_that_was_refused_is_listed_as_soon_as_it_is_given(world: World) -> None:
    world.process().append("b", to="bad")
    failing = FailingStore(world.data, "get", BAD, AccessDeniedError("no"))
    assert listed(failing, world.derived) == ([], 1)
    assert listed(world.data, world.derived) == (["bad"], 0)


@pytest.mark.parametrize("verb", ["get", "put"])
@pytest.mark.parametrize(
    "error", [AccessDeniedError("no"), OutcomeUnknownError("?"), UnavailableError("later")]
)
def test_a_cache_that_fails_costs_reads_and_nothing_else(
    world: World, verb: Verb, error: Exception
) -> None:
    world.process().append("a", to="good")
    failing = FailingStore(world.derived, verb, list_cache_key(SCOPE), error)
    for _ in range(2):
        assert listed(world.data, failing) == (["good"], 0)


def test_a_page_stops_at_three_mebibytes_and_goes_on_at_its_cursor(world: World) -> None:
    folder, text = "\u2039" * 256, "\u2039" * 100
    for number in range(900):
        name = f"{number:04d}" + "<" * 1_000
        turn = f'{{"role":"user","text":"{text}"}}'.encode()
        head = Head(name, folder=folder).with_turns([turn], updated_ns=number)
        world.data.put(head_key(SCOPE, name), head.encode(), expect=ABSENT)

    names: list[str] = []
    cursor = None
    for _ in range(10):
        page = list_conversations(
            data=world.data,
            derived=world.derived,
            clock=world.clock,
            scope=SCOPE,
            limit=1_000,
            cursor=cursor,
        )
        names += [row.conversation_id for row in page.rows]
        assert len(page.rows) * 7_000 < MAX_ANSWER_BYTES * 2
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(names) == len(set(names)) == 900
    assert cursor is None
