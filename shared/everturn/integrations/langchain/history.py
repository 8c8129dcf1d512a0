"""A `BaseChatMessageHistory` of LangChain whose messages are the turns of a conversation."""

from collections.abc import Sequence

from everturn.integrations.extras import extra

with extra("langchain"):
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import BaseMessage

from everturn.client import MAX_PAGE
from everturn.client.calls.call import Plan
from everturn.client.calls.conversations import create_conversation
from everturn.client.calls.turns import all_turns, get_turns
from everturn.errors import InvalidRequestError, NotFoundError
from everturn.integrations.langchain.turns import messages_of, turn_of_message, without_torn_start
from everturn.integrations.plans import Client, appended, arun, deleted, gathered, run
from everturn.wire.conversations import Turn, TurnPage


class EverturnChatMessageHistory(BaseChatMessageHistory):
    """A history that several chains and processes can write at once; nothing of theirs is lost.

    It keeps no messages itself: each read asks the server.
    """

    def __init__(self, session_id: str, client: Client, *, last: int | None = None) -> None:
        """Make a history of a conversation; nothing is sent yet.

        Args:
            session_id: the conversation's id: any characters, 1,024 bytes at most.
            client: whose it is says the client; the caller closes it. With an `Everturn` the
                asynchronous methods run in a thread; with an `AsyncEverturn` they are the only
                ones: the others raise InvalidRequestError.
            last: read the newest so many messages only, 1 to 1,000; fewer where they would begin
                with results of tools whose call stands before them, or exceed 3 MiB.

        Raises:
            InvalidRequestError: `last` is out of range.
        """
        super().__init__()
        if last is not None and not 1 <= last <= MAX_PAGE:
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
        return run(self._client, self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages, all or none of them and side by side: one request.

        Raises:
            InvalidRequestError: more than 1,000 messages, or one is no JSON that can be kept.
            TooLargeError: a message is above 1 MiB, or all together above 3 MiB.
            UnavailableError: a clear is not complete yet, or there was no clear answer.
        """
        run(self._client, self._add(messages))

    def clear(self) -> None:
        """Delete all messages and what was learnt from them alone; the id can be used again.

        Raises:
            UnavailableError: not all is gone yet: clear again. With `best_effort` too.
        """
        run(self._client, self._clear())

    async def aget_messages(self) -> list[BaseMessage]:
        """Read the messages, as `messages` does."""
        return await arun(self._client, self._read())

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages, as `add_messages` does."""
        await arun(self._client, self._add(messages))

    async def aclear(self) -> None:
        """Delete all messages, as `clear` does."""
        await arun(self._client, self._clear())

    def _read(self) -> Plan[list[BaseMessage]]:
        try:
            if self.last is None:
                return messages_of((yield from gathered(all_turns(self.session_id))))
            return messages_of(_opened((yield get_turns(self.session_id, last=self.last))))
        except NotFoundError:
            return []

    def _add(self, messages: Sequence[BaseMessage]) -> Plan[None]:
        if messages:
            yield from appended(self.session_id, [turn_of_message(one) for one in messages])

    def _clear(self) -> Plan[None]:
        receipt = yield from deleted(self.session_id)
        if receipt.deleted:
            # Created at once, the id takes the next messages in one request.
            yield create_conversation(self.session_id)


def _opened(page: TurnPage) -> Sequence[Turn]:
    return without_torn_start(page.turns) if page.orphan_tool else page.turns
