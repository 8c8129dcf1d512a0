"""A call that ends in time, whatever the other side does.

The timeouts of HTTP clients are per read, and a server may send its headers byte by byte.
"""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

from everturn.errors import EverturnError, UnavailableError

_Answer = TypeVar("_Answer")


def in_time(act: Callable[[], _Answer], timeout_s: float) -> _Answer:
    """Return what `act` returns, if it does so in time; else it is left to itself.

    `act` raises errors of ours alone.

    Raises:
        UnavailableError: it has not returned within `timeout_s` seconds.
    """
    done: SimpleQueue[tuple[_Answer] | EverturnError] = SimpleQueue()

    def run() -> None:
        try:
            done.put((act(),))
        except EverturnError as exc:
            done.put(exc)

    Thread(target=run, daemon=True).start()
    try:
        answer = done.get(timeout=timeout_s)
    except Empty:
        raise UnavailableError("no answer in time") from None
    if isinstance(answer, EverturnError):
        raise answer
    return answer[0]
