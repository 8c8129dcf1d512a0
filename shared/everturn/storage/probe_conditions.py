"""Probe a store once: does it keep the conditions that all our writes rely on?"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    GoneError,
    MisconfiguredError,
    PreconditionFailedError,
)
from everturn.ports.clock import Entropy
from everturn.ports.object_store import ABSENT, ANY, ObjectStore

Answer = TypeVar("Answer")

_REFUSALS: Final = (PreconditionFailedError, GoneError)


def probe_conditions(*, store: ObjectStore, entropy: Entropy) -> None:
    """Write to a fresh key against its conditions, and remove it again: 6 requests.

    A store that keeps them and forbids the delete is accepted; one object of one byte stays there.

    Raises:
        MisconfiguredError: the store ignores If-None-Match or If-Match, on a delete as well, or
            refuses a right etag; or it cannot be reached with these settings.
        OutcomeUnknownError, UnavailableError: it gave no clear answer; try again.
        AccessDeniedError: it refuses to be written to.
    """
    key = f".probe/{entropy.token(16).hex()}"
    try:
        _must_keep_conditions(store, key)
    except EverturnError:
        # The finding is what counts: a delete that fails as well must not stand in its place.
        with suppress(EverturnError):
            store.delete(key, expect=ANY)
        raise


def _must_keep_conditions(store: ObjectStore, key: str) -> None:
    first = store.put(key, b"1", expect=ABSENT)
    _must_refuse("put", "If-None-Match", lambda: store.put(key, b"2", expect=ABSENT))
    newest = _must_accept(lambda: store.put(key, b"3", expect=first))
    _must_refuse("put", "If-Match", lambda: store.put(key, b"4", expect=first))
    with suppress(AccessDeniedError):
        # A sweep removes what it has looked at, and nothing that was written since.
        _must_refuse("delete", "If-Match", lambda: store.delete(key, expect=first))
        _must_accept(lambda: store.delete(key, expect=newest))


def _must_refuse(verb: str, condition: str, write: Callable[[], object]) -> None:
    try:
        write()
    except _REFUSALS:
        return
    raise MisconfiguredError(
        f"the store ignores a condition and would lose writes verb={verb} condition={condition}"
    )


def _must_accept(write: Callable[[], Answer]) -> Answer:
    try:
        return write()
    except _REFUSALS as exc:
        raise MisconfiguredError("the store refuses a right etag condition=If-Match") from exc
