"""The clients for threads and for asyncio: every call of the API as a method."""

from pathlib import Path
from typing import Self

import httpx

from everturn.client.calls import conversations, documents, memories, prompts, scope, turns
from everturn.client.clock import (
    AsyncClock,
    AsyncSystemClock,
    Clock,
    Entropy,
    SystemClock,
    SystemEntropy,
)
from everturn.client.connection import LOCAL_URL, MAX_TIMEOUT_S, Connection, LoopClients
from everturn.client.sender import (
    AsyncSender,
    Sender,
    async_bound,
    async_paged,
    async_planned,
    bound,
    paged,
    planned,
)


class Everturn(Sender):
    """Speaks to one Everturn for one user, from any threads of a process.

        with Everturn("https://...", token=token) as memory:
            memory.append_user("c-42", "The server listens on port 8080.")
            hits = memory.recall("which port?", conversation_id="c-42").hits

    A call is tried again, where that is safe, as long as `timeout_s` lasts, and a body that is
    still coming then is given up. A single wait for the network is no longer than what was left
    when its try began; only `AsyncEverturn` can break one off. What fails is an error of
    `everturn.errors`. A process that forks makes a client of its own after the fork. httpx logs
    each URL, with its ids, at the level INFO of the logger `httpx`.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        actor: str | None = None,
        tenant: str | None = None,
        timeout_s: float = 30.0,
        best_effort: bool = False,
        auth: httpx.Auth | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
        entropy: Entropy | None = None,
    ) -> None:
        """Take where it is, and whose memory it is; nothing is sent yet.

        Args:
            url: of the deployment, or of `everturn up`.
            token: sent as a bearer token; by https alone, but for this machine, as `auth` is.
            actor: the user for whom a trusted caller asks; None: the caller itself.
            tenant: the user's tenant.
            timeout_s: for a whole call, in seconds; a day at most.
            best_effort: a failure of the network or the server is logged, and an empty result
                returned whose `failed` is the error's code; but not of what deletes, redacts,
                takes back or copies, nor of a walk that has begun.
            auth: signs or names the caller instead of a token.
            transport: instead of the network.
            clock: instead of the machine's.
            entropy: instead of the machine's.

        Raises:
            InvalidRequestError: one of these is wrong; `field` says which.
        """
        connection = Connection(
            url=url,
            token=token,
            actor=actor,
            tenant=tenant,
            timeout_s=timeout_s,
            best_effort=best_effort,
            auth=auth,
        )
        super().__init__(
            connection.opened(httpx.Client, transport),
            connection,
            clock=clock or SystemClock(),
            entropy=entropy or SystemEntropy(),
        )

    @classmethod
    def local(
        cls,
        dir: str | Path = ".everturn",  # noqa: A002 - named as the option is
        *,
        actor: str | None = None,
        tenant: str | None = None,
        best_effort: bool = False,
    ) -> Self:
        """Open the memory in a directory, in this process: no server, the same handlers.

        Needs the extra `local`.

        Raises:
            MisconfiguredError: the directory cannot be opened.
        """
        from everturn.local.transport import open_transport

        return cls(
            LOCAL_URL,
            actor=actor,
            tenant=tenant,
            timeout_s=MAX_TIMEOUT_S,
            best_effort=best_effort,
            transport=open_transport(dir),
        )

    create_conversation = bound(conversations.create_conversation)
    list_conversations = bound(conversations.list_conversations)
    all_conversations = paged(conversations.all_conversations)
    get_conversation = bound(conversations.get_conversation)
    update_conversation = bound(conversations.update_conversation)
    delete_conversation = bound(conversations.delete_conversation)
    export_conversation = planned(conversations.export_conversation)
    consolidate = bound(conversations.consolidate)

    append = bound(turns.append)
    append_user = bound(turns.append_user)
    append_assistant = bound(turns.append_assistant)
    get_turns = bound(turns.get_turns)
    all_turns = paged(turns.all_turns)
    redact_turn = bound(turns.redact_turn)
    pop_turn = bound(turns.pop_turn)
    recent_turns = bound(turns.recent_turns)
    recent_pairs = bound(turns.recent_pairs)
    all_recent_turns = paged(turns.all_recent_turns)

    recall = bound(prompts.recall)
    themes = bound(prompts.themes)

    remember = bound(memories.remember)
    list_memories = bound(memories.list_memories)
    all_memories = paged(memories.all_memories)
    get_memory = bound(memories.get_memory)
    correct_memory = bound(memories.correct_memory)
    change_memory = bound(memories.change_memory)
    forget_memory = bound(memories.forget_memory)
    record_outcome = bound(memories.record_outcome)
    promote_memory = bound(memories.promote_memory)

    retrieve = bound(prompts.retrieve)
    pinned = bound(prompts.pinned)
    procedural = bound(prompts.procedural)
    context = bound(prompts.context)

    list_documents = bound(documents.list_documents)
    all_documents = paged(documents.all_documents)
    get_document = bound(documents.get_document)
    put_document = bound(documents.put_document)
    delete_document = bound(documents.delete_document)

    status = bound(scope.status)
    export = paged(scope.export)
    erase = bound(scope.erase)


class AsyncEverturn(AsyncSender):
    """Speaks to one Everturn for one user, from the tasks of any event loop of asyncio.

    As `Everturn`, with every method awaited; what iterates is iterated over with `async for`. Each
    event loop that it is used in has connections of its own, which are closed when the loop ends.
    A `transport` is closed then too.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        actor: str | None = None,
        tenant: str | None = None,
        timeout_s: float = 30.0,
        best_effort: bool = False,
        auth: httpx.Auth | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: AsyncClock | None = None,
        entropy: Entropy | None = None,
    ) -> None:
        """As `Everturn`."""
        connection = Connection(
            url=url,
            token=token,
            actor=actor,
            tenant=tenant,
            timeout_s=timeout_s,
            best_effort=best_effort,
            auth=auth,
        )
        # Once, and not within the time of a call: it takes longer than many a request.
        tls = connection.tls() if transport is None else None
        super().__init__(
            LoopClients(lambda: connection.opened(httpx.AsyncClient, transport, tls)),
            connection,
            clock=clock or AsyncSystemClock(),
            entropy=entropy or SystemEntropy(),
        )

    @classmethod
    def local(
        cls,
        dir: str | Path = ".everturn",  # noqa: A002 - named as the option is
        *,
        actor: str | None = None,
        tenant: str | None = None,
        best_effort: bool = False,
    ) -> Self:
        """Open the memory in a directory, in this process: no server, the same handlers.

        Needs the extra `local`.

        Raises:
            MisconfiguredError: the directory cannot be opened.
        """
        from everturn.local.transport import open_async_transport

        return cls(
            LOCAL_URL,
            actor=actor,
            tenant=tenant,
            timeout_s=MAX_TIMEOUT_S,
            best_effort=best_effort,
            transport=open_async_transport(dir),
        )

    create_conversation = async_bound(conversations.create_conversation)
    list_conversations = async_bound(conversations.list_conversations)
    all_conversations = async_paged(conversations.all_conversations)
    get_conversation = async_bound(conversations.get_conversation)
    update_conversation = async_bound(conversations.update_conversation)
    delete_conversation = async_bound(conversations.delete_conversation)
    export_conversation = async_planned(conversations.export_conversation)
    consolidate = async_bound(conversations.consolidate)

    append = async_bound(turns.append)
    append_user = async_bound(turns.append_user)
    append_assistant = async_bound(turns.append_assistant)
    get_turns = async_bound(turns.get_turns)
    all_turns = async_paged(turns.all_turns)
    redact_turn = async_bound(turns.redact_turn)
    pop_turn = async_bound(turns.pop_turn)
    recent_turns = async_bound(turns.recent_turns)
    recent_pairs = async_bound(turns.recent_pairs)
    all_recent_turns = async_paged(turns.all_recent_turns)

    recall = async_bound(prompts.recall)
    themes = async_bound(prompts.themes)

    remember = async_bound(memories.remember)
    list_memories = async_bound(memories.list_memories)
    all_memories = async_paged(memories.all_memories)
    get_memory = async_bound(memories.get_memory)
    correct_memory = async_bound(memories.correct_memory)
    change_memory = async_bound(memories.change_memory)
    forget_memory = async_bound(memories.forget_memory)
    record_outcome = async_bound(memories.record_outcome)
    promote_memory = async_bound(memories.promote_memory)

    retrieve = async_bound(prompts.retrieve)
    pinned = async_bound(prompts.pinned)
    procedural = async_bound(prompts.procedural)
    context = async_bound(prompts.context)

    list_documents = async_bound(documents.list_documents)
    all_documents = async_paged(documents.all_documents)
    get_document = async_bound(documents.get_document)
    put_document = async_bound(documents.put_document)
    delete_document = async_bound(documents.delete_document)

    status = async_bound(scope.status)
    export = async_paged(scope.export)
    erase = async_bound(scope.erase)
