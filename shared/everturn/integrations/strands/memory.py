"""A `MemoryStore` of Strands Agents: long-term memories that are searched and added."""

import asyncio
from typing import Any, Final

from everturn.integrations.extras import extra

with extra("strands"):
    from strands.memory import ExtractionConfig, MemoryEntry, MemoryStore, SearchOptions

from everturn.client import Everturn
from everturn.wire.memories import Remembered

# As Strands' own stores do where neither caller nor store says how many.
_MAX_RESULTS: Final = 10
_KIND: Final = "fact"


class EverturnMemoryStore(MemoryStore):
    """Searches the memories of the client's user, and adds to them; safe under threads.

    A search finds what was said a minute ago as well: turns that no memory was made of yet.
    """

    def __init__(
        self,
        client: Everturn,
        *,
        name: str = "everturn",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: ExtractionConfig | bool | None = None,
    ) -> None:
        """Keep memories with a client, which stays its caller's to close.

        Args:
            client: whose memories these are.
            name: by which the tools of a `MemoryManager` name this store.
            description: what they say about it.
            max_search_results: at most so many entries a search, 10 if not given.
            writable: whether the tools may add.
            extraction: whether Strands asks a model for facts and adds them. Messages of an
                `EverturnSessionManager` need none of it, the server extracts from them.

        Raises:
            ValueError: `name` is blank, or `max_search_results` is below 1.
        """
        if not name.strip():
            raise ValueError("a store's name is not blank")
        self.name = name
        self.description = description
        self.max_search_results = _checked(max_search_results)
        self.writable = writable
        self.extraction = extraction
        self._client = client

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return what is relevant, the best first; nothing for a blank query.

        `metadata` of an entry holds its `uri`, `kind` and `score` (0 to 1).

        Raises:
            ValueError: `max_search_results` is below 1.
            EverturnError: it cannot be searched.
        """
        asked = _checked(options.get("max_search_results") if options else None)
        if not query.strip():
            return []
        top_k = asked or self.max_search_results or _MAX_RESULTS
        # In a thread: an agent that is called without a loop makes one of its own for each call.
        found = await asyncio.to_thread(self._client.retrieve, query, top_k=top_k)
        return [
            MemoryEntry(one.text, metadata={"uri": one.uri, "kind": one.kind, "score": one.score})
            for one in found.snippets
        ]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> Remembered:
        """Remember a statement; one that is known already counts once more at most.

        Args:
            content: the statement.
            metadata: its `kind` (`fact` if not given), `subject` and `importance` (0 to 10); a
                memory keeps nothing else of it.

        Raises:
            ValueError: the store is not writable, or `content` is blank.
            EverturnError: it cannot be remembered.
        """
        if not self.writable:
            raise ValueError("this store is not writable")
        if not content.strip():
            raise ValueError("a memory is not blank")
        known = {name: value for name, value in (metadata or {}).items() if name in _FIELDS}
        kind = known.pop("kind", _KIND)
        return await asyncio.to_thread(self._client.remember, kind, content, **known)


_FIELDS: Final = frozenset({"kind", "subject", "importance"})


def _checked(most: int | None) -> int | None:
    if most is not None and most < 1:
        raise ValueError("max_search_results must be at least 1")
    return most
