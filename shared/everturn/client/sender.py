"""Send calls and wait between their tries, for threads and for tasks; make methods of calls.

A method takes what its call takes, and returns what the call comes to.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, closing
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, get_args

import httpx

from everturn.client.calls.call import Call, Plan, Walk
from everturn.client.clock import AsyncClock, Clock, Entropy, Stopwatch
from everturn.client.connection import CLOSED, Connection, LoopClients
from everturn.client.error_mapping import FOREIGN_ERRORS, Failure
from everturn.client.exchange import Exchange
from everturn.errors import EverturnError, InvalidRequestError

T = TypeVar("T")
PageT = TypeVar("PageT")
ItemT = TypeVar("ItemT")
P = ParamSpec("P")
MethodT = TypeVar("MethodT", bound=Callable[..., Any])

_ID_BYTES = 16


class _Moment:
    """What a call needs of the moment at which it is made."""

    def __init__(self, clock: Stopwatch, entropy: Entropy) -> None:
        self._clock = clock
        self._entropy = entropy

    def now(self) -> str:
        seconds, ns = divmod(self._clock.now_ns(), 1_000_000_000)
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{ns:09}Z"

    def id(self) -> str:
        return self._entropy.token(_ID_BYTES).hex()


class Sender:
    """Sends calls from threads."""

    def __init__(
        self, http: httpx.Client, connection: Connection, *, clock: Clock, entropy: Entropy
    ) -> None:
        """Take the client that sends, which is closed with this object."""
        self._http = http
        self._connection = connection
        self._clock = clock
        self._entropy = entropy

    def send(self, call: Call[T]) -> T:
        """Send one call, as often as it takes within its time.

        Raises:
            EverturnError: what the answer says; UnavailableError where there is none.
        """
        exchange = Exchange(
            call.completed(_Moment(self._clock, self._entropy)),
            clock=self._clock,
            entropy=self._entropy,
            timeout_s=self._connection.timeout_s,
        )
        while True:
            try:
                outcome = self._try(exchange)
            except FOREIGN_ERRORS as exc:
                outcome = exchange.broken(exc)
            except EverturnError as error:
                outcome = exchange.unsigned(error)
            if not isinstance(outcome, Failure):
                return outcome
            wait_s = exchange.wait_s(outcome)
            if wait_s is None:
                return exchange.end(outcome, best_effort=self._connection.best_effort)
            self._clock.sleep(wait_s)

    def _try(self, exchange: Exchange[T]) -> T | Failure:
        if self._http.is_closed:
            raise InvalidRequestError(CLOSED)
        answer = self._http.send(exchange.request(self._http), stream=True)
        with closing(answer):
            body = exchange.body_of(answer)
            if body.is_plain:
                for piece in answer.iter_bytes():
                    body.add(piece)
        return exchange.answered(answer, body.whole())

    def walk(self, pages: Walk[PageT, ItemT]) -> Iterator[ItemT]:
        """Yield what is on each page; a page is asked for when the one before it is used up."""
        call: Call[PageT] | None = pages.first
        asked: set[str] = set()
        while call is not None:
            page = self.send(call)
            yield from pages.items(page)
            call = pages.after(page, call, asked)

    def carry_out(self, plan: Plan[T]) -> T:
        """Send the calls of a plan one after the other."""
        try:
            call = next(plan)
            while True:
                try:
                    result = self.send(call)
                except EverturnError as error:
                    call = plan.throw(error)
                else:
                    call = plan.send(result)
        except StopIteration as done:
            value: T = done.value
            return value

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        self.close()

    def __repr__(self) -> str:
        """Return the address and the user, without token."""
        return _shown(self, self._connection)


class AsyncSender:
    """Sends calls from the tasks of any event loop of asyncio."""

    def __init__(
        self,
        clients: LoopClients,
        connection: Connection,
        *,
        clock: AsyncClock,
        entropy: Entropy,
    ) -> None:
        """Take the clients that send; that of the loop is closed with this object."""
        self._clients = clients
        self._connection = connection
        self._clock = clock
        self._entropy = entropy

    async def send(self, call: Call[T]) -> T:
        """Send one call, as often as it takes within its time.

        Raises:
            EverturnError: what the answer says; UnavailableError where there is none.
        """
        exchange = Exchange(
            call.completed(_Moment(self._clock, self._entropy)),
            clock=self._clock,
            entropy=self._entropy,
            timeout_s=self._connection.timeout_s,
        )
        while True:
            try:
                outcome = await self._try(exchange)
            except FOREIGN_ERRORS as exc:
                outcome = exchange.broken(exc)
            except EverturnError as error:
                outcome = exchange.unsigned(error)
            if not isinstance(outcome, Failure):
                return outcome
            wait_s = exchange.wait_s(outcome)
            if wait_s is None:
                return exchange.end(outcome, best_effort=self._connection.best_effort)
            await self._clock.sleep(wait_s)

    async def _try(self, exchange: Exchange[T]) -> T | Failure:
        http = await self._clients.here()
        async with asyncio.timeout(exchange.left_s):
            answer = await http.send(exchange.request(http), stream=True)
            async with aclosing(answer):
                body = exchange.body_of(answer)
                if body.is_plain:
                    async for piece in answer.aiter_bytes():
                        body.add(piece)
        return exchange.answered(answer, body.whole())

    async def walk(self, pages: Walk[PageT, ItemT]) -> AsyncIterator[ItemT]:
        """Yield what is on each page; a page is asked for when the one before it is used up."""
        call: Call[PageT] | None = pages.first
        asked: set[str] = set()
        while call is not None:
            page = await self.send(call)
            for item in pages.items(page):
                yield item
            call = pages.after(page, call, asked)

    async def carry_out(self, plan: Plan[T]) -> T:
        """Send the calls of a plan one after the other."""
        try:
            call = next(plan)
            while True:
                try:
                    result = await self.send(call)
                except EverturnError as error:
                    call = plan.throw(error)
                else:
                    call = plan.send(result)
        except StopIteration as done:
            value: T = done.value
            return value

    async def aclose(self) -> None:
        """Close the connections of the running event loop; nothing can be called after it.

        Those of another loop are closed when it ends.
        """
        await self._clients.aclose()

    async def __aenter__(self) -> Self:
        """Return the client itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        await self.aclose()

    def __repr__(self) -> str:
        """Return the address and the user, without token."""
        return _shown(self, self._connection)


def _shown(client: object, connection: Connection) -> str:
    return f"{type(client).__name__}({connection.shown!r}, actor={connection.actor!r})"


def bound(make: Callable[P, Call[T]]) -> Callable[Concatenate[Sender, P], T]:
    """Return the method that sends a call."""

    def method(sender: Sender, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return sender.send(make(*args, **kwargs))

    return _named(method, make)


def paged(
    make: Callable[P, Walk[PageT, ItemT]],
) -> Callable[Concatenate[Sender, P], Iterator[ItemT]]:
    """Return the method that walks over pages."""

    def method(sender: Sender, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[ItemT]:
        return sender.walk(make(*args, **kwargs))

    return _named(method, make)


def planned(make: Callable[P, Plan[T]]) -> Callable[Concatenate[Sender, P], T]:
    """Return the method that carries out a plan."""

    def method(sender: Sender, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return sender.carry_out(make(*args, **kwargs))

    return _named(method, make)


def async_bound(
    make: Callable[P, Call[T]],
) -> Callable[Concatenate[AsyncSender, P], Coroutine[Any, Any, T]]:
    """Return the method that sends a call; awaited."""

    async def method(sender: AsyncSender, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await sender.send(make(*args, **kwargs))

    return _named(method, make)


def async_paged(
    make: Callable[P, Walk[PageT, ItemT]],
) -> Callable[Concatenate[AsyncSender, P], AsyncIterator[ItemT]]:
    """Return the method that walks over pages; an asynchronous iterator."""

    def method(sender: AsyncSender, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[ItemT]:
        return sender.walk(make(*args, **kwargs))

    return _named(method, make)


def async_planned(
    make: Callable[P, Plan[T]],
) -> Callable[Concatenate[AsyncSender, P], Coroutine[Any, Any, T]]:
    """Return the method that carries out a plan; awaited."""

    async def method(sender: AsyncSender, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await sender.carry_out(make(*args, **kwargs))

    return _named(method, make)


def _named(method: MethodT, make: Callable[..., object]) -> MethodT:
    """Give a method the name, the docstring and the parameters of its call."""
    own = inspect.signature(make)
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    # What a call, a walk or a plan comes to is the last of its types.
    comes_to = get_args(own.return_annotation)[-1]
    told = [first, *own.parameters.values()]
    method.__name__, method.__doc__ = make.__name__, make.__doc__
    method.__qualname__, method.__module__ = make.__qualname__, make.__module__
    method.__signature__ = own.replace(parameters=told, return_annotation=comes_to)  # type: ignore[attr-defined]  # PEP 362
    return method
