"""What a write of a worker may do, judged at the instant when it is done."""

from collections.abc import Iterator, Sequence

from everturn.adapters.memory_store import MemoryStore
from everturn.consolidation.files import Staged, parse_staged
from everturn.conversations.model.encoded_turns import is_redacted
from everturn.conversations.model.watermark import Watermark, parse_watermark, turn_hash
from everturn.extraction.answers.findings import Extracted
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.draft import new_memory
from everturn.ports.object_store import StoredObject
from everturn.values.go_json import JsonObject
from everturn.values.keys import (
    head_key,
    memory_key,
    quarantine_key,
    staged_key,
    staged_prefix,
    watermark_key,
)
from fakes.wrapped_store import Verb
from simulator.calls import Call
from simulator.deliveries import Delivery, Reading, Thread
from simulator.journal import Journal, Version
from simulator.timeline import Timeline


class DeliveryRules:
    """Judges each write; `broken` says in words what was wrong."""

    def __init__(self, store: MemoryStore, threads: Sequence[Thread], timeline: Timeline) -> None:
        """Judge what is written to this store."""
        self.broken: list[str] = []
        self.readings: list[Reading] = []
        self.deliveries: list[Delivery] = []
        self.posthumous: set[str] = set()
        """Keys of memories that were written after their worker had ended."""
        self.edited: set[Thread] = set()
        """Conversations that did not only grow."""
        self._store, self._timeline = store, timeline
        scopes = {thread.scope for thread in threads}
        self._journals = {
            scope: Journal(store, scope, tuple(one.id for one in threads if one.scope == scope))
            for scope in scopes
        }
        self._marks = {watermark_key(*thread): thread for thread in threads}
        self._staged = {staged_prefix(*thread) for thread in threads}
        self._heads = {head_key(*thread): thread for thread in threads}
        self._known = {thread: Watermark(thread.id) for thread in threads}
        self._floors = dict.fromkeys(threads, 1_000_000)
        """The fewest turns that a conversation had after some were taken back."""

    def version(self, thread: Thread) -> Version:
        """Return a conversation as it is."""
        return self._journals[thread.scope].versions[thread.id][-1]

    def turn_count(self, thread: Thread) -> int:
        """Return how many turns it has; 0 where it is not there."""
        version = self.version(thread)
        return len(version.turns) if version.is_live else 0

    def turn(self, thread: Thread, number: int) -> JsonObject | None:
        """Return a turn that somebody said and nobody took back."""
        version = self.version(thread)
        if not version.is_live or number >= len(version.turns):
            return None
        return None if is_redacted(version.turns[number]) else version.turns[number]

    def mark(self, thread: Thread) -> Watermark:
        """Return how far it is consolidated."""
        return self._known[thread]

    def begins(self, delivery: Delivery) -> None:
        """Note that a worker begins with a job."""
        self.deliveries.append(delivery)

    def wrote(self, verb: Verb, key: str, call: Call) -> None:
        """Judge a write that was just done."""
        for journal in self._journals.values():
            change = journal.wrote(key, call)
            if change is not None:
                self._edit(self._heads[key], *change)
        if key.startswith("m/") and (call.crashed or _has_ended(call)):
            self.posthumous.add(key)
        folder, _, name = key.rpartition("/")
        if f"{folder}/" in self._staged and verb == "put" and isinstance(call, Delivery):
            first = int(name.removesuffix(".json"))
            call.staged.append((self._timeline.now_ns, first))
        if key in self._marks:
            thread = self._marks[key]
            self.broken += [f"{call.name} {problem}" for problem in self._moved(thread, key)]
            if isinstance(call, Delivery):
                call.moved.append((self._timeline.now_ns, self._known[thread].turns))

    def is_applied(self, thread: Thread, number: int, mark: Watermark | None = None) -> bool:
        """Say whether all is stored that was decided for a turn, if anything has to be.

        Args:
            thread: whose turn.
            number: which.
            mark: the watermark that was just passed, if one was: it may say what was decided.
        """
        turn = self.turn(thread, number)
        if turn is None or turn["role"] != "user":
            return True
        if self._store.get(quarantine_key(thread.scope, thread.id, number)) is not None:
            return True
        decided = None if mark is None else self._decided(thread, mark)
        if decided is not None and number < decided.end:
            return all(self._says(thread, one) for one in decided.memories if _of(one, number))
        return any(
            all(self._says(thread, one) for one in reading.found if _of(one, number))
            for reading in self.readings
            if reading.usable
            and reading.thread == thread
            and reading.texts.get(number) == turn["text"]
        )

    def _edit(self, thread: Thread, before: Version, after: Version) -> None:
        kept = len(before.turns)
        if after.life != before.life or not after.is_live or after.turns[:kept] != before.turns:
            if before.life:
                self.edited.add(thread)
            self._floors[thread] = min(self._floors[thread], len(after.turns))

    def _moved(self, thread: Thread, key: str) -> Iterator[str]:
        stored = self._store.get(key)
        before, after = self._known[thread], Watermark(thread.id)
        if isinstance(stored, StoredObject):
            after = parse_watermark(stored.body)
        elif self.version(thread).is_live and thread not in self.edited:
            yield "the watermark of a conversation that is there was removed"
        self._known[thread] = after
        is_edited = thread in self.edited
        least = min(before.turns, self._floors[thread]) if is_edited else before.turns
        if after.turns < least:
            yield f"the watermark went back {before.turns} to {after.turns}"
        if not is_edited and after.turns > len(self.version(thread).turns):
            yield "the watermark is past the head"
        passed = None if is_edited else before
        for number in range(0 if is_edited else before.turns, after.turns):
            if self._is_of(thread, number, after) and not self.is_applied(thread, number, passed):
                yield f"the watermark is past turn {number}, which is not applied"

    def _is_of(self, thread: Thread, number: int, mark: Watermark) -> bool:
        """Say whether a watermark means the turn that is there."""
        turn = self.turn(thread, number)
        return turn is not None and turn_hash(turn) == mark.hashes[number - mark.first]

    def _decided(self, thread: Thread, mark: Watermark) -> Staged | None:
        stored = self._store.get(staged_key(thread.scope, thread.id, mark.turns))
        staged = parse_staged(stored.body) if isinstance(stored, StoredObject) else None
        return staged if staged and mark.applying and staged.digest == mark.decided else None

    def _says(self, thread: Thread, one: Extracted) -> bool:
        key = memory_key(thread.scope, new_memory(one.draft).rid)
        stored = self._store.get(key)
        if not isinstance(stored, StoredObject):
            return False
        memory = parse_memory(stored.body, key.rpartition("/")[2].removesuffix(".json"))
        return any(
            (mention.first_turn, mention.quote) == (one.first_turn, one.quote)
            for source in memory.sources
            if source.conversation_id == thread.id
            for mention in source.mentions
        )


def _of(one: Extracted, number: int) -> bool:
    return one.first_turn == number


def _has_ended(call: Call) -> bool:
    return isinstance(call, Delivery) and call.ended_ns is not None
