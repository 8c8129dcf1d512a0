"""Sessions and memory for the Google Agent Development Kit; needs the extra `adk`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.adk.memory import EverturnMemoryService
    from everturn.integrations.adk.sessions import EverturnSessionService
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(
        __name__, {"EverturnMemoryService": "memory", "EverturnSessionService": "sessions"}
    )

__all__ = ["EverturnMemoryService", "EverturnSessionService"]
