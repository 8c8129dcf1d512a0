"""Store the files of one conversation's consolidation: watermark, staged extractions, quarantine.

One call is one request, but for `stage` where another process stages the same turns.

A staged extraction is decided and not applied yet:

{"conversation_id", "first", "end", "hashes": of the turns that it covers, in one string,
 "extractor", "memories": [{"kind", "statement" | "spec", "subject", ...}]}
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from everturn.conversations.model.watermark import Watermark, turn_hashes
from everturn.conversations.read_watermark import StoredWatermark, read_watermark
from everturn.errors import CorruptRecordError, PreconditionFailedError
from everturn.extraction.answers.findings import Extracted
from everturn.memory.model.draft import MemoryDraft
from everturn.ports.object_store import ABSENT, ANY, Etag, ObjectStore, StoredObject
from everturn.storage.swap import RETRIED, Patience
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.keys import Scope, quarantine_key, staged_key, watermark_key
from everturn.values.memory_kind import Provenance
from everturn.values.timestamps import format_time

_DIGEST_CHARS: Final = 16


@dataclass(frozen=True, slots=True)
class Staged:
    """What was found in the turns `[first, end)`; `hashes` tell whether they are still the same."""

    conversation_id: str
    first: int
    end: int
    hashes: str
    extractor: str
    memories: tuple[Extracted, ...]

    def encode(self) -> bytes:
        """Return it as it is stored."""
        memories: list[JsonValue] = [_to_json(one) for one in self.memories]
        value: JsonObject = {
            "conversation_id": self.conversation_id,
            "first": self.first,
            "end": self.end,
            "hashes": self.hashes,
            "extractor": self.extractor,
            "memories": memories,
        }
        return dumps(value).encode()

    @property
    def digest(self) -> str:
        """16 hex digits that tell it from another extraction of the same turns."""
        return hashlib.sha256(self.encode()).hexdigest()[:_DIGEST_CHARS]

    def covers(self, values: Sequence[JsonValue]) -> bool:
        """Say whether it was found in these turns, which begin where it does, and none is gone."""
        return self.hashes == "".join(turn_hashes(values[: self.end - self.first]))

    def goes_on_from(self, values: Sequence[JsonValue]) -> bool:
        """Say whether it was found in these turns, all that are known, and in more after them."""
        known = "".join(turn_hashes(values))
        return len(known) < len(self.hashes) and self.hashes.startswith(known)


def _to_json(one: Extracted) -> JsonObject:
    draft = one.draft
    fields: JsonObject = {
        "kind": draft.kind,
        "statement": draft.statement,
        "spec": draft.spec,
        "subject": draft.subject,
        "importance": draft.importance,
        "provenance": draft.provenance,
        "from": one.first_turn,
        "to": one.last_turn,
        "quote": one.quote,
        "rule": one.rule or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def parse_staged(body: bytes) -> Staged:
    """Read what `encode` gave.

    Raises:
        CorruptRecordError: it is something else.
    """
    try:
        value = json.loads(body)
        return Staged(
            str(value["conversation_id"]),
            int(value["first"]),
            int(value["end"]),
            str(value["hashes"]),
            str(value["extractor"]),
            tuple(map(_extracted, value["memories"])),
        )
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise CorruptRecordError("a staged extraction cannot be read") from error


def _extracted(value: Any) -> Extracted:  # noqa: ANN401 - a JSON value of any shape
    draft = MemoryDraft(
        str(value["kind"]),
        statement=value.get("statement"),
        spec=value.get("spec"),
        subject=value.get("subject"),
        importance=value.get("importance"),
        provenance=cast("Provenance", value["provenance"]),
    )
    numbers = int(value["from"]), int(value["to"])
    return Extracted(draft, *numbers, str(value["quote"]), str(value.get("rule", "")))


@dataclass(frozen=True, slots=True)
class ConsolidationFiles:
    """Reads and writes the files of one conversation."""

    store: ObjectStore
    scope: Scope
    conversation_id: str

    def watermark(self) -> StoredWatermark:
        """Return how far it is; one that cannot be read counts as none, and is replaced."""
        return read_watermark(
            store=self.store, key=self._watermark_key, conversation_id=self.conversation_id
        )

    def move(self, known: StoredWatermark, mark: Watermark) -> StoredWatermark:
        """Replace the watermark that was read.

        Raises:
            PreconditionFailedError, GoneError: somebody else moved it.
            OutcomeUnknownError: no clear answer: read it again.
        """
        etag = self.store.put(self._watermark_key, mark.encode(), expect=known.etag or ABSENT)
        return StoredWatermark(mark, etag)

    def staged(
        self, values: Sequence[JsonValue], *, first: int
    ) -> tuple[Staged | None, Etag | None]:
        """Return what is staged for the turns from number `first` on, if it was found in these.

        And the version of what lies there, if anything does, be it of other turns.
        """
        found, etag = self._stored(first)
        # Of other turns, since redacted or in another life, it says nothing.
        return found if found is not None and found.covers(values) else None, etag

    def stage(
        self,
        staged: Staged,
        values: Sequence[JsonValue],
        *,
        stale: Etag | None,
        patience: Patience,
    ) -> Staged:
        """Stage what was found, or return what somebody else staged before: the first one wins.

        One request where nothing is there but what was `stale` when it was read.

        Raises:
            PreconditionFailedError: somebody else has read more turns: read the head again.
            UnavailableError: no clear answer within ten seconds.
        """
        key, etag = staged_key(self.scope, self.conversation_id, staged.first), stale
        is_first = True
        while True:
            try:
                if not is_first:
                    found, etag = self._stored(staged.first)
                    if found is not None and found.covers(values):
                        return found
                    if found is not None and found.goes_on_from(values):
                        break
                patience.check(doing="stage")
                self.store.put(key, staged.encode(), expect=etag or ABSENT)
            except RETRIED as error:
                is_first = False
                patience.wait(doing="stage", cause=error)
            else:
                return staged
        raise PreconditionFailedError("somebody else has read more turns")

    def _stored(self, first: int) -> tuple[Staged | None, Etag | None]:
        stored = self.store.get(staged_key(self.scope, self.conversation_id, first))
        if not isinstance(stored, StoredObject):
            return None, None
        try:
            return parse_staged(stored.body), stored.etag
        except CorruptRecordError:
            return None, stored.etag

    def unstage(self, first: int) -> None:
        """Remove what was staged for the turns from number `first` on, whatever is there."""
        self.store.delete(staged_key(self.scope, self.conversation_id, first), expect=ANY)

    def set_aside(self, turn: int, *, extractor: str, now_ns: int) -> None:
        """Note that a turn cannot be read by an extractor that reads others; holds no text."""
        value: JsonObject = {
            "conversation_id": self.conversation_id,
            "turn": turn,
            "extractor": extractor,
            "at": format_time(now_ns),
        }
        key = quarantine_key(self.scope, self.conversation_id, turn)
        try:
            self.store.put(key, dumps(value).encode(), expect=ABSENT)
        except PreconditionFailedError:
            # It was noted before: by a call that crashed, or in an earlier life of the id. A store
            # that answers so though nothing is there has another write in flight.
            if self.store.get(key) is None:
                raise

    @property
    def _watermark_key(self) -> str:
        return watermark_key(self.scope, self.conversation_id)
