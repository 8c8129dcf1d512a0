"""A Strands Agents `SessionRepository` on an Everturn; the messages of agents are turns."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from everturn.integrations.extras import extra

with extra("strands"):
    from strands.session.session_repository import SessionRepository
    from strands.types.exceptions import SessionException
    from strands.types.session import (
        Session,
        SessionAgent,
        SessionMessage,
    )

from everturn.client import MAX_PAGE, Everturn
from everturn.errors import EverturnError, NotFoundError
from everturn.integrations.plans import deleted
from everturn.integrations.strands.documents import Documents
from everturn.integrations.strands.names import (
    Place,
    agent_of,
    agent_place,
    conversation_of,
    multi_agent_place,
    redactions_place,
    session_place,
    space_of,
)
from everturn.integrations.strands.turns import (
    SeenMessage,
    after_of,
    in_exchanges,
    message_of,
    redacted_message,
    redacted_text,
    redaction_of,
    turn_of,
)
from everturn.integrations.strands.values import decoded, encoded, object_of, restored, stored
from everturn.integrations.turn_pages import next_of
from everturn.wire.conversations import Turn

if TYPE_CHECKING:
    from strands.multiagent.base import MultiAgentBase


class AlreadyKeptError(SessionException):
    """It is there already: somebody made it since it was looked for."""


@contextmanager
def as_session_exception() -> Iterator[None]:
    """Raise what Strands' own managers raise, whichever of our errors it was; ours is its cause."""
    try:
        yield
    except EverturnError as exc:
        raise SessionException(exc.message) from exc


class EverturnSessionRepository(SessionRepository):
    """Keeps sessions, agents, messages and the state of graphs and swarms; safe under threads.

    Every failure is a `SessionException`; where Everturn failed, its error is the cause.
    """

    def __init__(self, client: Everturn) -> None:
        """Keep sessions with a client, which stays its caller's to close."""
        self._client = client
        self._documents = Documents(client)
        self._messages = Messages(client, self._documents)

    @as_session_exception()
    def create_session(self, session: Session, **_: object) -> Session:
        """Keep a new session.

        Raises:
            AlreadyKeptError: there is one with this id.
        """
        if not self._documents.create(session_place(session.session_id), stored(session)):
            raise AlreadyKeptError(f"session already exists session_id={session.session_id}")
        return session

    @as_session_exception()
    def read_session(self, session_id: str, **_: object) -> Session | None:
        """Return a session, None if there is none."""
        value = self._documents.read(session_place(session_id))
        return None if value is None else restored(Session, value)

    @as_session_exception()
    def delete_session(self, session_id: str, **_: object) -> None:
        """Remove a session with all that its agents said and kept; its id can be used again.

        Raises:
            SessionException: there is none, or something of it is left: delete it again.
        """
        ours, space = session_place(session_id), space_of(session_id)
        if not self._documents.is_there(ours):
            raise SessionException(f"session does not exist session_id={session_id}")
        keys = self._documents.keys(space)
        for agent_id in filter(None, map(agent_of, keys)):
            self._messages.delete(session_id, agent_id)
        # The session goes last: what a failure leaves is found when it is deleted again.
        for place in (*(Place(space, key) for key in keys if key != ours.key), ours):
            self._documents.delete(place)

    @as_session_exception()
    def create_agent(self, session_id: str, session_agent: SessionAgent, **_: object) -> None:
        """Keep a new agent of a session.

        Raises:
            AlreadyKeptError: there is one with this id.
        """
        agent_id = session_agent.agent_id
        # A first message would make it as well, unless one of this id was deleted before.
        self._client.create_conversation(
            conversation_of(session_id, agent_id),
            metadata={"strands": {"session_id": session_id, "agent_id": agent_id}},
        )
        if not self._documents.create(agent_place(session_id, agent_id), stored(session_agent)):
            raise AlreadyKeptError(f"agent already exists agent_id={agent_id}")

    @as_session_exception()
    def read_agent(self, session_id: str, agent_id: str, **_: object) -> SessionAgent | None:
        """Return the state of an agent, None if there is none."""
        value = self._documents.read(agent_place(session_id, agent_id))
        return None if value is None else restored(SessionAgent, value)

    @as_session_exception()
    def update_agent(self, session_id: str, session_agent: SessionAgent, **_: object) -> None:
        """Replace the state of an agent; of two writers the last one's stays, whole.

        Raises:
            SessionException: there is no such agent.
        """
        agent_id, new = session_agent.agent_id, stored(session_agent)

        def changed(old: dict[str, Any] | None) -> dict[str, Any]:
            if old is None:
                raise SessionException(f"agent does not exist agent_id={agent_id}")
            return {**new, "created_at": object_of(old).get("created_at", new["created_at"])}

        kept = self._documents.replace(agent_place(session_id, agent_id), changed)
        if kept is not None:
            session_agent.created_at = kept["created_at"]

    @as_session_exception()
    def create_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **_: object
    ) -> None:
        """Append a message in one request; its `message_id` becomes the number that it got.

        The number that Strands gives is a guess, and two writers make the same one. Here each gets
        its own, in the order of their commits, and what comes later refers to the right message.

        Raises:
            SessionException: it is above 1 MiB as JSON, or its session was deleted.
        """
        self._messages.append(session_id, agent_id, session_message)

    @as_session_exception()
    def read_message(
        self, session_id: str, agent_id: str, message_id: int, **_: object
    ) -> SessionMessage | None:
        """Return one message, None if there is none with this number."""
        found = self._messages.read(session_id, agent_id, offset=message_id, limit=1)
        return found[0].message if found else None

    @as_session_exception()
    def update_message(
        self, session_id: str, agent_id: str, session_message: SessionMessage, **_: object
    ) -> None:
        """Redact a message: what it said goes, what the caller made of it takes its place.

        Number, role and time stay. What it said is found nowhere any more, not by recall either.

        Raises:
            SessionException: there is no message with this number.
        """
        self._messages.redact(session_id, agent_id, session_message)

    @as_session_exception()
    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **_: object
    ) -> list[SessionMessage]:
        """Return messages in the order of their commits; one request per 1,000 of them.

        Args:
            session_id: which session.
            agent_id: whose messages; none of an agent that is not there.
            limit: at most so many; all if None.
            offset: how many of the oldest are left out.
            **_: for what Strands may add.
        """
        found = self._messages.read(session_id, agent_id, offset=offset, limit=limit)
        return [one.message for one in found]

    @as_session_exception()
    def list_exchanges(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0
    ) -> list[SessionMessage]:
        """Return the same messages with each exchange in one piece, as a model wants them."""
        found = self._messages.read(session_id, agent_id, offset=offset, limit=limit)
        return in_exchanges(found)

    @as_session_exception()
    def create_multi_agent(
        self, session_id: str, multi_agent: "MultiAgentBase", **_: object
    ) -> None:
        """Keep the state of a graph or a swarm, whatever was kept of it before."""
        state = encoded(multi_agent.serialize_state())
        place = multi_agent_place(session_id, multi_agent.id)
        self._documents.put(place, state)

    @as_session_exception()
    def read_multi_agent(
        self, session_id: str, multi_agent_id: str, **_: object
    ) -> dict[str, Any] | None:
        """Return the state of a graph or a swarm, None if there is none."""
        value = self._documents.read(multi_agent_place(session_id, multi_agent_id))
        return None if value is None else dict(object_of(decoded(value)))

    @as_session_exception()
    def update_multi_agent(
        self, session_id: str, multi_agent: "MultiAgentBase", **_: object
    ) -> None:
        """Replace the state of a graph or a swarm; of two writers the last one's stays.

        Raises:
            SessionException: there is none.
        """
        state = encoded(multi_agent.serialize_state())

        def changed(old: dict[str, Any] | None) -> dict[str, Any]:
            if old is None:
                raise SessionException(
                    f"multi agent does not exist multi_agent_id={multi_agent.id}"
                )
            return dict(state)

        self._documents.replace(multi_agent_place(session_id, multi_agent.id), changed)


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
