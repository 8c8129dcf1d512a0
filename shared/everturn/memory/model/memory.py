"""One long-term memory: a statement or a pattern, its sources, and what follows from them.

Counts, strength and times are made from the sources, so that an erased source leaves nothing
behind.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

from everturn.memory.model.identity import identity_of
from everturn.memory.model.pattern_spec import PatternSpec
from everturn.memory.model.source import FurtherSource, Mention, Outcome, Source, further
from everturn.memory.model.supersession import Replaces
from everturn.recall.language.terms import words_of
from everturn.values.memory_kind import USER, MemoryKind, Provenance

PROVEN_COVERAGE: Final = 3
"""A pattern that so many sources speak for is shown as a procedure."""

MAX_WHOLE_SOURCES: Final = 32
MAX_EARLIER: Final = 16
_FIRST_STRENGTH: Final = 0.5
_PER_SOURCE: Final = 0.1
_PER_OUTCOME: Final = {"success": 0.1, "partial": 0.0, "failure": -0.2}


@dataclass(frozen=True, slots=True)
class Promotion:
    """When a pattern became a skill, and of which name."""

    name: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class EarlierSpec:
    """What a pattern was according to an older source; `said` is the hash of its spec."""

    spec: PatternSpec
    said: str
    replaced_ns: int


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as it is stored; one that was forgotten keeps its id and what it replaced, no text.

    `sources` are oldest first, the newest 32 of all; `more` are the older ones. `replaces` are the
    statements in whose place this one came. `earlier` are the specs of a pattern that newer sources
    said otherwise, oldest first, 16 at most.
    """

    rid: str
    kind: MemoryKind
    statement: str = ""
    spec: PatternSpec | None = None
    subject: str = ""
    hard: bool = False
    importance: int = 5
    pinned: bool = False
    provenance: Provenance = "user_input"
    sources: tuple[Source, ...] = ()
    more: tuple[FurtherSource, ...] = ()
    valid_from_ns: int | None = None
    replaces: tuple[Replaces, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    promoted: Promotion | None = None
    earlier: tuple[EarlierSpec, ...] = ()
    forgotten_ns: int | None = None
    gone_ns: int | None = None
    """When its last source was taken back: then it is as if it had never been."""
    once_said_ns: tuple[int, ...] = ()
    """When one that was forgotten had been said: what it came in the place of stays replaced."""
    once_refs: tuple[str, ...] = ()
    """The sources that such a one had, and the keys of their requests."""
    write: str = field(default="", compare=False)
    """The id of the write that stored it: no two writes have the same bytes, nor the same etag."""

    @property
    def count(self) -> int:
        """How many different sources said it."""
        return len(self.sources) + len(self.more)

    @property
    def strength(self) -> float:
        """0 to 1: a half for the first source, a tenth for each other one, and how it went."""
        went = sum(_PER_OUTCOME[outcome.status] for outcome in self.outcomes)
        strength = _FIRST_STRENGTH + _PER_SOURCE * (self.count - 1) + went
        return round(min(max(strength, 0.0), 1.0), 3)

    @property
    def times_ns(self) -> tuple[int, ...]:
        """When its sources said it, in order."""
        times = chain.from_iterable(
            chain((one.times_ns for one in self.sources), (one.times_ns for one in self.more))
        )
        return tuple(sorted((*times, *self.once_said_ns)))

    @property
    def starts(self) -> tuple[tuple[int, int], ...]:
        """Since when it holds and when that was said, for each time that it was said, in order."""
        times = self.times_ns
        since = times if self.valid_from_ns is None else (self.valid_from_ns, *times[1:])
        return tuple(zip(since, times, strict=bool(times)))

    @property
    def first_seen_ns(self) -> int:
        """When it was said first."""
        return min(self.times_ns, default=0)

    @property
    def last_seen_ns(self) -> int:
        """When it was said last."""
        return max(self.times_ns, default=0)

    @property
    def is_forgotten(self) -> bool:
        """Whether nothing is left of it but its id."""
        return self.forgotten_ns is not None or self.is_gone

    @property
    def is_gone(self) -> bool:
        """Whether its sources were taken back, which keeps nobody from saying it again."""
        return self.gone_ns is not None

    @property
    def is_proven(self) -> bool:
        """Whether it is a pattern that enough sources speak for."""
        return self.kind == "pattern" and self.count >= PROVEN_COVERAGE

    @property
    def uri(self) -> str:
        """The name by which a snippet points to it."""
        return f"everturn://memory/{self.kind}/{self.rid}"

    @property
    def text(self) -> str:
        """What is matched, embedded and shown; whom it is about comes first where it is not clear.

        A statement that names its subject anywhere does so itself.
        """
        said = self.spec.line if self.spec else self.statement
        if self.is_of_user or set(words_of(self.subject)) <= set(words_of(said)):
            return said
        return f"{self.subject}: {said}"

    @property
    def is_of_user(self) -> bool:
        """Whether it is about the user."""
        return identity_of(self.subject) == USER

    @property
    def refs(self) -> tuple[str, ...]:
        """The names of its sources."""
        return (*(one.ref for one in self.sources), *(one.ref for one in self.more))

    @property
    def all_refs(self) -> tuple[str, ...]:
        """The names of all that left a trace in it: sources, outcomes, and what it is gone with."""
        outcomes = (one.ref for one in self.outcomes)
        gone = self.once_refs if self.is_gone else ()
        return tuple(dict.fromkeys((*self.refs, *outcomes, *gone)))

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the requests that said it, as far as they are known."""
        mentions = chain.from_iterable(source.mentions for source in self.sources)
        keys = (mention.key for mention in mentions if mention.key)
        return frozenset((*self.refs, *keys, *self.once_refs))

    def with_source(self, source: Source) -> "Memory":
        """Return the memory said by a source too; one that said it before counts once.

        Such a one keeps each time at which it did.
        """
        if any(one.ref == source.ref for one in self.sources):
            said = (one.again(source) if one.ref == source.ref else one for one in self.sources)
            return self._of(*said)
        times = (one.times_ns for one in self.more if one.ref == source.ref)
        before = [Mention(time_ns) for time_ns in chain.from_iterable(times)]
        whole = source.with_mentions((*before, *source.mentions)) or source
        return self._of(*self.sources, whole)

    def reinforced(
        self, again: "Memory", source: Source, importance: int | None = None
    ) -> "Memory":
        """Return the memory said once more, by a source, as `again`; what that adds stays.

        The steps of a newer source take the place of older ones, which stay among the earlier.
        """
        changed = replace(
            self._with_spec(again.spec, source),
            hard=self.hard or again.hard,
            pinned=self.pinned or again.pinned,
            importance=self.importance if importance is None else importance,
            valid_from_ns=again.valid_from_ns if self.valid_from_ns is None else self.valid_from_ns,
        )
        return changed.with_source(source)

    def _with_spec(self, spec: PatternSpec | None, source: Source) -> "Memory":
        if spec is None or self.spec is None or spec == self.spec:
            return self
        said = {one.said: one for one in self.earlier if one.said != source.said}
        if source.at_ns < self.last_seen_ns:
            said[source.said] = EarlierSpec(spec, source.said, source.at_ns)
            spec = self.spec
        else:
            said[self.said] = EarlierSpec(self.spec, self.said, source.at_ns)
        in_order = sorted(said.values(), key=lambda one: (one.replaced_ns, one.said))
        return replace(self, spec=spec, earlier=tuple(in_order[-MAX_EARLIER:]))

    @property
    def said(self) -> str:
        """16 hex digits that tell its spec from another, "" without one."""
        return self.spec.digest if self.spec else ""

    def _of(self, *sources: Source) -> "Memory":
        in_order = sorted(sources, key=lambda source: (source.at_ns, source.ref))
        cut = max(len(in_order) - MAX_WHOLE_SOURCES, 0)
        whole = {source.ref for source in sources}
        others = (one for one in self.more if one.ref not in whole)
        older = (*others, *map(further, in_order[:cut]))
        return replace(self, sources=tuple(in_order[cut:]), more=older)

    def with_outcome(self, outcome: Outcome) -> "Memory":
        """Return the memory with how it went according to one source; its last word counts."""
        last: dict[str, Outcome] = {}
        for one in sorted([*self.outcomes, outcome], key=lambda one: one.at_ns):
            last[one.ref] = one
        in_order = sorted(last.values(), key=lambda one: (one.at_ns, one.ref))
        return replace(self, outcomes=tuple(in_order))

    def forgotten(self, now_ns: int) -> "Memory":
        """Return what is left: its id, and by what it replaced others, which do not come back."""
        return Memory(
            self.rid,
            self.kind,
            valid_from_ns=self.valid_from_ns,
            replaces=self.replaces,
            forgotten_ns=now_ns,
            once_said_ns=self.times_ns,
            once_refs=tuple(sorted(self.keys)),
        )

    def gone(self, now_ns: int, refs: Iterable[str]) -> "Memory":
        """Return what is left when its last sources were taken back: that it went with them."""
        return Memory(self.rid, self.kind, gone_ns=now_ns, once_refs=tuple(refs))
