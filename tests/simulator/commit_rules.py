"""What a write may do to a conversation, judged at the instant when it is done."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

from everturn.conversations.model import write_ring
from everturn.conversations.model.segment_refs import tiles
from everturn.conversations.model.turn import TurnDraft
from everturn.values.go_json import JsonObject
from everturn.values.timestamps import parse_time
from simulator.calls import Call, Kind
from simulator.journal import Journal, Version

Rule = Callable[[Version, Version], Iterator[str]]


def said(draft: TurnDraft, value: JsonObject) -> bool:
    """Say whether a stored turn is this draft; a time left out is anybody's."""
    expected = draft.value(draft.ts or str(value.get("ts")))
    return value == expected


class CommitRules:
    """Judges each write; `broken` says in words what was wrong."""

    def __init__(self, journal: Journal) -> None:
        """Judge what this journal notes."""
        self.broken: list[str] = []
        self._journal = journal
        self._by_key: dict[tuple[str, str, int], list[int]] = defaultdict(list)
        """Ticks at which the turns of an idempotency key were appended in one life."""
        self._rules: Mapping[Kind, Rule] = {
            "append": self._append,
            "create": _create,
            "patch": _patch,
            "redact": _redact,
            "pop": _pop,
            "delete": _delete,
            "sweep": _sweep,
        }

    def wrote(self, key: str, call: Call) -> None:
        """Judge a write that was just done."""
        change = self._journal.wrote(key, call)
        problems = [f"segment missing: {name}" for name in self._journal.missing()]
        if change is not None:
            before, after = change
            problems += self._rules[call.kind](before, after)
            problems += _any(before, after)
        self.broken += [f"{call.name} {problem}" for problem in problems]

    def _append(self, before: Version, after: Version) -> Iterator[str]:
        call, kept = after.call, len(before.turns)
        call.commits += 1
        if call.commits > 1:
            yield "turns appended twice by one call"
        # What was empty for a day is as if it never was.
        was_swept = before.head is None and before.call.kind == "sweep"
        if before.life and not before.is_live and not was_swept:
            yield "turns appended to what was deleted"
        if after.turns[:kept] != before.turns:
            yield "an append changed turns that were there"
        new = after.turns[kept:]
        if len(new) != len(call.drafts) or not all(map(said, call.drafts, new)):
            yield "other turns than sent, or a batch torn"
        if call.expected not in {None, kept}:
            yield f"appended to {kept} turns, expected {call.expected}"
        if after.updated_ns <= before.updated_ns:
            yield "updated did not go on"
        if call.key is not None:
            yield from self._keyed(call.key, before, after)

    def _keyed(self, key: str, before: Version, after: Version) -> Iterator[str]:
        ticks = self._by_key[after.call.conversation_id, key, after.life]
        ticks.append(after.tick)
        if len(ticks) > 1:
            versions = self._journal.versions[after.call.conversation_id]
            between = sum(ticks[-2] < version.tick <= before.tick for version in versions)
            if between < write_ring.RING_ENTRIES:
                yield f"turns of one key appended twice, {between} writes between"


def _any(before: Version, after: Version) -> Iterator[str]:
    head = after.head
    if head is None:
        return
    if head.sealed and not tiles(head.sealed.segments):
        yield "segments do not tile"
    if head.turn_count != len(after.turns) and after.is_live:
        yield f"turn_count={head.turn_count} turns={len(after.turns)}"
    if after.updated_ns < before.updated_ns:
        yield "updated went back"
    times = [parse_time(str(value.get("ts"))) or 0 for value in after.turns]
    if after.updated_ns < max(times, default=0):
        yield "updated is below a ts"


def _create(before: Version, after: Version) -> Iterator[str]:
    after.call.commits += 1
    if after.call.commits > 1:
        yield "created twice by one call"
    if before.is_live or not before.is_done:
        yield "created over what was there"
    if after.turns or not after.is_live or after.updated_ns <= before.updated_ns:
        yield "created with turns or without going on in time"


def _patch(before: Version, after: Version) -> Iterator[str]:
    if not before.is_live or not after.is_live or after.life != before.life:
        yield "a patch made or ended a life"
    if after.turns != before.turns:
        yield "a patch changed turns"
    if after.updated_ns != before.updated_ns + 1:
        yield "a patch did not go on by one nanosecond"


def _redact(before: Version, after: Version) -> Iterator[str]:
    index = after.call.index
    if not before.is_live or not after.is_live:
        yield "a redaction made or ended a life"
    if len(after.turns) != len(before.turns) or index >= len(before.turns):
        yield "a redaction changed the count"
        return
    for number, (old, new) in enumerate(zip(before.turns, after.turns, strict=True)):
        if number != index and old != new:
            yield f"turn {number} changed by a redaction of {index}"
    old, new = before.turns[index], after.turns[index]
    if (old["role"], old["ts"]) != (new["role"], new["ts"]) or "metadata" in new or new == old:
        yield "a redacted turn does not look like one"


def _pop(before: Version, after: Version) -> Iterator[str]:
    after.call.commits += 1
    if after.call.commits > 1:
        yield "popped twice by one call"
    if not before.is_live or not after.is_live:
        yield "a pop made or ended a life"
    if after.turns != before.turns[:-1] or len(before.turns) != after.call.expected:
        yield f"popped {len(before.turns)} to {len(after.turns)}, expected {after.call.expected}"


def _delete(before: Version, after: Version) -> Iterator[str]:
    after.call.commits += before.is_live
    if after.call.commits > 1:
        yield "one delete ended two lives"
    if after.is_live or after.turns:
        yield "deleted, and still there"


def _sweep(before: Version, after: Version) -> Iterator[str]:
    if after.is_live or after.turns or (before.is_live and before.turns):
        yield "a sweep wrote turns or removed them"
