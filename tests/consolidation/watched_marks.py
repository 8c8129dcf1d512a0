"""A store that watches watermarks: none goes back, none moves past what is not applied."""

import threading
from collections.abc import Callable

from consolidation.consolidations import staged_from
from everturn.consolidation.files import Staged, parse_staged
from everturn.conversations.model.watermark import Watermark, parse_watermark
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.draft import new_memory
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.values.keys import memory_key
from fakes.wrapped_store import Answer, Verb, WrappedStore
from scenarios.process import SCOPE


class WatchedMarks(WrappedStore):
    """Looks at each watermark that is written; `strays` says what was wrong with some."""

    def __init__(self, inner: ObjectStore) -> None:
        """Stand in front of `inner`."""
        super().__init__(inner)
        self.moves: list[tuple[str, int, int]] = []
        self.strays: list[str] = []
        self.decisions = 0
        self._lock = threading.RLock()

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb != "put" or not key.startswith("w/"):
            return send()
        with self._lock:
            mark = self._mark(key)
            before, staged = mark.turns, self._decided(key, mark)
            answer = send()
            after = self._mark(key).turns
            if after != before:
                self.moves.append((key, before, after))
                self._check(key, before, after, staged)
            return answer

    def _check(self, key: str, before: int, after: int, staged: Staged | None) -> None:
        self.decisions += staged is not None
        if after < before:
            self.strays.append(f"{key} went back from {before} to {after}")
        if staged is not None and after != staged.end:
            self.strays.append(f"{key} is at {after}, decided was up to {staged.end}")
        for one in staged.memories if staged else ():
            rid = new_memory(one.draft).rid
            stored = self._inner.get(memory_key(SCOPE, rid))
            if not isinstance(stored, StoredObject) or not parse_memory(stored.body, rid).sources:
                self.strays.append(f"{key} is at {after} without a memory of turn {one.first_turn}")

    def _mark(self, key: str) -> Watermark:
        stored = self._inner.get(key)
        return parse_watermark(stored.body) if isinstance(stored, StoredObject) else Watermark("")

    def _decided(self, key: str, mark: Watermark) -> Staged | None:
        """Return what is staged for the next window, if it counts: the watermark says so."""
        prefix = "x" + key[1:].removesuffix(".json") + "/"
        for found in self._inner.list(prefix).keys:
            stored = self._inner.get(found)
            if staged_from(found) == mark.turns and isinstance(stored, StoredObject):
                staged = parse_staged(stored.body)
                return staged if staged.digest == mark.decided else None
        return None
