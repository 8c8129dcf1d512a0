"""Chat message histories for LangChain; needs the extra `langchain`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.langchain.history import EverturnChatMessageHistory

__all__ = ["EverturnChatMessageHistory"]

__getattr__ = lazy_names(__name__, {"EverturnChatMessageHistory": "history"})
