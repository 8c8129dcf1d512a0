"""Sessions and a memory store for Strands Agents; needs the extra `strands`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.strands.memory import EverturnMemoryStore
    from everturn.integrations.strands.names import conversation_of
    from everturn.integrations.strands.sessions import (
        EverturnSessionManager,
        EverturnSessionRepository,
    )
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "EverturnMemoryStore": "memory",
            "conversation_of": "names",
            "EverturnSessionManager": "sessions",
            "EverturnSessionRepository": "sessions",
        },
    )

__all__ = [
    "EverturnMemoryStore",
    "EverturnSessionManager",
    "EverturnSessionRepository",
    "conversation_of",
]
