"""Processes that recall, and what lies in the side index, seen without any service."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from everturn.ports.clock import Clock
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.index_files import decode_chunk
from everturn.recall.index.recall_request import Recalled, RecallRequest
from everturn.recall.index.turn_rows import TurnRows
from everturn.recall.language.terms import hash_of_text, matchable_text
from everturn.recall.recall_turns import recall_across, recall_turns
from everturn.values.keys import Scope
from fakes.fake_embedder import FakeEmbedder
from scenarios.process import CONVERSATION, Process
from scenarios.world import World

ASKED = RecallRequest("", top_k=100, budget_tokens=100_000)


@dataclass
class Recaller:
    """One process that recalls, warm from its first call on."""

    data: ObjectStore
    derived: ObjectStore
    clock: Clock
    scope: Scope
    embedder: Embedder = field(default_factory=FakeEmbedder)
    indexes: IndexCache = field(default_factory=IndexCache)
    fell_back: bool = False

    @property
    def choice(self) -> EmbedderChoice:
        """The embedder as it was chosen."""
        return EmbedderChoice(self.embedder, "fake", "of the test", self.fell_back)

    def recall(self, query: str, to: str = CONVERSATION, **changed: Any) -> Recalled:  # noqa: ANN401
        """Recall in one conversation; all that is found, unless `changed` says otherwise."""
        return recall_turns(
            data=self.data,
            derived=self.derived,
            scope=self.scope,
            clock=self.clock,
            embedder=self.choice,
            indexes=self.indexes,
            conversation_id=to,
            request=replace(ASKED, query=query, **changed),
        )

    def across(self, query: str, **changed: Any) -> Recalled:  # noqa: ANN401
        """Recall over the newest conversations."""
        return recall_across(
            data=self.data,
            derived=self.derived,
            scope=self.scope,
            clock=self.clock,
            embedder=self.choice,
            indexes=self.indexes,
            request=replace(ASKED, query=query, **changed),
        )


def recaller(
    world: World,
    embedder: Embedder | None = None,
    *,
    data: ObjectStore | None = None,
    derived: ObjectStore | None = None,
    scope: Scope | None = None,
) -> Recaller:
    """Start a process over the stores of a world, or over others in front of them."""
    return Recaller(
        data or world.data,
        derived or world.derived,
        world.clock,
        scope or world.scope,
        embedder or FakeEmbedder(),
    )


def talk(process: Process, count: int, *, start: int = 0) -> None:
    """Let conversations be written an hour apart, each about a port of its own."""
    for number in range(start, start + count):
        process.append(f"my port is {9_000 + number}", "I see", to=f"c{number:03d}")
        process.clock.sleep(3_600)


def lexical() -> FakeEmbedder:
    """Return an embedder whose vectors mean nothing: words alone are ranked."""
    return FakeEmbedder(semantic=False)


def texts(recalled: Recalled) -> list[str]:
    """Return the texts of the hits, best first."""
    return [hit.turn.text for hit in recalled.hits]


def numbers(recalled: Recalled) -> list[int]:
    """Return the numbers of the hits, best first."""
    return [hit.turn.index for hit in recalled.hits]


def passages(embedder: FakeEmbedder) -> list[str]:
    """Return the turns that were embedded, queries left out."""
    calls = zip(embedder.calls, embedder.purposes, strict=True)
    return [text for call, purpose in calls if purpose == "passage" for text in call]


def chunk_keys(world: World) -> list[str]:
    """Return the keys of all files of the side index."""
    return [entry.key for entry in world.derived.list("v/").entries]


def stored_rows(world: World) -> Iterator[TurnRows]:
    """Yield the rows of all files, whatever model they are of; each must be sound."""
    for key in chunk_keys(world):
        stored = world.derived.get(key)
        assert isinstance(stored, StoredObject)
        size = int.from_bytes(stored.body[:4], "little")
        header = json.loads(stored.body[4 : 4 + size])
        rows = decode_chunk(stored.body, model=header["model"], dimensions=header["dimensions"])
        assert rows is not None
        yield rows


def is_indexed(world: World, text: str) -> bool:
    """Say whether any stored row stands for a text."""
    own = hash_of_text(matchable_text(text))
    return any(own in rows.hashes.tolist() for rows in stored_rows(world))
