"""What a status or a failure of a model's service over HTTP means: one table."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import httpx

from everturn.adapters.http.service_errors import BusyError, TextsRefusedError
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError

FOREIGN_ERRORS: Final = (httpx.HTTPError, httpx.InvalidURL)
"""All that sending a request and reading its answer raise."""

# Looked up by status, then its family; or by the class of the failure, then the classes above it.
# https://www.rfc-editor.org/rfc/rfc9110#section-15
ANSWERS: Final[Mapping[str | type[Exception], type[EverturnError]]] = MappingProxyType(
    {
        "400": TextsRefusedError,  # too long for the model, as a rule
        "408": UnavailableError,
        "409": UnavailableError,
        "413": TextsRefusedError,
        "422": TextsRefusedError,
        "425": UnavailableError,
        "429": UnavailableError,
        "501": MisconfiguredError,
        "1xx": UnavailableError,
        "2xx": UnavailableError,  # without a body to read
        "3xx": MisconfiguredError,  # a text goes to the address that was named, to no other
        "4xx": MisconfiguredError,
        "5xx": UnavailableError,
        httpx.UnsupportedProtocol: MisconfiguredError,
        httpx.InvalidURL: MisconfiguredError,
        httpx.HTTPError: UnavailableError,
    }
)


def status_error(status: int, *, after_s: float | None = None) -> EverturnError:
    """Return what to raise for an answer; `after_s` is the pause that it asks for."""
    names = (str(status), f"{status // 100}xx")
    # A status that no standard knows says nothing: another try may get another.
    raised = next((ANSWERS[name] for name in names if name in ANSWERS), UnavailableError)
    message = f"it answered with an error status={status}"
    if raised is UnavailableError and after_s is not None:
        return BusyError(message, after_s=after_s)
    return raised(message)


def failure_error(exc: Exception) -> EverturnError:
    """Return what to raise for one of `FOREIGN_ERRORS`; the message holds no address and no key."""
    raised = next(ANSWERS[kind] for kind in type(exc).__mro__ if kind in ANSWERS)
    if isinstance(exc, httpx.TimeoutException):
        return raised("no answer in time")
    return raised(f"it cannot be reached error={type(exc).__name__}")


@contextmanager
def translated() -> Iterator[None]:
    """Raise one of our errors for whatever httpx raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise failure_error(exc) from exc
