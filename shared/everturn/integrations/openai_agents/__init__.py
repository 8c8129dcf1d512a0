"""Sessions of the OpenAI Agents SDK; needs the extra `openai`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.openai_agents.session import EverturnSession

__all__ = ["EverturnSession"]

__getattr__ = lazy_names(__name__, {"EverturnSession": "session"})
