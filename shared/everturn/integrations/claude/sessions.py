"""The Claude Agent SDK's `SessionStore` on Everturn: sessions mirrored, listed and resumed."""

from collections import OrderedDict
from typing import Final

import anyio

from everturn.integrations.extras import extra

with extra("claude"):
    from claude_agent_sdk import (
        SessionKey,
        SessionListSubkeysKey,
        SessionStore,
        SessionStoreEntry,
        SessionStoreListEntry,
    )
    from claude_agent_sdk.types import SessionSummaryEntry

from everturn.client import AsyncEverturn
from everturn.client.calls.conversations import all_conversations
from everturn.client.calls.documents import all_documents
from everturn.integrations.claude.summary import (
    SessionSummary,
    conversation_of,
    current_summary,
    encoded,
    mtime_of,
    remove_orphan,
    session_of,
    space_of,
    subpath_of,
)
from everturn.integrations.claude.transcript import Transcript
from everturn.integrations.plans import deleted, gathered, surely
from everturn.wire.conversations import Summary

# A transcript that is known is appended to in one request; its uuids take 100 bytes each.
_MAX_KNOWN: Final = 128


class _Session:
    def __init__(self, client: AsyncEverturn, key: SessionKey) -> None:
        subpath = key.get("subpath") or None
        self.lock = anyio.Lock()
        self.transcript = Transcript(client, conversation_of(key), subpath)
        self.summary = None if subpath else SessionSummary(client, key)


class EverturnSessionStore(SessionStore):
    """Keeps each transcript in a conversation, each entry as it came in the `content` of a turn.

    An entry with a `uuid` is there once, however often it is sent; entries of one process keep
    their order, those of several are in the order in which they were stored, and none is lost.
    What the person and the agent said is the turns' text: lists, recall and memories see it.

    Whose sessions they are is the client's to say. The client stays open. One with `best_effort`
    raises here all the same: what cannot be read must not look empty.
    """

    def __init__(self, client: AsyncEverturn) -> None:
        """Keep sessions where `client` leads to."""
        self._client = client
        self._known: OrderedDict[str, _Session] = OrderedDict()

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Append entries to a transcript, in batches of 1,000 turns or 3 MB; none is no call.

        Two requests in a process that has appended here or loaded: turns, then summary.

        Raises:
            UnavailableError: no clear answer; append the same again, nothing is doubled but what
                has no `uuid`.
            InvalidRequestError: the key is too long, 1,024 bytes in all.
            TooLargeError: an entry is above 100 MB; nothing is appended.
        """
        if not entries:
            return
        session = self._session(key)
        async with session.lock:
            added = await session.transcript.append(entries)
            if session.summary is not None:
                await session.summary.fold(session.transcript, added)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """Read a transcript in commit order, one request per 1,000 turns; None without entries."""
        session = self._session(key)
        async with session.lock:
            entries = await session.transcript.read()
            if session.summary is not None:
                session.summary.begin(entries, session.transcript.turn_count)
            return entries or None

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """List the sessions of a project; one request per 1,000 conversations of the actor."""
        return [
            {"session_id": session_id, "mtime": mtime_of(row.updated)}
            for row in await self._conversations()
            if (session_id := session_of(row.conversation_id, project_key)) is not None
        ]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """Return the summaries of a project's sessions.

        One request per 100 of them, or per 3 MiB, and one per 1,000 conversations of the actor. One
        whose session was changed since it was written, as by a redaction or a new title, is made
        anew, two requests or more; one whose session is gone is removed. What was redacted before a
        running process appended is in a summary until that session is resumed and written to.
        """
        walk = all_documents(space_of(project_key), values=True)
        rows = await self._client.carry_out(gathered(surely(walk)))
        # Read later: a session that is not in it was deleted, not created since.
        sessions = {
            encoded(session_id): (session_id, conversation)
            for conversation in await self._conversations()
            if (session_id := session_of(conversation.conversation_id, project_key)) is not None
        }
        summaries: list[SessionSummaryEntry] = []
        for row in rows:
            if row.key not in sessions:
                await remove_orphan(self._client, project_key, row)
                continue
            session_id, conversation = sessions[row.key]
            key: SessionKey = {"project_key": project_key, "session_id": session_id}
            summaries.append(await current_summary(self._client, key, row, conversation))
        return summaries

    async def delete(self, key: SessionKey) -> None:
        """Delete a transcript, a session's with those of its subagents; nothing is no error.

        Raises:
            UnavailableError: something may be left: delete it again.
        """
        session = self._session(key)
        async with session.lock:
            if session.summary is not None:
                for subpath in await self.list_subkeys(key):
                    await self._delete(conversation_of({**key, "subpath": subpath}))
                await session.summary.remove()
            await self._delete(session.transcript.conversation_id)
            session.transcript.forget()

    async def list_subkeys(self, key: SessionListSubkeysKey | SessionKey) -> list[str]:
        """List a session's subagents; one request per 1,000 conversations of the actor."""
        main = conversation_of({"project_key": key["project_key"], "session_id": key["session_id"]})
        found = (subpath_of(row.conversation_id, main) for row in await self._conversations())
        return [subpath for subpath in found if subpath is not None]

    async def _conversations(self) -> list[Summary]:
        return await self._client.carry_out(gathered(surely(all_conversations())))

    async def _delete(self, conversation_id: str) -> None:
        await self._client.carry_out(deleted(conversation_id))

    def _session(self, key: SessionKey) -> _Session:
        conversation_id = conversation_of(key)
        session = self._known.pop(conversation_id, None) or _Session(self._client, key)
        self._known[conversation_id] = session
        if len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)
        return session
