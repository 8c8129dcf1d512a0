"""Sessions of the OpenAI Agents SDK; needs the extra `openai`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.openai_agents.session import EverturnSession
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(__name__, {"EverturnSession": "session"})

__all__ = ["EverturnSession"]
