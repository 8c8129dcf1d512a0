"""Keep the SDK's summary of a Claude session in a document, under keys made of the session's.

    claude-summaries:{project_key} . {session_id}  {"turns", "updated", "data"}

`turns` is how much of the transcript is folded; `updated` is the conversation's when it was.
Writers replace the document at the version that they read. They also fold what another writer
appended but has not folded. So the document is the fold of the transcript's first `turns` turns in
their order. Each turn is folded as it was at that time.

If the conversation has another `updated`, or more turns, a change followed: something was appended,
redacted, removed or renamed. One change does not show so: a redaction before a writer's newest
append that no list saw in between. The redacted text stays until the session is resumed and
written to.

The conversation of a transcript has an id that is made of the session's key, and is read back:

    claude-session:{project_key}:{session_id}             a session
    claude-session:{project_key}:{session_id}:{subpath}   the transcript of one of its subagents

In each part letters, digits, `-`, `.` and `_` stay; each other byte is `~` and two hex digits. No
two keys collide, whatever they hold. No proxy takes a part of an id for a step of a path.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast
from urllib.parse import quote, unquote

from everturn.integrations.extras import extra

with extra("claude"):
    from claude_agent_sdk import SessionKey, SessionStoreEntry, fold_session_summary
    from claude_agent_sdk.types import SessionSummaryEntry

from everturn.client import ABSENT, AsyncEverturn
from everturn.client.calls.call import Absent
from everturn.errors import NotFoundError, TooLargeError, UnavailableError
from everturn.integrations.claude.transcript import Added, Transcript
from everturn.integrations.plans import MAX_TRIES, WRITTEN_OTHERWISE
from everturn.wire.base import moment
from everturn.wire.conversations import Summary
from everturn.wire.deployment import DocumentRow

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# The longest title that a conversation takes.
_MAX_TITLE_CHARS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Fold:
    """The fold of a transcript's first `turns` turns, as it was at `updated`."""

    turns: int = 0
    updated: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    def folded(
        self, key: SessionKey, entries: Sequence[SessionStoreEntry], turns: int, updated: str
    ) -> "Fold":
        """Return what it is with the entries that follow, up to `turns`."""
        before: SessionSummaryEntry | None = None
        if self.data:
            before = {"session_id": key["session_id"], "mtime": 0, "data": dict(self.data)}
        return Fold(turns, updated, fold_session_summary(before, key, list(entries))["data"])

    def value(self) -> dict[str, Any]:
        """Return what the document holds."""
        return {"turns": self.turns, "updated": self.updated, "data": self.data}

    def entry(self, session_id: str) -> SessionSummaryEntry:
        """Return it as the SDK reads it."""
        mtime = mtime_of(self.updated)
        return {"session_id": session_id, "mtime": mtime, "data": dict(self.data)}

    def is_outdated(self, added: Added | None) -> bool:
        """Say whether turns in it were taken back or deleted before these were appended."""
        if added is None or added.first is None or added.first >= self.turns:
            return False
        return _instant(self.updated) < _instant(added.updated)


@dataclass(frozen=True, slots=True)
class _Kept:
    etag: str | Absent
    fold: Fold


class SessionSummary:
    """What this process knows of a session's summary. One task at a time."""

    def __init__(self, client: AsyncEverturn, key: SessionKey) -> None:
        """Know nothing yet."""
        self._client = client
        self._key = key
        self._place = space_of(key["project_key"]), encoded(key["session_id"])
        self._kept: _Kept | None = None
        self._read: Fold | None = None

    def begin(self, entries: Sequence[SessionStoreEntry], turns: int) -> None:
        """Go on from a whole transcript as it was just read: what was redacted is in it no more."""
        self._kept, self._read = None, Fold().folded(self._key, entries, turns, "")

    async def fold(self, transcript: Transcript, added: Added | None) -> None:
        """Fold what a transcript holds and the summary does not: what was `added`, and before it.

        Raises:
            UnavailableError: no clear answer, or too many writers.
        """
        for _ in range(MAX_TRIES):
            kept = self._kept = self._kept or await self._load()
            if kept.fold.turns >= transcript.turn_count and not kept.fold.is_outdated(added):
                return
            base = self._read or kept.fold
            if base.is_outdated(added):
                base = Fold()
            new = added or await self._tail(transcript)
            try:
                self._kept = await self._fold(transcript, new, _Kept(kept.etag, base))
            except WRITTEN_OTHERWISE:
                self._kept = self._read = None
            else:
                self._read = None
                return
        raise UnavailableError(f"too many writers fold this summary tries={MAX_TRIES}")

    async def _fold(self, transcript: Transcript, added: Added, base: _Kept) -> _Kept | None:
        entries = added.entries
        if added.first != base.fold.turns or not added.is_run:
            entries = await transcript.read_between(base.fold.turns, added.end)
        updated = await self._show_title(transcript.conversation_id, entries) or added.updated
        fold = base.fold.folded(self._key, entries, added.end, updated)
        kept = _Kept(await self._write(fold, base.etag), fold)
        if base.etag is ABSENT and await transcript.is_gone():
            # It was deleted with its summary, before this one was written.
            await self.remove()
            return None
        return kept

    async def _tail(self, transcript: Transcript) -> Added:
        """Return what stands for turns that are there already: none of them is at hand."""
        found = await self._client.get_conversation(transcript.conversation_id, limit=1)
        # All that it says of `updated`; where turns were taken back since, a list is to see it.
        end = max(transcript.turn_count, found.sure().turn_count)
        return Added((), None, end, found.updated)

    async def _show_title(
        self, conversation_id: str, entries: Sequence[SessionStoreEntry]
    ) -> str | None:
        """Give the conversation the title that the user gave the session last."""
        given = (cast("Mapping[str, Any]", entry).get("customTitle") for entry in entries)
        titles = [title for title in given if isinstance(title, str)]
        if not titles:
            return None
        title = titles[-1][:_MAX_TITLE_CHARS]
        shown = await self._client.update_conversation(conversation_id, title=title)
        return shown.sure().updated

    async def _load(self) -> _Kept:
        try:
            found = (await self._client.get_document(*self._place)).sure()
        except NotFoundError:
            return _Kept(ABSENT, Fold())
        return _Kept(found.etag, fold_of(found.value))

    async def _write(self, fold: Fold, expect: str | Absent) -> str | Absent:
        try:
            written = await self._client.put_document(*self._place, fold.value(), expect=expect)
        except TooLargeError:
            # The one that stays is older than its session: the SDK then reads the session itself.
            return expect
        return written.sure().etag

    async def remove(self) -> None:
        """Remove the document; nothing where there is none."""
        self._kept = self._read = None
        with suppress(NotFoundError):
            await self._client.delete_document(*self._place)


async def current_summary(
    client: AsyncEverturn, key: SessionKey, row: DocumentRow, session: Summary
) -> SessionSummaryEntry:
    """Return a summary; one that is not as new as its session is made anew first, and replaced.

    Nor is one that has other turns: a title that was given later hides who appended before it.

    Args:
        client: which reads and writes.
        key: the session's.
        row: the summary's document.
        session: the session's conversation in a list.
    """
    fold = fold_of(row.value)
    if fold.updated != session.updated or fold.turns != session.turn_count:
        # What is read is no older than what it is said to be: no later change is missed.
        transcript = Transcript(client, session.conversation_id, None)
        entries = await transcript.read_between(0, session.turn_count)
        fold = Fold().folded(key, entries, session.turn_count, session.updated)
        with suppress(*WRITTEN_OTHERWISE, NotFoundError, TooLargeError):
            await client.put_document(
                space_of(key["project_key"]), row.key, fold.value(), expect=row.etag
            )
    return fold.entry(key["session_id"])


async def remove_orphan(client: AsyncEverturn, project_key: str, row: DocumentRow) -> None:
    """Remove a summary whose session is gone; what another program put there stays."""
    if fold_of(row.value).updated:
        with suppress(*WRITTEN_OTHERWISE, NotFoundError):
            await client.delete_document(space_of(project_key), row.key, expect=row.etag)


def space_of(project_key: str) -> str:
    """Return the space of the summaries of a project's sessions."""
    return f"claude-summaries:{encoded(project_key)}"


def fold_of(value: Any) -> Fold:  # noqa: ANN401 - any JSON
    """Return the fold that a document holds; an empty one where another program wrote it."""
    match value:
        case {"turns": int(turns), "updated": str(updated), "data": dict(data)}:
            return Fold(turns, updated, data)
        case _:
            return Fold()


def mtime_of(updated: str) -> int:
    """Return a time of the API in milliseconds since 1970."""
    return (moment(updated) - _EPOCH) // timedelta(milliseconds=1)


def _instant(updated: str) -> str:
    """Return what times of the API, all in UTC and without trailing zeros, are in order by."""
    return updated.removesuffix("Z")


_FAMILY: Final = "claude-session"


def conversation_of(key: SessionKey) -> str:
    """Return the id of a transcript's conversation; ASCII, refused by a server above 1,024."""
    parts = [_FAMILY, key["project_key"], key["session_id"], key.get("subpath") or ""]
    return ":".join(map(encoded, parts if parts[-1] else parts[:-1]))


def session_of(conversation_id: str, project_key: str) -> str | None:
    """Return the session whose own transcript this is; None for anything else."""
    prefix = f"{_FAMILY}:{encoded(project_key)}:"
    session = conversation_id.removeprefix(prefix)
    if not conversation_id.startswith(prefix) or ":" in session:
        return None
    return decoded(session)


def subpath_of(conversation_id: str, session_id: str) -> str | None:
    """Return the subpath of a transcript below a session's own, of which the id is given."""
    prefix = f"{session_id}:"
    if not conversation_id.startswith(prefix):
        return None
    return decoded(conversation_id.removeprefix(prefix))


def encoded(text: str) -> str:
    """Return a part of a key in ASCII, one form for each.

    A lone surrogate is a character like any other here: JavaScript's strings hold them.
    """
    return quote(text, safe="", errors="surrogatepass").replace("~", "%7E").replace("%", "~")


def decoded(text: str) -> str | None:
    """Return the part of a key whose form this is; None where it is the form of none."""
    try:
        part = unquote(text.replace("~", "%"), errors="surrogatepass")
    except UnicodeDecodeError:
        return None
    return part if encoded(part) == text else None
