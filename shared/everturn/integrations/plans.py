"""Runs plans of calls with the client that a caller gave, whether it is for threads or for tasks.

Not here: what the calls are (everturn.client), and the plans of a framework.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeAlias, TypeVar

from everturn.client import ABSENT, AsyncEverturn, Everturn
from everturn.client.call import Absent, Call, Plan, Walk
from everturn.client.document_calls import get_document, put_document
from everturn.errors import (
    InvalidRequestError,
    NotFoundError,
    OutcomeUnknownError,
    StaleEtagError,
    UnavailableError,
)

T = TypeVar("T")
ItemT = TypeVar("ItemT")

Client: TypeAlias = Everturn | AsyncEverturn
"""What a caller gives: an `AsyncEverturn` for tasks alone, an `Everturn` for both."""

# How many requests of one batch are under way at once.
_AT_ONCE: Final = 8
# Each conflict is another writer's success: so many in a row are a crowd, not bad luck.
_TRIES: Final = 32
WRITTEN_OTHERWISE: Final = (StaleEtagError, OutcomeUnknownError)
"""A document is not as expected, or was perhaps written by the try that got no answer: read it."""


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


async def arun(client: Client, plan: Plan[T]) -> T:
    """Carry out one plan."""
    return (await arun_all(client, [plan]))[0]


def gathered(walk: Walk[Any, ItemT]) -> Plan[list[ItemT]]:
    """Return all that is on the pages of a walk."""
    items: list[ItemT] = []
    call: Call[Any] | None = walk.first
    while call is not None:
        page = yield call
        items += walk.items(page)
        call = walk.after(page)
    return items


def found_value(space: str, key: str) -> Plan[Any]:
    """Return the value of a document; None where there is none."""
    try:
        document = yield get_document(space, key)
    except NotFoundError:
        return None
    return document.value


def changed(space: str, key: str, change: Callable[[Any], Any]) -> Plan[None]:
    """Replace the value of a document by what `change` makes of it, whoever writes meanwhile.

    Args:
        space: which.
        key: which in it.
        change: makes the new value of the old one, None where there is none; called anew after
            another write came first. What it raises is raised.

    Raises:
        UnavailableError: others wrote first, 32 times in a row.
    """
    for _ in range(_TRIES):
        expect: str | Absent = ABSENT
        old = None
        try:
            document = yield get_document(space, key)
        except NotFoundError:
            pass
        else:
            if document.failed:
                return
            expect, old = document.etag, document.value
        try:
            yield put_document(space, key, change(old), expect=expect)
        except WRITTEN_OTHERWISE:
            continue
        return
    raise UnavailableError(f"too many writers of one document tries={_TRIES}")


def _succeeded(done: Sequence[T | BaseException]) -> Iterator[T]:
    for result in done:
        if isinstance(result, BaseException):
            raise result
        yield result
