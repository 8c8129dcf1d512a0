"""The commands consolidate and redrive: make memories of new turns, and retry jobs that failed.

A server is asked to consolidate, which it also does by itself after each append. A store is
consolidated at once in this process, with a line for each conversation that had work.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final

import typer

from everturn.cli.output.console import complain, note, printable, say
from everturn.cli.output.consolidation_lines import counted, extractor_words
from everturn.cli.output.errors import ApiError, CliError, line_of
from everturn.cli.output.receipts import counts_line
from everturn.cli.target.api import LISTING, QUEUED, Api, conversation_path
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api, open_parts, open_settings, scope_of
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.errors import EverturnError, MisconfiguredError
from everturn.ports.queue import MAX_CLAIMED, JobQueue
from everturn.values.keys import Scope

# A store is opened in the functions that need one: a server needs nothing of it.
if TYPE_CHECKING:
    from everturn.bootstrap.components import Backends
    from everturn.consolidation.outcome import Consolidated
    from everturn.extraction.extractor import Extractor
    from everturn.settings.process import Settings

_NOT_QUEUED = {
    "queue_full": "the queue is full, it comes later by itself",
    "queue_unavailable": "the queue does not answer, it comes later by itself",
}
_PAGE: Final = 1_000


@on_store
def consolidate(
    choice: StoreChoice,
    target: Target,
    conversation_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The conversation's id.")
    ] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="All conversations of the user.")
    ] = False,
) -> None:
    """Read turns that nobody read yet, and remember what is worth it."""
    if (conversation_id is None) is not everything:
        raise typer.BadParameter("give the ID of a conversation, or --all")
    if choice.is_url:
        with open_api(choice, target) as api:
            if conversation_id is None:
                offer_all(api)
            else:
                say(_counted(int(offer_one(api, conversation_id))))
        return
    consolidate_store(choice, target, conversation_id)


def offer_all(api: Api) -> None:
    """Ask for each; one that is refused is named, and the others are asked for all the same.

    Raises:
        CliError: some were refused, or the server has no queue.
    """
    queued = failed = 0
    for id_ in listed_ids(api):
        try:
            queued += offer_one(api, id_)
        except ApiError as error:
            complain(f"{printable(id_)}: {line_of(error)}")
            failed += 1
    say(_counted(queued))
    if failed:
        raise CliError(f"some could not be queued failed={failed}")


def offer_one(api: Api, id_: str) -> bool:
    """Ask for one; say why where it comes later.

    Raises:
        ApiError: it was refused.
        CliError: the server has no queue.
    """
    path = f"{conversation_path(id_)}/consolidate"
    answer = api.call("POST", path, body={}, shape=QUEUED).json()
    reason = str(answer.get("reason"))
    if reason == "no_queue":
        raise CliError("this server has no queue, run everturn consolidate where its store is")
    if not answer["queued"]:
        note(f"not queued: {id_}: {_NOT_QUEUED.get(reason, reason)}")
    return bool(answer["queued"])


def _counted(queued: int) -> str:
    return f"queued: {counted(queued, 'conversation')}"


def listed_ids(api: Api) -> Iterator[str]:
    """Give the ids of all conversations of the user, newest first, page by page."""
    cursor: str | None = ""
    while cursor is not None:
        params: dict[str, str | int] = {"limit": _PAGE} | ({"cursor": cursor} if cursor else {})
        page = api.read("/v1/conversations", params, shape=LISTING)
        yield from (row["conversation_id"] for row in page["conversations"])
        cursor = page.get("next_cursor")


# So often a long conversation says how far it is.
_SECONDS: Final = 20.0
_INTERRUPTED: Final = 130
"""What a shell says of a program that Ctrl-C ended: 128 + SIGINT."""


def consolidate_store(choice: StoreChoice, target: Target, conversation_id: str | None) -> None:
    """Consolidate one conversation of a user, or all of them; one that fails stops no other.

    Raises:
        EverturnError: the store or the extractor cannot work, or the one conversation failed.
        CliError: some of all failed; each was named.
    """
    from everturn.bootstrap.components import open_extractor

    parts, settings = open_parts(choice)
    work = _Work(parts, settings, open_extractor(settings), scope_of(target))
    note(f"reads {extractor_words(work.extractor.name)}")
    try:
        if conversation_id is None:
            work.consolidate_all()
        else:
            work.consolidate_named(conversation_id)
    except KeyboardInterrupt as stop:
        note("interrupted: what was done is kept, the next run goes on from there")
        raise typer.Exit(_INTERRUPTED) from stop
    finally:
        say(f"consolidated: {counts_line(work.counts)}")
    if work.failed:
        raise CliError(f"some could not be consolidated, run it again failed={work.failed}")


@dataclass(slots=True)
class _Work:
    """What a run works with, and what it has done so far."""

    parts: "Backends"
    settings: "Settings"
    extractor: "Extractor"
    scope: Scope
    counts: Counter[str] = field(default_factory=lambda: Counter(conversations=0))
    failed: int = 0

    def listed(self) -> Iterator[str]:
        """Give the ids of all conversations of the user, newest first; unreadable ones failed."""
        from everturn.listing.list_conversations import list_conversations

        cursor, more, skipped = None, True, 0
        while more:
            page = list_conversations(
                data=self.parts.data,
                derived=self.parts.derived,
                clock=self.parts.clock,
                scope=self.scope,
                limit=_PAGE,
                cursor=cursor,
            )
            yield from (row.conversation_id for row in page.rows)
            cursor, more = page.next_cursor, page.next_cursor is not None
            # Each page counts all of them.
            skipped = max(skipped, page.skipped)
        if skipped:
            note(f"skipped: {skipped} unreadable")
            self.failed += skipped

    def consolidate_all(self) -> None:
        """Consolidate all of the user; one that fails is named, and the others are done.

        Raises:
            MisconfiguredError: the others would fail of it too.
        """
        for id_ in self.listed():
            try:
                self.consolidate(id_)
            except MisconfiguredError:
                raise
            except EverturnError as error:
                complain(f"{printable(id_)}: {line_of(error)}")
                self.failed += 1

    def consolidate_named(self, id_: str) -> None:
        """Consolidate one that has to be there.

        Raises:
            NotFoundError: it is not.
        """
        from everturn.conversations.read_record import read_live_record

        read_live_record(store=self.parts.data, scope=self.scope, conversation_id=id_)
        self.consolidate(id_)

    def consolidate(self, id_: str) -> None:
        """Consolidate one up to its end; say what became of it."""
        done = self._to_its_end(id_)
        if done.turns or done.behind:
            say(f"{printable(id_)}: {_words(done)}")

    def _to_its_end(self, id_: str) -> "Consolidated":
        done = self._for_a_while(id_)
        while done.behind and done.reason is None:
            note(f"{printable(id_)}: {done.turns} of {counted(done.turn_count, 'turn')} so far")
            done = done.and_then(self._for_a_while(id_))
        self.counts.update(conversations=int(done.turns > 0), behind=int(done.behind))
        return done

    def _for_a_while(self, id_: str) -> "Consolidated":
        from everturn.consolidation.consolidate_conversation import consolidate as consolidate_one
        from everturn.storage.budget import Budget

        done = consolidate_one(
            store=self.parts.data,
            derived=self.parts.derived,
            clock=self.parts.clock,
            entropy=self.parts.entropy,
            scope=self.scope,
            conversation_id=id_,
            extractor=self.extractor,
            budget=Budget(clock=self.parts.clock, seconds=_SECONDS),
            daily_tokens=self.settings.extractor.daily_tokens,
        )
        names = ("turns", "created", "reinforced", "quarantined", "dropped", "tokens")
        self.counts.update({name: getattr(done, name) for name in names})
        return done


def _words(done: "Consolidated") -> str:
    from everturn.consolidation.outcome import DAILY_TOKENS

    words = f"{counted(done.turns, 'turn')} read, {done.created} remembered"
    if done.reinforced:
        words += f", {done.reinforced} known already"
    if done.quarantined:
        words += f", {counted(done.quarantined, 'turn')} set aside that could not be read"
    if done.behind:
        is_limit = done.reason == DAILY_TOKENS
        reason = "the tokens of this day are used up" if is_limit else done.reason
        words += f", not at its end yet: {reason}"
    return words


# SQS asks some of its machines at a time: so many empty answers in a row are the end.
_EMPTY_ANSWERS = 3


@on_store
def redrive(choice: StoreChoice, target: Target) -> None:
    """Put jobs back that failed too often, once what they failed of is mended; of all users."""
    del target
    if choice.is_url:
        raise CliError("a server has its own queue: give --dir or --store")
    from everturn.bootstrap.components import open_queue

    queue = open_queue(open_settings(choice))
    if queue is None:
        raise CliError("this store has no queue, set EVERTURN_QUEUE_URL")
    count = put_back(queue)
    say(f"put back: {counted(count, 'job')}")
    if count:
        note("a running `everturn up` works on them, or everturn consolidate --all does it now")


def put_back(queue: JobQueue) -> int:
    """Put all dead letters back; return how many."""
    total = empty = 0
    while empty < _EMPTY_ANSWERS:
        count = queue.redrive(MAX_CLAIMED)
        total += count
        empty = 0 if count else empty + 1
    return total
