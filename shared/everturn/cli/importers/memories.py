"""Puts memories of an export into the store itself.

The API takes what is said now, not what was.
"""

from collections.abc import Callable
from typing import Final

from everturn.cli.importers.export_files import FoundMemory
from everturn.cli.output.memory_lines import named
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.stored_files import open_parts, scope_of

Placing = Callable[[FoundMemory], str]
"""Stores one memory where none is; returns the line that says what became of it."""

_STATES: Final = {
    "imported": "added",
    "forgotten": "left out, it was forgotten here",
    "forgotten there": "forgotten, as it was there",
    "of deleted conversations": "left out, what said it was deleted here",
}


def memories_into(choice: StoreChoice, target: Target) -> Placing:
    """Return what stores memories of a user in a store.

    Raises:
        MisconfiguredError: the store cannot be opened.
        InvalidRequestError: there can be no such user.
    """
    from everturn.memory.index.record_cache import MemoryCache
    from everturn.transfer.import_memory import import_memory

    parts, scope, cache = open_parts(choice)[0], scope_of(target), MemoryCache()

    def place(found: FoundMemory) -> str:
        done = import_memory(
            store=parts.data,
            derived=parts.derived,
            clock=parts.clock,
            entropy=parts.entropy,
            scope=scope,
            memory=found.memory,
            memories=cache,
        )
        which = named({"kind": done.memory.kind, "id": done.memory.rid})
        return f"memory {which}: {_STATES.get(done.status, done.status)}"

    return place
