"""The long-term store of LangGraph; needs the extra `langgraph`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.langgraph.store import EverturnStore
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(__name__, {"EverturnStore": "store"})

__all__ = ["EverturnStore"]
