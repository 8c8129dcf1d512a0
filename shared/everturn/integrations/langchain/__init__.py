"""Chat message histories for LangChain; needs the extra `langchain`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.langchain.history import EverturnChatMessageHistory
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(__name__, {"EverturnChatMessageHistory": "history"})

__all__ = ["EverturnChatMessageHistory"]
