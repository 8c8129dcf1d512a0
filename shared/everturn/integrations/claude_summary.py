"""A session's summary as the SDK folds it, kept in a document beside the session's transcript.

Not here: what a summary says, which is the SDK's own; the transcript (claude_transcript.py).

    claude-summaries:{project_key} . {session_id}  {"turns", "mtime", "data"}

`turns` is how much of the transcript is folded. Writers replace the document at the version that
they read, and fold what another one appended but has not folded: it is always the fold of the
transcript's first `turns` turns, in their order.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from claude_agent_sdk import SessionKey, SessionStoreEntry, fold_session_summary
from claude_agent_sdk.types import SessionSummaryEntry

from everturn.client import ABSENT, AsyncEverturn
from everturn.client.result import moment
from everturn.errors import (
    NotFoundError,
    OutcomeUnknownError,
    StaleEtagError,
    TooLargeError,
    UnavailableError,
)
from everturn.integrations.claude_keys import decoded, encoded
from everturn.integrations.claude_transcript import MAX_CONFLICTS, Added, Transcript, answered

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# The longest title that a conversation takes.
_MAX_TITLE_CHARS: Final = 1_000


class SessionSummary:
    """What this process knows of a session's summary. One task at a time."""

    def __init__(self, client: AsyncEverturn, key: SessionKey) -> None:
        """Know nothing yet."""
        self._client = client
        self._key = key
        self._place = space_of(key["project_key"]), encoded(key["session_id"])
        self._forget()

    def _forget(self) -> None:
        self._etag: str | None = None
        self._is_read = False
        self._turns = 0
        self._summary: SessionSummaryEntry | None = None

    async def fold(self, transcript: Transcript, added: Added | None) -> None:
        """Fold what a transcript holds and the summary does not: what was `added`, and before it.

        Raises:
            UnavailableError: no clear answer, or too many writers.
        """
        for _ in range(MAX_CONFLICTS):
            if not self._is_read:
                await self._read()
            if self._is_of_another_life(added):
                self._turns, self._summary = 0, None
            if self._turns >= transcript.turn_count:
                return
            try:
                await self._fold(transcript, added or await self._tail(transcript))
            except (StaleEtagError, OutcomeUnknownError):
                self._forget()
            else:
                return
        raise UnavailableError("too many writers fold this summary")

    def _is_of_another_life(self, added: Added | None) -> bool:
        """Say whether the session was deleted after this summary, and begins anew with `added`."""
        if added is None or added.first != 0 or self._summary is None:
            return False
        return self._summary["mtime"] < mtime_of(added.updated)

    async def _fold(self, transcript: Transcript, added: Added) -> None:
        entries = added.entries
        if added.first != self._turns:
            entries = await transcript.read_between(self._turns, added.end)
        summary = fold_session_summary(self._summary, self._key, list(entries))
        before = self._summary["mtime"] if self._summary else 0
        summary["mtime"] = max(before, mtime_of(added.updated))
        await self._show_title(transcript.conversation_id, entries)
        is_new = self._etag is None
        await self._write(summary, added.end)
        self._summary, self._turns = summary, added.end
        if is_new and await transcript.is_gone():
            # It was deleted with its summary, before this one was written.
            await self.remove()

    async def _tail(self, transcript: Transcript) -> Added:
        """Return what stands for turns that are there already: none of them is at hand."""
        found = answered(await self._client.get_conversation(transcript.conversation_id, limit=1))
        return Added((), None, transcript.turn_count, found.updated)

    async def _show_title(self, conversation_id: str, entries: Sequence[SessionStoreEntry]) -> None:
        """Give the conversation the title that the user gave the session last."""
        given = (cast("Mapping[str, Any]", entry).get("customTitle") for entry in entries)
        titles = [title for title in given if isinstance(title, str)]
        if titles:
            await self._client.update_conversation(
                conversation_id, title=titles[-1][:_MAX_TITLE_CHARS]
            )

    async def _read(self) -> None:
        space, key = self._place
        try:
            found = answered(await self._client.get_document(space, key))
        except NotFoundError:
            self._forget()
        else:
            value = found.value
            self._etag, self._turns = found.etag, value["turns"]
            self._summary = summary_of(key, value)
        self._is_read = True

    async def _write(self, summary: SessionSummaryEntry, turns: int) -> None:
        space, key = self._place
        value = {"turns": turns, "mtime": summary["mtime"], "data": summary["data"]}
        try:
            written = await self._client.put_document(
                space, key, value, expect=self._etag or ABSENT
            )
        except TooLargeError:
            # The one that stays is older than its session: the SDK then reads the session itself.
            return
        self._etag = answered(written).etag

    async def remove(self) -> None:
        """Remove the document; nothing where there is none."""
        space, key = self._place
        self._forget()
        with suppress(NotFoundError):
            await self._client.delete_document(space, key)


def space_of(project_key: str) -> str:
    """Return the space of the summaries of a project's sessions."""
    return f"claude-summaries:{encoded(project_key)}"


def summary_of(key: str, value: Mapping[str, Any]) -> SessionSummaryEntry:
    """Return the summary that a document of this key holds, as it was folded."""
    return {"session_id": decoded(key), "mtime": value["mtime"], "data": value["data"]}


def mtime_of(updated: str) -> int:
    """Return a time of the API in milliseconds since 1970."""
    return (moment(updated) - _EPOCH) // timedelta(milliseconds=1)
