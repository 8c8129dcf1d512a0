"""Every version of every conversation that the store has held, and which call made it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from everturn.adapters.memory_store import MemoryStore
from everturn.conversations.model.head import Head, parse_record
from everturn.ports.object_store import StoredObject
from everturn.values.go_json import JsonObject
from everturn.values.keys import Scope, head_key, segment_key
from simulator.calls import Call


@dataclass(frozen=True, slots=True)
class Version:
    """A conversation from one tick to the next: its head, None if absent, and all its turns."""

    tick: int
    call: Call
    head: Head | None
    turns: tuple[JsonObject, ...]
    life: int
    """Counted from 1; deleted and created anew is another life."""

    @property
    def is_live(self) -> bool:
        """Whether it can be read."""
        return self.head is not None and self.head.deleted is None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left of it but a tombstone at most."""
        return self.head is None or self.head.is_done

    @property
    def updated_ns(self) -> int:
        """Its time, 0 while it never was."""
        return self.head.updated_ns if self.head else 0


class Journal:
    """The versions of some conversations; a tick is one write at the store, whichever."""

    def __init__(self, store: MemoryStore, scope: Scope, conversation_ids: tuple[str, ...]) -> None:
        """Begin with nothing there."""
        self.tick = 0
        self.versions = {
            id_: [Version(0, Call("nobody", id_), None, (), 0)] for id_ in conversation_ids
        }
        self._store, self._scope = store, scope
        self._ids = {head_key(scope, id_): id_ for id_ in conversation_ids}
        self._segments: dict[str, tuple[JsonObject, ...]] = {}

    def wrote(self, key: str, call: Call) -> tuple[Version, Version] | None:
        """Note a write; for one to a head the version before it and its own."""
        self.tick += 1
        if key not in self._ids:
            return None
        versions = self.versions[self._ids[key]]
        versions.append(self._version(key, call, versions[-1]))
        return versions[-2], versions[-1]

    def during(self, call: Call, conversation_id: str | None = None) -> list[Version]:
        """Return the versions that a conversation had from the beginning to the end of a call."""
        versions = self.versions[conversation_id or call.conversation_id]
        following = [version.tick for version in versions[1:]] + [self.tick + 1]
        return [
            version
            for version, end in zip(versions, following, strict=True)
            if version.tick <= call.ended and end > call.began
        ]

    def missing(self) -> Iterator[str]:
        """Yield the names of segments that a conversation needs and that are not there."""
        for conversation_id, versions in self.versions.items():
            head = versions[-1].head
            for ref in head.sealed.segments if head and head.sealed else ():
                key = segment_key(self._scope, conversation_id, ref.name)
                if self._store.get(key) is None:
                    yield ref.name

    def _version(self, key: str, call: Call, before: Version) -> Version:
        stored = self._store.get(key)
        if not isinstance(stored, StoredObject):
            return Version(self.tick, call, None, (), before.life)
        head = parse_record(stored.body, name=self._ids[key]).head
        turns: list[JsonObject] = []
        for ref in head.sealed.segments if head.sealed else ():
            turns += self._segment(segment_key(self._scope, self._ids[key], ref.name))
        turns += json.loads(stored.body)["turns"]
        begins = head.deleted is None and not before.is_live
        return Version(self.tick, call, head, tuple(turns), before.life + begins)

    def _segment(self, key: str) -> tuple[JsonObject, ...]:
        """Read a segment, which never changes; nothing where it is missing."""
        stored = self._store.get(key)
        if not isinstance(stored, StoredObject):
            return ()
        if key not in self._segments:
            self._segments[key] = tuple(json.loads(stored.body)["turns"])
        return self._segments[key]
