"""One transcript's conversation: its entries read in order, and appended once each.

An append states the turn count that this process knows. Where another writer was first, what it
wrote is read, and what is not there yet is appended again behind it: in a process that knows its
transcript an append is one request, and an entry with a uuid is there once whoever sends it again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from claude_agent_sdk import SessionStoreEntry

from everturn.client import MAX_PAGE, AsyncEverturn
from everturn.errors import (
    ConflictError,
    ConversationGoneError,
    NotFoundError,
    UnavailableError,
)
from everturn.integrations.claude.entries import EntryTurn, Joiner, turns_of, uuid_of
from everturn.integrations.plans import MAX_TRIES
from everturn.integrations.turn_pages import next_of
from everturn.wire.conversations import TurnPage

# A request is 3 MiB at most, some of which are frame.
_BATCH_BYTES: Final = 3_000_000


@dataclass(frozen=True, slots=True)
class Added:
    """What one call appended: entries that are whole now, and their turns from `first` to `end`.

    Where another writer's turns stand between them, it is no run. `first` is None where none is
    known.
    """

    entries: Sequence[SessionStoreEntry]
    first: int | None
    end: int
    updated: str
    is_run: bool = True


class Transcript:
    """What this process knows of a transcript. One task at a time."""

    def __init__(self, client: AsyncEverturn, conversation_id: str, subpath: str | None) -> None:
        """Know nothing yet; `subpath` names a subagent's transcript."""
        self.conversation_id = conversation_id
        self.turn_count = 0
        self._client = client
        self._subpath = subpath
        self._is_opened = subpath is None
        self.forget()

    def forget(self) -> None:
        """Know nothing any more."""
        self.turn_count = 0
        self._uuids: set[str] = set()
        self._joiner = Joiner.new()

    async def read(self) -> list[SessionStoreEntry]:
        """Read all entries; none where there is no such conversation."""
        self.forget()
        return await self._read_on()

    async def read_between(self, first: int, end: int) -> list[SessionStoreEntry]:
        """Read the entries of a run of turns, whatever is known; fewer where turns are gone."""
        joiner, entries = Joiner.new(), list[SessionStoreEntry]()
        while first < end:
            page = await self._page(first, min(end - first, MAX_PAGE))
            if page is None:
                break
            entries += joiner.entries(page.turns)
            following = next_of(page, first)
            first = end if following is None else following
        return entries

    async def is_gone(self) -> bool:
        """Say whether there is no such conversation now."""
        return await self._page(0, 1) is None

    async def append(self, entries: Sequence[SessionStoreEntry]) -> Added | None:
        """Append what is not there yet, in order; None if everything was.

        Raises:
            UnavailableError: no clear answer, or too many writers; call it again.
            EverturnError: as `AsyncEverturn.append`.
        """
        rest = [turn for entry in _once_each(entries) for turn in turns_of(entry)]
        if not self._is_opened:
            await self._open()
        added: list[Added] = []
        for _ in range(MAX_TRIES):
            missing = self._missing(rest)
            if not missing:
                # No request would say that what was there is taken back, or deleted.
                await self._read_on()
                missing = self._missing(rest)
            try:
                while missing:
                    batch = _first_batch(missing)
                    added.append(await self._append(batch))
                    # It came to be at the expected place: what was left out is there.
                    rest = missing = missing[len(batch) :]
            except ConflictError:
                await self._read_on()
            except ConversationGoneError:
                # The SDK's own stores begin anew: so does this one.
                self.forget()
                await self._open()
            else:
                return _joined(added)
        raise UnavailableError(f"too many writers append to this transcript tries={MAX_TRIES}")

    def _missing(self, turns: Sequence[EntryTurn]) -> list[EntryTurn]:
        return [turn for turn in turns if turn.uuid not in self._uuids]

    async def _append(self, batch: Sequence[EntryTurn]) -> Added:
        answer = await self._client.append(
            self.conversation_id,
            [each.turn for each in batch],
            expected_turn_count=self.turn_count,
        )
        answer.sure()
        self.turn_count = answer.first_turn + answer.appended
        self._uuids.update(each.uuid for each in batch if each.uuid and each.is_last)
        whole = [each.entry for each in batch if each.is_last]
        return Added(whole, answer.first_turn, self.turn_count, answer.updated or "")

    async def _open(self) -> None:
        """Create the conversation, also in the place of a deleted one."""
        made = await self._client.create_conversation(self.conversation_id, title=self._subpath)
        made.sure()
        if self._subpath is not None:
            # What subagents do is no conversation of anybody's: a list can leave it out.
            hidden = await self._client.update_conversation(self.conversation_id, archived=True)
            hidden.sure()
        self._is_opened = True

    async def _read_on(self) -> list[SessionStoreEntry]:
        """Read what was appended since; all of it where turns were taken back or it was deleted."""
        entries: list[SessionStoreEntry] = []
        while True:
            page = await self._page(self.turn_count, MAX_PAGE)
            if page is None:
                self.forget()
                return []
            if page.turn_count < self.turn_count:
                self.forget()
                entries.clear()
                continue
            read = list(self._joiner.entries(page.turns))
            self._uuids.update(filter(None, map(uuid_of, read)))
            entries += read
            following = next_of(page, self.turn_count)
            self.turn_count = page.turn_count if following is None else following
            if following is None:
                return entries

    async def _page(self, first: int, limit: int) -> TurnPage | None:
        try:
            page = await self._client.get_turns(self.conversation_id, from_=first, limit=limit)
        except NotFoundError:
            return None
        return page.sure()


def _once_each(entries: Sequence[SessionStoreEntry]) -> list[SessionStoreEntry]:
    """Return entries without those whose uuid came before."""
    seen: set[str] = set()
    fresh: list[SessionStoreEntry] = []
    for entry in entries:
        uuid = uuid_of(entry)
        if uuid not in seen:
            fresh.append(entry)
        if uuid is not None:
            seen.add(uuid)
    return fresh


def _first_batch(turns: Sequence[EntryTurn]) -> Sequence[EntryTurn]:
    """Return the turns that one request takes; at least one."""
    size = 0
    for number, turn in enumerate(turns[:MAX_PAGE]):
        size += turn.size
        if number and size > _BATCH_BYTES:
            return turns[:number]
    return turns[:MAX_PAGE]


def _joined(added: Sequence[Added]) -> Added | None:
    if not added:
        return None
    is_one_run = all(before.end == after.first for before, after in pairwise(added))
    whole = [entry for each in added for entry in each.entries]
    return Added(whole, added[0].first, added[-1].end, added[-1].updated, is_one_run)
