"""The long-term store of LangGraph; needs the extra `langgraph`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.langgraph.store import EverturnStore

__all__ = ["EverturnStore"]

__getattr__ = lazy_names(__name__, {"EverturnStore": "store"})
