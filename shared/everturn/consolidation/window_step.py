"""Consolidate one window of a conversation: from the watermark a to a later one b.

    watermark a -> turns [a, b) -> staged extraction, or extract and stage it -> CAS a: applying
    -> apply -> CAS b

A job may be delivered twice, late, and to several workers at once, and each may end anywhere. What
was decided for a window is staged before any of it is applied, and the first one wins. The
watermark says so under compare-and-swap, and moves when all is applied.

Applied again it changes nothing: a source counts once. A call may end half-way and its turns be
taken back afterwards. The next call retracts what was made of them.
"""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from everturn.consolidation.files import ConsolidationFiles, Staged
from everturn.consolidation.outcome import DAILY_TOKENS, Consolidated
from everturn.consolidation.read_span import Stretch, read_stretch
from everturn.consolidation.retract_turns import (
    take_back_conversation,
    take_back_dead,
    take_back_lost,
)
from everturn.consolidation.token_quota import TokenUse
from everturn.conversations.model.extraction_window import Window
from everturn.conversations.model.turn_identity import time_of_turn
from everturn.conversations.model.watermark import Watermark, turn_hashes
from everturn.conversations.read_record import read_record
from everturn.conversations.read_watermark import StoredWatermark
from everturn.errors import (
    CorruptRecordError,
    InvalidRequestError,
    MisconfiguredError,
    StoreError,
    UnavailableError,
)
from everturn.extraction.answers.findings import Extracted, Findings
from everturn.extraction.extractor import Extractor
from everturn.memory.model.draft import SourceDraft, new_memory, new_source
from everturn.memory.model.memory import Memory
from everturn.memory.model.source import Source
from everturn.memory.remember_memory import saying
from everturn.memory.writer import Change, MemoryWriter
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import Etag, ObjectStore
from everturn.storage.swap import Patience
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class Applied:
    """How many memories were created, said once more, and refused."""

    created: int = 0
    reinforced: int = 0
    refused: int = 0


def apply_findings(
    memories: Iterable[Extracted],
    *,
    writer: MemoryWriter,
    conversation_id: str,
    values: Mapping[int, JsonValue],
) -> Applied:
    """Write memories, two requests each, one where nothing is new; see `take_back_dead` after it.

    Args:
        memories: what was found; one that may be none, or cannot be read, is refused.
        writer: writes memories of the scope.
        conversation_id: where it was found.
        values: the turns that are cited, as they are stored, by their numbers: what they say was
            said when they were.

    Raises:
        UnavailableError: no clear answer within ten seconds; apply all of them again.
    """
    created = reinforced = refused = 0
    now_ns = writer.clock.now_ns()
    for one in memories:
        source = SourceDraft(conversation_id, one.first_turn, one.last_turn, one.quote)
        try:
            new = new_memory(one.draft)
            said_ns = min(time_of_turn(values.get(one.last_turn)) or now_ns, now_ns)
            said = new_source(source, new, now_ns=said_ns)
            changed = writer.change(new.rid, _saying_once(new, said), doing="consolidate")
        except (InvalidRequestError, CorruptRecordError):
            # A file that cannot be read stays for an operator to look at; lists count it.
            refused += 1
            continue
        created += changed.created
        reinforced += changed.written and not changed.created
    return Applied(created, reinforced, refused)


def _saying_once(new: Memory, said: Source) -> Change:
    """Return the change that a source says it; where these turns said so before, there is none.

    Of a turn without a time, or ahead of the clock, each call would say it at another time.
    """
    say, place = saying(new, said), _places(said)

    def change(memory: Memory | None) -> Memory | None:
        known = memory.sources if memory is not None else ()
        is_known = any(one.ref == said.ref and place <= _places(one) for one in known)
        return memory if is_known else say(memory)

    return change


def _places(source: Source) -> set[tuple[int | None, int | None, str, str]]:
    return {(one.first_turn, one.last_turn, one.quote, one.said) for one in source.mentions}


# A window that got no answer so often may be too long for a slow model.
_PATIENT_FAILURES: Final = 2


@dataclass(slots=True)
class ConsolidationWork:
    """One call's work on one conversation."""

    store: ObjectStore
    derived: ObjectStore
    clock: Clock
    entropy: Entropy
    scope: Scope
    conversation_id: str
    extractor: Extractor
    tokens: TokenUse
    has_written: bool = False
    staged_at: int | None = None
    """The first turn of what may be staged and this call has to remove; None for nothing."""
    read: tuple[Window, Findings] | None = None
    """What was found last: a write that is done again asks no model again."""

    def next_window(self) -> Consolidated:
        """Do one window, or find that there is none.

        Raises:
            StoreError: somebody else changed what was read, or nothing is known of a write: do the
                same again.
        """
        known = self._files.watermark()
        found = read_record(
            store=self.store, scope=self.scope, conversation_id=self.conversation_id
        )
        if found is not None:
            # A job may know it by the token of its key alone.
            self.conversation_id = found.record.head.conversation_id
        if found is None or found.record.head.deleted is not None:
            take_back_conversation(
                self.conversation_id,
                writer=self._writer,
                derived=self.derived,
                patience=self._patience,
                is_tombstone=found is not None,
                has_written=self.has_written,
            )
            return Consolidated()
        if take_back_lost(known.mark, found, writer=self._writer, derived=self.derived):
            known = self._files.move(known, known.mark.before_applying())
        stretch = read_stretch(found, known.mark, store=self.store, scope=self.scope)
        if self.staged_at != stretch.mark.turns or not stretch.is_behind:
            # It came too late: others moved the watermark, or the turns are not there any more.
            self._unstage()
        done = self._window_of(stretch, known) if stretch.is_behind else Consolidated()
        return replace(done, turn_count=stretch.turn_count, lag=stretch.lag)

    @property
    def _files(self) -> ConsolidationFiles:
        return ConsolidationFiles(self.store, self.scope, self.conversation_id)

    def _window_of(self, stretch: Stretch, known: StoredWatermark) -> Consolidated:
        first = stretch.mark.turns
        staged, etag = self._files.staged(stretch.new, first=first)
        self.staged_at = self.staged_at if etag is None else first
        if staged is not None:
            return self._finish(staged, known, stretch)
        if self.extractor.costs_tokens and self.tokens.is_spent:
            # The sweep looks again, within an hour, at what was written to.
            self._note(known, stretch.mark)
            return Consolidated(behind=True, reason=DAILY_TOKENS)
        return self._read(known, stretch, stale=etag)

    def _read(
        self, known: StoredWatermark, stretch: Stretch, *, stale: Etag | None
    ) -> Consolidated:
        """Extract the next window, and do with it what the result asks for."""
        window = self.extractor.fitting(stretch.window())
        try:
            findings = self._found_in(window)
        except (UnavailableError, MisconfiguredError):
            is_patient = stretch.mark.failures < _PATIENT_FAILURES
            size = stretch.mark.size if is_patient else window.size // 2
            self._note(known, stretch.mark.after_failure(size=size))
            raise
        if findings.is_usable(window):
            staged = self._decided(findings, window, stretch, stale)
            self.tokens.add(findings.tokens)
            done = self._finish(staged, known, stretch)
        else:
            self.tokens.add(findings.tokens)
            done = self._ask_for_less(window, known, stretch)
        dropped = sum(findings.dropped.values())
        return replace(done, tokens=findings.tokens, dropped=done.dropped + dropped)

    def _found_in(self, window: Window) -> Findings:
        """Extract a window; one turn is asked about alone where it fails beside what was before.

        What was before it may be what cannot be read.
        """
        if not window.turns:
            return Findings("ok")
        if self.read is not None and self.read[0] == window:
            return replace(self.read[1], tokens=0)
        self.read = window, self._asked_about(window)
        return self.read[1]

    def _asked_about(self, window: Window) -> Findings:
        found = self._heard(window)
        if found.is_usable(window) or window.size > 1 or not window.context:
            return found
        return self._heard(replace(window, context=()), tokens=found.tokens)

    def _heard(self, window: Window, *, tokens: int = 0) -> Findings:
        """Extract a window, with tokens of an attempt before; what was paid for is counted."""
        try:
            found = self.extractor.extract(window)
        except (UnavailableError, MisconfiguredError):
            self.tokens.add(tokens)
            raise
        if found.unheard is not None:
            self.tokens.add(tokens + found.tokens)
            raise found.unheard
        return replace(found, tokens=tokens + found.tokens)

    def _decided(
        self, findings: Findings, window: Window, stretch: Stretch, stale: Etag | None
    ) -> Staged:
        """Stage what was found, if anything was; what somebody staged before comes first."""
        staged = Staged(
            self.conversation_id,
            window.first,
            window.end,
            "".join(turn_hashes(stretch.new[: window.size])),
            findings.extractor,
            findings.memories,
        )
        if not staged.memories:
            return staged
        self.staged_at = window.first
        return self._files.stage(staged, stretch.new, stale=stale, patience=self._patience)

    def _ask_for_less(
        self, window: Window, known: StoredWatermark, stretch: Stretch
    ) -> Consolidated:
        """Ask for less the next time; a turn that cannot be read alone is set aside."""
        if window.size > 1:
            self._files.move(known, stretch.mark.after_failure(size=window.size // 2))
            return Consolidated(behind=True)
        if not self.extractor.works():
            # It is no fault of the turn: nothing was read, and nothing is passed over.
            self._note(known, stretch.mark.after_failure(size=1))
            raise UnavailableError("the extractor answers nothing that can be used")
        self._files.set_aside(
            window.first, extractor=self.extractor.name, now_ns=self.clock.now_ns()
        )
        self._move_past(known, stretch, count=1)
        return Consolidated(turns=1, quarantined=1, behind=window.end < stretch.turn_count)

    def _finish(self, staged: Staged, known: StoredWatermark, stretch: Stretch) -> Consolidated:
        """Make memories of what was decided, and move the watermark."""
        count = staged.end - stretch.mark.turns
        if staged.memories:
            known = self._announced(staged, known, stretch)
        applied = self._make_memories(staged, stretch) if staged.memories else Applied()
        if applied is None:
            return Consolidated(behind=True)
        self._move_past(known, stretch, count=count)
        return Consolidated(
            windows=1,
            turns=count,
            created=applied.created,
            reinforced=applied.reinforced,
            dropped=applied.refused,
            behind=staged.end < stretch.turn_count,
        )

    def _announced(
        self, staged: Staged, known: StoredWatermark, stretch: Stretch
    ) -> StoredWatermark:
        """Let the watermark say what is being applied, if it does not say so yet."""
        wanted = stretch.mark.before_applying(staged.hashes, staged.digest)
        return known if known.mark == wanted else self._files.move(known, wanted)

    def _move_past(self, known: StoredWatermark, stretch: Stretch, *, count: int) -> None:
        self._files.move(known, stretch.mark.past(stretch.new[:count], now_ns=self.clock.now_ns()))
        self._unstage()

    def _unstage(self) -> None:
        if self.staged_at is not None:
            self._files.unstage(self.staged_at)
            self.staged_at = None

    @property
    def _patience(self) -> Patience:
        # Begun anew for each wait: a model may take longer than all of them together.
        return Patience(clock=self.clock, entropy=self.entropy)

    @property
    def _writer(self) -> MemoryWriter:
        return MemoryWriter(self.store, self.clock, self.entropy, self.scope)

    def _make_memories(self, staged: Staged, stretch: Stretch) -> Applied | None:
        """Make memories; None where the conversation was deleted meanwhile."""
        writer, values = self._writer, stretch.by_number
        self.has_written = True
        applied = apply_findings(
            staged.memories, writer=writer, conversation_id=self.conversation_id, values=values
        )
        is_there = take_back_dead(
            staged.memories,
            writer=writer,
            derived=self.derived,
            found=stretch.found,
            values=values,
        )
        return applied if is_there else None

    def _note(self, known: StoredWatermark, mark: Watermark) -> None:
        # For whoever looks, and for the size of the next try: what keeps it from going on is what
        # the caller hears of.
        with contextlib.suppress(StoreError, UnavailableError):
            self._files.move(known, mark)
