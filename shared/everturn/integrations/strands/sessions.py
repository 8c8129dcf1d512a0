"""The session manager of Strands Agents on an Everturn: what an agent is given."""

from everturn.integrations.extras import extra

with extra("strands"):
    from strands.session.repository_session_manager import RepositorySessionManager
    from strands.types.agent import LocalAgent
    from strands.types.session import SessionMessage

from everturn.client import Everturn
from everturn.integrations.strands.names import conversation_of
from everturn.integrations.strands.repository import (
    AlreadyKeptError,
    EverturnSessionRepository,
)

__all__ = [
    "AlreadyKeptError",
    "EverturnSessionManager",
    "EverturnSessionRepository",
    "conversation_of",
]


class _InExchanges(EverturnSessionRepository):
    """Gives messages as an agent is to have them."""

    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **_: object
    ) -> list[SessionMessage]:
        return self.list_exchanges(session_id, agent_id, limit, offset)


class EverturnSessionManager(RepositorySessionManager):
    """Persists the agents, graphs and swarms of one session, message by message.

    Any number of processes may run the same session at once: each message is kept once, in the
    order of the commits, and the next process to open the session sees them all.
    """

    def __init__(self, session_id: str, client: Everturn, **kwargs: object) -> None:
        """Open a session, or begin it if there is none.

        Args:
            session_id: any text of 1 to 1,000 bytes without control characters.
            client: whose conversations these are; its caller closes it.
            **kwargs: for what Strands may add.

        Raises:
            SessionException: the session can be neither read nor begun.
        """
        self._repository = _InExchanges(client)
        try:
            super().__init__(session_id, self._repository, **kwargs)
        except AlreadyKeptError:
            # Another process began it between our look and our write: now it is there to be read.
            super().__init__(session_id, self._repository, **kwargs)

    def initialize(self, agent: LocalAgent, **kwargs: object) -> None:
        """Restore an agent, or keep it if the session does not have it yet."""
        try:
            super().initialize(agent, **kwargs)
        except AlreadyKeptError:
            # Another process made it meanwhile: it is restored, not kept a second time.
            self._latest_agent_message.pop(agent.agent_id)
            self._is_new_session = False
            super().initialize(agent, **kwargs)

    def delete_session(self, session_id: str) -> None:
        """Remove a session with all that its agents said and kept.

        Raises:
            SessionException: there is none.
        """
        self._repository.delete_session(session_id)
