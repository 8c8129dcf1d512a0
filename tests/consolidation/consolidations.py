"""Consolidation over a store in memory.

An extractor that is planned, and what is stored after it.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from everturn.consolidation.consolidate_conversation import consolidate
from everturn.consolidation.outcome import Consolidated
from everturn.conversations.model.extraction_window import Window
from everturn.conversations.model.turn import Turn
from everturn.conversations.model.watermark import Watermark, parse_watermark
from everturn.errors import UnavailableError
from everturn.extraction.answers.findings import Extracted, Findings
from everturn.extraction.extractor import Extractor
from everturn.memory.model.codec import parse_memory
from everturn.memory.model.draft import MemoryDraft
from everturn.memory.model.memory import Memory
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.storage.budget import Budget
from everturn.storage.list_keys import list_all
from everturn.values.keys import memories_prefix, quarantine_prefix, staged_prefix, watermark_key
from scenarios.process import CONVERSATION
from scenarios.world import World


@dataclass
class PlannedExtractor:
    """Finds in each turn of a user what it says, as a fact; fails as it is told."""

    poison: Collection[str] = ()
    is_poisoned_by_context: bool = False
    is_broken: bool = False
    is_away: bool = False
    longest: int = 50
    dropped: int = 0
    tokens: int = 0
    suffix: str = ""
    meanwhile: Callable[[], object] = int
    windows: list[tuple[int, int]] = field(default_factory=list)
    probes: int = 0

    name: Final = "planned"
    costs_tokens: Final = True

    def fitting(self, window: Window) -> Window:
        """Return so many turns of it at most."""
        return window.until(min(window.first + self.longest, window.end))

    def extract(self, window: Window) -> Findings:
        """Say what the turns say."""
        self.windows.append((window.first, window.end))
        self.meanwhile()
        if self.is_away:
            raise UnavailableError("the model is away")
        read = (*(window.context if self.is_poisoned_by_context else ()), *window.turns)
        if self.is_broken or any(turn.text in self.poison for turn in read):
            return Findings("fail", tokens=self.tokens)
        found = tuple(_said(turn, self.suffix) for turn in window.turns if turn.role == "user")
        dropped = {"verbatim": self.dropped} if self.dropped else {}
        return Findings("ok", found, dropped, extractor=self.name, tokens=self.tokens)

    def works(self) -> bool:
        """Say whether it is broken."""
        self.probes += 1
        return not self.is_broken


def _said(turn: Turn, suffix: str) -> Extracted:
    draft = MemoryDraft("fact", f"{turn.text}{suffix}", provenance="derived")
    return Extracted(draft, turn.index, turn.index, turn.text)


def run(
    world: World,
    extractor: Extractor,
    *,
    data: ObjectStore | None = None,
    derived: ObjectStore | None = None,
    conversation_id: str = CONVERSATION,
    seconds: float = 60.0,
    daily_tokens: int = 0,
) -> Consolidated:
    """Consolidate a conversation as one worker does."""
    return consolidate(
        store=data or world.data,
        derived=derived or world.derived,
        clock=world.clock,
        entropy=world.entropy,
        scope=world.scope,
        conversation_id=conversation_id,
        extractor=extractor,
        budget=Budget(clock=world.clock, seconds=seconds),
        daily_tokens=daily_tokens,
    )


def mark_of(world: World, conversation_id: str = CONVERSATION) -> Watermark:
    """Return the stored watermark; that of the beginning without one."""
    stored = world.data.get(watermark_key(world.scope, conversation_id))
    if not isinstance(stored, StoredObject):
        return Watermark(conversation_id)
    return parse_watermark(stored.body)


def memories(world: World) -> dict[str, Memory]:
    """Return the stored memories by what they say; those that say nothing are left out."""
    found = {}
    for entry in list_all(world.data, memories_prefix(world.scope)):
        stored = world.data.get(entry.key)
        assert isinstance(stored, StoredObject)
        memory = parse_memory(stored.body, entry.key.rpartition("/")[2].removesuffix(".json"))
        if not memory.is_forgotten:
            found[memory.text] = memory
    return found


def staged(world: World, conversation_id: str = CONVERSATION) -> list[str]:
    """Return the keys of what is staged."""
    prefix = staged_prefix(world.scope, conversation_id)
    return [entry.key for entry in list_all(world.data, prefix)]


def set_aside(world: World, conversation_id: str = CONVERSATION) -> list[str]:
    """Return the keys of the turns that were set aside."""
    prefix = quarantine_prefix(world.scope, conversation_id)
    return [entry.key for entry in list_all(world.data, prefix)]


def staged_from(key: str) -> int:
    """Return the first turn of what is staged at a key."""
    return int(key.rpartition("/")[2].removesuffix(".json"))
