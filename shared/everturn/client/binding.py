"""Makes methods of calls: what a call takes, the method takes, and gives what the call comes to."""

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar, get_args

from everturn.client.calls.call import Call, Plan, Walk
from everturn.client.sender import AsyncSender, Sender

P = ParamSpec("P")
T = TypeVar("T")
PageT = TypeVar("PageT")
ItemT = TypeVar("ItemT")
MethodT = TypeVar("MethodT", bound=Callable[..., Any])


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
