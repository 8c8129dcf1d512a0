"""A LangChain `BaseChatMessageHistory` whose messages are the turns of a conversation."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from everturn.integrations.extras import extra

with extra("langchain"):
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import (
        AIMessage,
        BaseMessage,
        ChatMessage,
        FunctionMessage,
        HumanMessage,
        SystemMessage,
        ToolMessage,
        message_to_dict,
        messages_from_dict,
    )

from everturn.client import MAX_PAGE
from everturn.client.calls.call import Plan
from everturn.client.calls.conversations import create_conversation
from everturn.client.calls.turns import all_turns, get_turns
from everturn.errors import InvalidRequestError, NotFoundError
from everturn.integrations.call_texts import called
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


TurnFields: TypeAlias = dict[str, Any]

_TOOL: Final = "tool"
# A chunk is a kind of the message that it is a part of. ChatMessage says its role itself.
_ROLES: Final[Mapping[type[BaseMessage], str]] = {
    HumanMessage: "user",
    AIMessage: "assistant",
    SystemMessage: "system",
    ToolMessage: _TOOL,
    FunctionMessage: _TOOL,
}
# Limits of the server: a role of 64 characters, a name of 256.
_MAX_ROLE_CHARS: Final = 64
_MAX_NAME_CHARS: Final = 256

FOREIGN_CONTENT: Final = (KeyError, TypeError, ValueError)
"""What LangChain raises of a dictionary that is no message: without a type, of an unknown one, or
without the fields of its type (pydantic's errors are ValueErrors)."""


def turn_of_message(message: BaseMessage) -> TurnFields:
    """Return the turn that keeps a message: LangChain's own dictionary of it as content.

    Its text is the message's, or what it calls where it says nothing.
    """
    text = str(message.text) or "\n".join(_calls_of(message))
    turn: TurnFields = {"role": _role_of(message), "text": text}
    if message.name and len(message.name) <= _MAX_NAME_CHARS:
        turn["name"] = message.name
    return {**turn, "content": message_to_dict(message)}


def messages_of(turns: Iterable[Turn]) -> list[BaseMessage]:
    """Return the messages that turns keep, in their order.

    A turn that was redacted with other words, or whose content is none, is a message of its text;
    a redaction without words leaves none. Models refuse a call without its result and a result
    without its call, so a redacted result keeps its place, and those of a redacted call go with it.
    """
    kept = [(turn, _kept_message(turn)) for turn in turns]
    answered = {message.tool_call_id for _, message in kept if isinstance(message, ToolMessage)}
    messages: list[BaseMessage] = []
    waiting: list[str] = []
    is_call_gone = False
    for turn, message in kept:
        if turn.role == _TOOL:
            if message is None and waiting:
                messages.append(ToolMessage(turn.text, tool_call_id=waiting.pop(0)))
            elif message is not None and not is_call_gone:
                messages.append(message)
            continue
        is_call_gone = message is None and turn.redacted
        waiting = [id_ for id_ in _call_ids(message) if id_ not in answered]
        shown = message or _message_of_text(turn)
        messages += [shown] if shown else []
    return messages


def without_torn_start(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Leave out results at the beginning: their calls are not among the turns."""
    first = next((at for at, turn in enumerate(turns) if turn.role != _TOOL), len(turns))
    return turns[first:]


def _role_of(message: BaseMessage) -> str:
    if isinstance(message, ChatMessage) and message.role.strip():
        return message.role[:_MAX_ROLE_CHARS]
    return next((role for kind, role in _ROLES.items() if isinstance(message, kind)), "system")


def _calls_of(message: BaseMessage) -> Iterable[str]:
    """Yield what is called and with what: `get_weather {"city": "Paris"}`."""
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            yield called(call["name"], call["args"])


def _call_ids(message: BaseMessage | None) -> list[str]:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return [id_ for call in calls if (id_ := call["id"])]


def _kept_message(turn: Turn) -> BaseMessage | None:
    content = turn.content
    if not isinstance(content, dict) or not isinstance(content.get("data"), dict):
        return None
    try:
        return messages_from_dict([content])[0]
    except FOREIGN_CONTENT:
        # Another program's, or of a class that this version does not have: its text is shown.
        return None


def _message_of_text(turn: Turn) -> BaseMessage | None:
    if not turn.text:
        return None
    kinds: Mapping[str, type[BaseMessage]] = {
        "user": HumanMessage,
        "assistant": AIMessage,
        "system": SystemMessage,
    }
    if turn.role in kinds:
        return kinds[turn.role](turn.text)
    return ChatMessage(content=turn.text, role=turn.role)
