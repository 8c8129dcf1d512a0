"""A `BaseChatMessageHistory` of LangChain whose messages are the turns of a conversation.

Not here: what a message is as a turn (integrations/langchain_turns.py).
"""

from collections.abc import Sequence
from typing import Final

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import BaseMessage

from everturn.client import AsyncEverturn, Everturn
from everturn.client.results import TurnPage
from everturn.errors import ConflictError, ConversationGoneError, InvalidRequestError, NotFoundError
from everturn.integrations.langchain_turns import (
    messages_of,
    turn_of_message,
    without_torn_start,
)

# What the server gives in one page at most.
_MAX_LAST: Final = 1_000
# Each failed try is another clear; so many in a row are no coincidence.
_MAX_TRIES: Final = 32


class EverturnChatMessageHistory(BaseChatMessageHistory):
    """A history that several chains and processes can write at once; nothing of theirs is lost.

    It keeps no messages itself: each read asks the server.
    """

    def __init__(
        self, session_id: str, client: Everturn | AsyncEverturn, *, last: int | None = None
    ) -> None:
        """Make a history of a conversation; nothing is sent yet.

        Args:
            session_id: the conversation's id: any characters, 1,024 bytes at most.
            client: whose it is says the client; the caller closes it. With an `Everturn` the
                asynchronous methods run in a thread; with an `AsyncEverturn` they are the only
                ones.
            last: read the newest so many messages only, 1 to 1,000; fewer where they would begin
                with results of tools whose call stands before them, or exceed 3 MiB.

        Raises:
            InvalidRequestError: `last` is out of range.
        """
        super().__init__()
        if last is not None and not 1 <= last <= _MAX_LAST:
            raise InvalidRequestError(f"out of range last={last}", field="last")
        self.session_id = session_id
        self.last = last
        self._client = client

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # the base names a variable
        """Read the messages, oldest first: one request for each 1,000 of them or 3 MiB.

        None where the session is unknown.

        Raises:
            EverturnError: the server does not answer, or refuses.
        """
        client = self._blocking
        try:
            if self.last is None:
                return messages_of(client.all_turns(self.session_id))
            return _opened(client.get_turns(self.session_id, last=self.last))
        except NotFoundError:
            return []

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages, all or none of them and side by side: one request.

        Raises:
            InvalidRequestError: more than 1,000 messages, or one is no JSON that can be kept.
            TooLargeError: a message is above 1 MiB, or all together above 3 MiB.
            UnavailableError: a clear is not complete yet, or there was no clear answer.
        """
        client, turns = self._blocking, [turn_of_message(message) for message in messages]
        if not turns:
            return
        for _ in range(_MAX_TRIES):
            try:
                client.append(self.session_id, turns)
            except ConversationGoneError:
                # Somebody cleared the history. Who creates the id first does not matter.
                client.create_conversation(self.session_id)
            else:
                return
        raise _cleared_always()

    def clear(self) -> None:
        """Delete all messages and what was learnt from them alone; the id can be used again.

        Raises:
            UnavailableError: not all is gone yet: the messages are, clear again for the rest.
        """
        client = self._blocking
        try:
            for _ in range(_MAX_TRIES):
                receipt = client.delete_conversation(self.session_id)
                if receipt.complete or receipt.failed:
                    break
        except NotFoundError:
            return
        # Created at once, the id takes the next messages in one request.
        client.create_conversation(self.session_id)

    async def aget_messages(self) -> list[BaseMessage]:
        """Read the messages, as `messages` does."""
        client = self._client
        if isinstance(client, Everturn):
            return await super().aget_messages()
        try:
            if self.last is None:
                turns = client.all_turns(self.session_id)
                return messages_of([turn async for turn in turns])
            return _opened(await client.get_turns(self.session_id, last=self.last))
        except NotFoundError:
            return []

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages, as `add_messages` does."""
        client = self._client
        if isinstance(client, Everturn):
            return await super().aadd_messages(messages)
        turns = [turn_of_message(message) for message in messages]
        if not turns:
            return None
        for _ in range(_MAX_TRIES):
            try:
                await client.append(self.session_id, turns)
            except ConversationGoneError:
                await client.create_conversation(self.session_id)
            else:
                return None
        raise _cleared_always()

    async def aclear(self) -> None:
        """Delete all messages, as `clear` does."""
        client = self._client
        if isinstance(client, Everturn):
            return await super().aclear()
        try:
            for _ in range(_MAX_TRIES):
                receipt = await client.delete_conversation(self.session_id)
                if receipt.complete or receipt.failed:
                    break
        except NotFoundError:
            return None
        await client.create_conversation(self.session_id)
        return None

    @property
    def _blocking(self) -> Everturn:
        if isinstance(self._client, Everturn):
            return self._client
        raise TypeError(
            "an AsyncEverturn is awaited alone: call the a... methods, or give an Everturn"
        )


def _opened(page: TurnPage) -> list[BaseMessage]:
    return messages_of(without_torn_start(page.turns) if page.orphan_tool else page.turns)


def _cleared_always() -> ConflictError:
    return ConflictError(f"the history is cleared again and again tries={_MAX_TRIES}")
