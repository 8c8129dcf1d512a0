"""The file of an extraction that is decided and not applied yet.

{"conversation_id", "first", "end", "hashes": of the turns that it covers, in one string,
 "extractor", "memories": [{"kind", "statement" | "spec", "subject", ...}]}
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from everturn.conversations.model.watermark import turn_hashes
from everturn.errors import CorruptRecordError
from everturn.extraction.answers.findings import Extracted
from everturn.memory.model.draft import MemoryDraft
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.memory_kind import Provenance

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
