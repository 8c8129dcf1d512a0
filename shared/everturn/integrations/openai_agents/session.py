"""A `Session` of the OpenAI Agents SDK whose items are the turns of a conversation."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from everturn.integrations.extras import extra

with extra("openai"):
    from agents.items import TResponseInputItem
    from agents.memory.session import SessionABC
    from agents.memory.session_settings import (
        SessionSettings,
        coerce_session_settings,
        resolve_session_limit,
    )

from everturn.client import MAX_PAGE, AsyncEverturn
from everturn.errors import ConflictError, NotFoundError, UnavailableError
from everturn.integrations.openai_agents.turns import item_of_turn, items_of, turn_of_item
from everturn.integrations.plans import MAX_TRIES, appended, deleted
from everturn.integrations.turn_pages import next_of
from everturn.wire.conversations import Turn

_T = TypeVar("_T")


class EverturnSession(SessionABC):
    """A session that several runners and processes can write at once; nothing of theirs is lost.

    It keeps no state: two sessions of one id and one user are the same session.
    """

    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        client: AsyncEverturn,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        """Make a session of a conversation; nothing is sent yet.

        Args:
            session_id: the conversation's id: any characters, 1,024 bytes at most.
            client: whose it is says the client; the caller closes it.
            session_settings: `limit` is how many items `get_items` returns if it is not told.
        """
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._client = client

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Read the newest items, oldest first: one request for each 1,000 of them or 3 MiB.

        Args:
            limit: how many; all where it is negative, or None and the settings say nothing.

        Returns:
            The items, each equal to what was added; none where the session is unknown.

        Raises:
            EverturnError: the server does not answer, or refuses.
        """
        wanted = resolve_session_limit(limit, self.session_settings)
        try:
            if wanted is None or wanted < 0:
                turns = self._client.all_turns(self.session_id)
                return items_of([turn async for turn in turns])
            return await self._newest(wanted) if wanted else []
        except NotFoundError:
            return []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items, all or none of them and side by side: one request.

        Raises:
            InvalidRequestError: more than 1,000 items, or one is no JSON that can be kept.
            TooLargeError: an item is above 1 MiB, or all together above 3 MiB.
            UnavailableError: a clear is not complete yet, or there was no clear answer.
        """
        if items:
            turns = [turn_of_item(item) for item in items]
            await _whole(self._client.carry_out(appended(self.session_id, turns)))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item back and return it; None where there is none. Two requests.

        No two callers get the same item, and none gets one that it did not remove. Turns that a
        redaction emptied go with the item before them.

        Raises:
            UnavailableError: others wrote between read and removal, every time; or no answer, with
                `best_effort` too: nothing says then that the session is empty.
            OutcomeUnknownError: no clear answer; the item may be gone.
        """
        try:
            return await _whole(self._pop())
        except NotFoundError:
            return None

    async def clear_session(self) -> None:
        """Delete all items and what was learnt from them alone; the id can be used again.

        Raises:
            UnavailableError: not all is gone yet: clear again. With `best_effort` too.
        """
        await _whole(self._clear())

    async def _newest(self, wanted: int) -> list[TResponseInputItem]:
        """Return so many items: turns without any, and pages cut at 3 MiB, are made up for."""
        page = await self._client.get_turns(self.session_id, last=min(wanted, MAX_PAGE))
        items, first = items_of(page.turns), _first_of(page.turns)
        while len(items) < wanted and first > 0:
            end, first = first, max(0, first - min(wanted - len(items), MAX_PAGE))
            items = [*items_of(await self._turns_between(first, end)), *items]
        return items

    async def _turns_between(self, first: int, end: int) -> list[Turn]:
        turns: list[Turn] = []
        start: int | None = first
        while start is not None and start < end:
            page = await self._client.get_turns(self.session_id, from_=start, limit=end - start)
            # The newest are read already: less would be a gap.
            turns += [turn for turn in page.sure().turns if turn.index < end]
            start = next_of(page, start)
        return turns

    async def _pop(self) -> TResponseInputItem | None:
        forestalled = 0
        while forestalled < MAX_TRIES:
            page = (await self._client.get_turns(self.session_id, last=1)).sure()
            if not page.turn_count:
                return None
            try:
                popped = await self._client.pop_turn(
                    self.session_id, expected_turn_count=page.turn_count
                )
            except ConflictError:
                forestalled += 1
                continue
            item = item_of_turn(popped.turn) if popped.turn else None
            if item is not None:
                return item
        raise UnavailableError(f"others write the session all the time tries={MAX_TRIES}")

    async def _clear(self) -> None:
        receipt = await self._client.carry_out(deleted(self.session_id))
        if receipt.deleted:
            # Created at once, the id takes the next items in one request.
            await self._client.create_conversation(self.session_id)


def _first_of(turns: Sequence[Turn]) -> int:
    return turns[0].index if turns else 0


async def _whole(write: Coroutine[Any, Any, _T]) -> _T:
    """Await a write to its end, whoever cancels the caller: it happened or it did not.

    The SDK's own sessions do so: a run that is cancelled knows what is stored.
    """
    task = asyncio.ensure_future(write)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = cancelled or error
    if cancelled is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # looked at, or asyncio reports it as never seen
    raise cancelled
