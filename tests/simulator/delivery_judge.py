"""What is right when all is over: nothing unread, nothing twice, nothing of what is gone."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from everturn.memory.model.codec import parse_memory
from everturn.memory.model.memory import Memory
from everturn.memory.model.source import Mention
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.storage.list_keys import list_all
from everturn.values.keys import (
    memories_prefix,
    quarantine_prefix,
    segments_prefix,
    staged_prefix,
    vectors_prefix,
    watermark_key,
)
from simulator.deliveries import Reading, Thread
from simulator.machines import Site


def judge_promises(site: Site) -> Iterator[str]:
    """Say which turns were not read though a job or a marker stood for them: without a sweep."""
    for thread, promised in site.promised.items():
        read = site.rules.mark(thread).turns
        if thread not in site.rules.edited and read < promised:
            yield f"{thread.id}: {promised} turns were promised to be read, {read} are"


def judge_end(site: Site) -> Iterator[str]:
    """Say what is wrong in the end."""
    for thread in site.plan.threads:
        if site.rules.version(thread).is_live:
            yield from _unread(site, thread)
        else:
            yield from _left(site, thread)
        yield from _staged(site, thread)
    for scope in {thread.scope for thread in site.plan.threads}:
        threads = [thread for thread in site.plan.threads if thread.scope == scope]
        yield from _Memories(site, threads).problems()
    yield from _read_twice(site)


def _unread(site: Site, thread: Thread) -> Iterator[str]:
    turns = list(site.rules.version(thread).turns)
    mark = site.rules.mark(thread)
    held = mark.held_by(turns[mark.first :])
    if held.turns != len(turns):
        yield f"{thread.id}: {held.turns} of {len(turns)} turns are consolidated"
    for number in range(len(turns)):
        if not site.rules.is_applied(thread, number):
            yield f"{thread.id}: turn {number} is not applied"


def _left(site: Site, thread: Thread) -> Iterator[str]:
    """Name what is left of a conversation that is not there."""
    places = (segments_prefix, staged_prefix, quarantine_prefix, watermark_key)
    for place in places:
        for entry in list_all(site.data, place(*thread)):
            yield f"{thread.id} is gone and left {entry.key}"
    for entry in list_all(site.derived, vectors_prefix(*thread)):
        yield f"{thread.id} is gone and left {entry.key}"
    version = site.rules.version(thread)
    if not version.is_done:
        yield f"{thread.id}: its deletion is not finished"


def _staged(site: Site, thread: Thread) -> Iterator[str]:
    # Of a pop that was not told to be complete something may be left until the next turn is read.
    if thread not in {one for one, _ in site.unfinished}:
        for entry in list_all(site.data, staged_prefix(*thread)):
            yield f"{thread.id} left {entry.key}"


class _Memories:
    """The memories of one scope, and what its conversations said of them."""

    def __init__(self, site: Site, threads: list[Thread]) -> None:
        """Read all of them."""
        self._site, self._rules = site, site.rules
        self._threads = {thread.id: thread for thread in threads}
        self._all = list(_memories(site.data, memories_prefix(threads[0].scope)))
        self._cited: dict[tuple[Thread, int], set[str]] = defaultdict(set)

    def problems(self) -> Iterator[str]:
        """Say what is wrong with them."""
        for key, memory in self._all:
            yield from self._counted(memory)
            for source in memory.sources:
                thread = self._threads[source.conversation_id or ""]
                for mention in source.mentions:
                    self._cited[thread, mention.first_turn or 0].add(memory.statement)
                    if key not in self._rules.posthumous:
                        yield from self._dead(memory, thread, mention)
        for (thread, number), statements in self._cited.items():
            if thread not in self._rules.edited:
                yield from self._mixed(thread, number, statements)

    def _counted(self, memory: Memory) -> Iterator[str]:
        conversations = [source.conversation_id for source in memory.sources]
        if len(set(conversations)) != memory.count:
            yield f"{memory.statement!r} counts a source twice: {conversations}"
        for source in memory.sources:
            turns = [mention.first_turn for mention in source.mentions]
            if len(turns) != len(set(turns)):
                yield f"{memory.statement!r} has one turn of {source.conversation_id} twice"

    def _dead(self, memory: Memory, thread: Thread, mention: Mention) -> Iterator[str]:
        number = mention.first_turn or 0
        turn = self._rules.turn(thread, number)
        is_gone = turn is None or mention.quote != turn["text"]
        # A pop that was not told to be complete cannot be sent again.
        if is_gone and (thread, number) not in self._site.unfinished:
            yield f"{memory.statement!r} cites turn {number} of {thread.id}, which is gone"

    def _mixed(self, thread: Thread, number: int, statements: set[str]) -> Iterator[str]:
        """Look for one reading that found all that is stored of a turn."""
        readings = [
            one
            for one in self._rules.readings
            if one.usable and one.thread == thread and number in one.texts
        ]
        if not any(statements <= one.found_in(number) for one in readings):
            yield f"what is stored of turn {number} of {thread.id} is of two readings: {statements}"


def _memories(store: ObjectStore, prefix: str) -> Iterator[tuple[str, Memory]]:
    for entry in list_all(store, prefix):
        stored = store.get(entry.key)
        assert isinstance(stored, StoredObject)
        rid = entry.key.rpartition("/")[2].removesuffix(".json")
        yield entry.key, parse_memory(stored.body, rid)


def _read_twice(site: Site) -> Iterator[str]:
    """Say which windows a model read again without a cause: see `_is_excused`."""
    windows: dict[tuple[Thread, int, str], list[Reading]] = defaultdict(list)
    for reading in site.rules.readings:
        if reading.usable and reading.thread not in site.rules.edited:
            windows[reading.window].append(reading)
    for (thread, first, _), readings in windows.items():
        for one, again in pairwise(readings):
            if not _is_excused(site, one, again):
                yield f"turns from {first} of {thread.id} are read again: {again.number}"


def _is_excused(site: Site, one: Reading, again: Reading) -> bool:
    """Say whether a second reading had to be.

    The first was lost, or two deliveries were at work at once, or a late write of a third one fell
    between.
    """
    if one.delivery is not again.delivery and one.delivery.overlaps(again.delivery):
        return True
    own = [(at_ns, first) for at_ns, first in one.delivery.staged if first == one.first]
    own += [(at_ns, turns) for at_ns, turns in one.delivery.moved if turns > one.first]
    if not any(one.began_ns <= at_ns <= again.began_ns for at_ns, _ in own):
        return True
    return any(
        one.delivery.began_ns <= at_ns <= again.began_ns
        for other in site.rules.deliveries
        if other.thread == one.thread and other is not one.delivery
        for at_ns, _ in other.moved
    )
