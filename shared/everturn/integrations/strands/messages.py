"""The messages of agents as turns: append, read, redact."""

from collections.abc import Mapping, Sequence
from typing import Any

from strands.types.exceptions import SessionException
from strands.types.session import SessionMessage

from everturn.client import MAX_PAGE, Everturn
from everturn.errors import NotFoundError
from everturn.integrations.plans import deleted
from everturn.integrations.strands.documents import Documents
from everturn.integrations.strands.exchanges import SeenMessage
from everturn.integrations.strands.names import conversation_of, redactions_place
from everturn.integrations.strands.turns import (
    after_of,
    message_of,
    redacted_message,
    redacted_text,
    redaction_of,
    turn_of,
)
from everturn.integrations.strands.values import object_of
from everturn.integrations.turn_pages import next_of
from everturn.wire.conversations import Turn


class Messages:
    """Reads and writes the messages of one client's agents; safe under threads."""

    def __init__(self, client: Everturn, documents: Documents) -> None:
        """Take the client whose messages these are, and the documents of their sessions."""
        self._client = client
        self._documents = documents

    def append(self, session_id: str, agent_id: str, message: SessionMessage) -> None:
        """Append a message in one request; its `message_id` becomes the number that it got."""
        conversation_id = conversation_of(session_id, agent_id)
        done = self._client.append(conversation_id, [turn_of(message)])
        if done.ignored:
            # Nothing in it can be seen, and a blank turn is none.
            done = self._client.append(conversation_id, [turn_of(message, whole=True)])
        if not done.failed:
            message.message_id = done.first_turn

    def read(
        self, session_id: str, agent_id: str, *, offset: int, limit: int | None, sure: bool = False
    ) -> list[SeenMessage]:
        """Return messages in the order of their commits; none of an agent that is not there.

        Args:
            session_id: which session.
            agent_id: whose.
            offset: how many of the oldest are left out.
            limit: at most so many; all if None.
            sure: raise where `best_effort` would go on with none.

        Raises:
            UnavailableError: some cannot be read. Part of them is never given for the whole.
        """
        turns = self._turns(conversation_of(session_id, agent_id), offset, limit, sure=sure)
        left: Mapping[str, Any] = {}
        if any(turn.redacted for turn in turns):
            left = object_of(self._documents.read(redactions_place(session_id, agent_id)))
        return [_message(turn, left) for turn in turns]

    def redact(self, session_id: str, agent_id: str, message: SessionMessage) -> None:
        """Put what is left of a message in its place: what it said is found nowhere any more.

        Raises:
            SessionException: there is no message with this number.
        """
        number = message.message_id
        old = self.read(session_id, agent_id, offset=number, limit=1, sure=True)
        if not old:
            raise SessionException(f"message does not exist message_id={number}")
        message.created_at = old[0].message.created_at
        conversation_id, text = conversation_of(session_id, agent_id), redacted_text(message)
        # First what it said goes: it is gone then, whatever fails after that.
        self._client.redact_turn(conversation_id, number, text=text)
        left = {str(number): redaction_of(message, old[0].after)}
        self._documents.change(
            redactions_place(session_id, agent_id), lambda others: {**object_of(others), **left}
        )

    def delete(self, session_id: str, agent_id: str) -> None:
        """Delete all messages of an agent.

        Raises:
            UnavailableError: some are left.
        """
        self._client.carry_out(deleted(conversation_of(session_id, agent_id)))

    def _turns(
        self, conversation_id: str, offset: int, limit: int | None, *, sure: bool
    ) -> Sequence[Turn]:
        turns: list[Turn] = []
        start: int | None = offset
        while start is not None and (limit is None or len(turns) < limit):
            asked = MAX_PAGE if limit is None else min(MAX_PAGE, limit - len(turns))
            try:
                page = self._client.get_turns(conversation_id, from_=start, limit=asked)
            except NotFoundError:
                return []
            turns += (page.sure() if sure or turns else page).turns
            start = next_of(page, start)
        return turns


def _message(turn: Turn, left: Mapping[str, Any]) -> SeenMessage:
    redaction = left.get(str(turn.index)) if turn.redacted else None
    if redaction is not None:
        return redacted_message(turn, redaction)
    return SeenMessage(message_of(turn), after_of(turn))
