"""The client for asyncio: every call of the API as a method."""

from pathlib import Path
from typing import Self

import httpx

from everturn.client.binding import async_bound, async_paged, async_planned
from everturn.client.calls import conversations, documents, memories, prompts, recent, scope, turns
from everturn.client.calls import export as export_calls
from everturn.client.calls import recall as recall_calls
from everturn.client.clock import AsyncClock, Entropy
from everturn.client.connection import LOCAL_URL, MAX_TIMEOUT_S, Connection
from everturn.client.loop_clients import LoopClients
from everturn.client.sender import AsyncSender
from everturn.client.system_time import AsyncSystemClock, SystemEntropy


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
    export_conversation = async_planned(export_calls.export_conversation)
    consolidate = async_bound(conversations.consolidate)

    append = async_bound(turns.append)
    append_user = async_bound(turns.append_user)
    append_assistant = async_bound(turns.append_assistant)
    get_turns = async_bound(turns.get_turns)
    all_turns = async_paged(turns.all_turns)
    redact_turn = async_bound(turns.redact_turn)
    pop_turn = async_bound(turns.pop_turn)
    recent_turns = async_bound(recent.recent_turns)
    recent_pairs = async_bound(recent.recent_pairs)
    all_recent_turns = async_paged(recent.all_recent_turns)

    recall = async_bound(recall_calls.recall)
    themes = async_bound(recall_calls.themes)

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
