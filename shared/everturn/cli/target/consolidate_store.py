"""Consolidate conversations of a store in this process, with a line for each that had work."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import typer

from everturn.bootstrap.components import Backends, open_extractor
from everturn.cli.output.console import complain, note, printable, say
from everturn.cli.output.consolidation_lines import counted, extractor_words
from everturn.cli.output.errors import CliError, line_of
from everturn.cli.output.receipts import counts_line
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.stored_files import open_parts, scope_of
from everturn.consolidation.consolidate_conversation import consolidate as consolidate_one
from everturn.consolidation.outcome import DAILY_TOKENS, Consolidated
from everturn.conversations.read_record import read_live_record
from everturn.errors import EverturnError, MisconfiguredError
from everturn.listing.list_conversations import list_conversations
from everturn.storage.budget import Budget
from everturn.values.keys import Scope

if TYPE_CHECKING:
    from everturn.extraction.extractor import Extractor
    from everturn.settings.process import Settings

_PAGE: Final = 1_000
# So often a long conversation says how far it is.
_SECONDS: Final = 20.0
_REASONS: Final[dict[str, str]] = {DAILY_TOKENS: "the tokens of this day are used up"}
_INTERRUPTED: Final = 130
"""What a shell says of a program that Ctrl-C ended: 128 + SIGINT."""


def consolidate_store(choice: StoreChoice, target: Target, conversation_id: str | None) -> None:
    """Consolidate one conversation of a user, or all of them; one that fails stops no other.

    Raises:
        EverturnError: the store or the extractor cannot work, or the one conversation failed.
        CliError: some of all failed; each was named.
    """
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

    parts: Backends
    settings: "Settings"
    extractor: "Extractor"
    scope: Scope
    counts: Counter[str] = field(default_factory=lambda: Counter(conversations=0))
    failed: int = 0

    def listed(self) -> Iterator[str]:
        """Give the ids of all conversations of the user, newest first; unreadable ones failed."""
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
        read_live_record(store=self.parts.data, scope=self.scope, conversation_id=id_)
        self.consolidate(id_)

    def consolidate(self, id_: str) -> None:
        """Consolidate one up to its end; say what became of it."""
        done = self._to_its_end(id_)
        if done.turns or done.behind:
            say(f"{printable(id_)}: {_words(done)}")

    def _to_its_end(self, id_: str) -> Consolidated:
        done = self._for_a_while(id_)
        while done.behind and done.reason is None:
            note(f"{printable(id_)}: {done.turns} of {counted(done.turn_count, 'turn')} so far")
            done = done.and_then(self._for_a_while(id_))
        self.counts.update(conversations=int(done.turns > 0), behind=int(done.behind))
        return done

    def _for_a_while(self, id_: str) -> Consolidated:
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


def _words(done: Consolidated) -> str:
    words = f"{counted(done.turns, 'turn')} read, {done.created} remembered"
    if done.reinforced:
        words += f", {done.reinforced} known already"
    if done.quarantined:
        words += f", {counted(done.quarantined, 'turn')} set aside that could not be read"
    if done.behind:
        words += f", not at its end yet: {_REASONS.get(done.reason or '', done.reason)}"
    return words
