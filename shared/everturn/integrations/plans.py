"""Runs plans of calls with the client that a caller gave, for threads or for tasks."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from everturn.client import ABSENT, AsyncEverturn, Everturn
from everturn.client.calls.call import Absent, Call, Plan, Walk
from everturn.client.calls.conversations import create_conversation, delete_conversation
from everturn.client.calls.documents import get_document, put_document
from everturn.client.calls.turns import append
from everturn.errors import (
    ConversationGoneError,
    InvalidRequestError,
    NotFoundError,
    OutcomeUnknownError,
    StaleEtagError,
    UnavailableError,
)
from everturn.wire.base import Result
from everturn.wire.conversations import Appended, Receipt

T = TypeVar("T")
ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT", bound=Result)

Client: TypeAlias = Everturn | AsyncEverturn
"""What a caller gives: an `AsyncEverturn` for tasks alone, an `Everturn` for both."""

# How many requests of one batch are under way at once.
_AT_ONCE: Final = 8
MAX_TRIES: Final = 32
"""Each conflict is another writer's success: so many in a row are a crowd, not bad luck."""
WRITTEN_OTHERWISE: Final = (StaleEtagError, OutcomeUnknownError)
"""A document is not as expected, or was perhaps written by the try that got no answer: read it."""


class Version(NamedTuple):
    """A document as it was read or written: what to expect of it at the next write, its value."""

    etag: str | Absent
    value: Any


NO_VERSION: Final = Version(ABSENT, None)
"""There is no such document."""
UNANSWERED: Final = Version("", None)
"""A client of `best_effort` got no answer; nothing was written."""


def run_all(client: Client, plans: Sequence[Plan[T]]) -> list[T]:
    """Carry out plans side by side; the results are in their order.

    Raises:
        InvalidRequestError: the client is for tasks.
        EverturnError: a call failed; the others go on to their end.
    """
    if isinstance(client, AsyncEverturn):
        raise InvalidRequestError(
            "an AsyncEverturn is awaited: use the asynchronous methods, or give an Everturn",
            field="client",
        )
    if len(plans) <= 1:
        return [client.carry_out(plan) for plan in plans]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        # Not `map`: where one fails it takes back those that have not begun.
        done = [threads.submit(client.carry_out, plan) for plan in plans]
    return [each.result() for each in done]


async def arun_all(client: Client, plans: Sequence[Plan[T]]) -> list[T]:
    """Carry out plans side by side; with a client for threads in a thread.

    Raises:
        EverturnError: a call failed; the others go on to their end.
    """
    if isinstance(client, Everturn):
        return await asyncio.to_thread(run_all, client, plans)
    few = asyncio.Semaphore(_AT_ONCE)

    async def one(plan: Plan[T]) -> T:
        async with few:
            return await client.carry_out(plan)

    done = await asyncio.gather(*map(one, plans), return_exceptions=True)
    return list(_succeeded(done))


def run(client: Client, plan: Plan[T]) -> T:
    """Carry out one plan.

    Raises:
        InvalidRequestError: the client is for tasks.
    """
    return run_all(client, [plan])[0]


async def arun(client: Client, plan: Plan[T]) -> T:
    """Carry out one plan."""
    return (await arun_all(client, [plan]))[0]


def gathered(walk: Walk[Any, ItemT]) -> Plan[list[ItemT]]:
    """Return all that is on the pages of a walk."""
    items: list[ItemT] = []
    call: Call[Any] | None = walk.first
    asked: set[str] = set()
    while call is not None:
        page = yield call
        items += walk.items(page)
        call = walk.after(page, call, asked)
    return items


def surely(walk: Walk[ResultT, ItemT]) -> Walk[ResultT, ItemT]:
    """Return a walk on which an empty page of `best_effort` raises UnavailableError."""
    return replace(walk, items=lambda page: walk.items(page.sure()))


def found_value(space: str, key: str) -> Plan[Any]:
    """Return the value of a document; None where there is none."""
    return (yield from found_version(space, key)).value


def found_version(space: str, key: str) -> Plan[Version]:
    """Return a document as it is now; `NO_VERSION` where there is none."""
    try:
        document = yield get_document(space, key)
    except NotFoundError:
        return NO_VERSION
    return UNANSWERED if document.failed else Version(document.etag, document.value)


def changed(space: str, key: str, change: Callable[[Any], Any]) -> Plan[Any]:
    """Replace the value of a document by what `change` makes of it, whoever writes meanwhile.

    Args:
        space: which.
        key: which in it.
        change: makes the new value of the old one, None where there is none; called anew after
            another write came first, or perhaps the own one. What it raises is raised.

    Returns:
        The value that was written; None where `best_effort` got no answer.

    Raises:
        UnavailableError: others wrote first, every time.
    """
    return (yield from changed_version(space, key, change)).value


def changed_version(
    space: str, key: str, change: Callable[[Any], Any], *, known: Version | None = None
) -> Plan[Version]:
    """Change a document as `changed` does, and return the version that was written.

    Args:
        space: which.
        key: which in it.
        change: as in `changed`.
        known: what is perhaps still there: tried first, without reading.

    Raises:
        UnavailableError: others wrote first, every time.
    """
    version = known or (yield from found_version(space, key))
    for _ in range(MAX_TRIES):
        if version == UNANSWERED:
            return version
        value = change(version.value)
        try:
            written = yield put_document(space, key, value, expect=version.etag)
        except WRITTEN_OTHERWISE:
            version = yield from found_version(space, key)
        else:
            return UNANSWERED if written.failed else Version(written.etag, value)
    raise UnavailableError(f"too many writers of one document tries={MAX_TRIES}")


def appended(
    conversation_id: str,
    turns: Sequence[Mapping[str, Any]],
    *,
    folder: str | None = None,
    **options: Any,  # noqa: ANN401 - those of `append`
) -> Plan[Appended]:
    """Append turns; to a conversation that was deleted too, which is created again first.

    Args:
        conversation_id: which.
        turns: as in `append`.
        folder: of the conversation that is created again.
        **options: the others of `append`.

    Raises:
        UnavailableError: it is deleted again and again.
        EverturnError: as `append`.
    """
    for _ in range(MAX_TRIES):
        try:
            result: Appended = yield append(conversation_id, turns, **options)
        except ConversationGoneError:
            # Who creates it first does not matter.
            created = yield create_conversation(conversation_id, folder=folder)
            if created.failed:
                return Appended.nothing(created.failed)
        else:
            return result
    raise UnavailableError(f"the conversation is deleted again and again tries={MAX_TRIES}")


def deleted(conversation_id: str) -> Plan[Receipt]:
    """Delete a conversation until nothing of it is left; one that is not there is deleted.

    One request ends after some seconds, whatever is left. The next one goes on.

    Returns:
        What went, in all requests.

    Raises:
        UnavailableError: something is left; delete it again.
    """
    counts: Counter[str] = Counter()
    left: int | None = None
    for _ in range(MAX_TRIES):
        try:
            receipt: Receipt = yield delete_conversation(conversation_id)
        except NotFoundError:
            return Receipt(deleted=counts, complete=True)
        counts.update(receipt.sure().deleted)
        left = receipt.remaining
        if receipt.complete:
            return receipt.model_copy(update={"deleted": dict(counts)})
    raise UnavailableError(f"a conversation is not deleted whole, delete it again remaining={left}")


def _succeeded(done: Sequence[T | BaseException]) -> Iterator[T]:
    for result in done:
        if isinstance(result, BaseException):
            raise result
        yield result
