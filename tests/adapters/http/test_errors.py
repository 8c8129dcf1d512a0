"""The answer table of embedding services over HTTP: complete, and right where callers differ."""

from collections.abc import Iterator

import httpx
import pytest

from everturn.adapters.http.errors import (
    ANSWERS,
    FOREIGN_ERRORS,
    failure_error,
    status_error,
    translated,
)
from everturn.adapters.http.service_retries import BusyError, TextsRefusedError
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError


def below(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for child in kind.__subclasses__():
        yield from below(child)


def made(kind: type[Exception]) -> Exception:
    """An instance without its arguments: only its class matters."""
    return kind.__new__(kind)


ALL_FAILURES = sorted(
    {kind for known in FOREIGN_ERRORS for kind in below(known)}, key=lambda kind: kind.__name__
)


@pytest.mark.parametrize("kind", ALL_FAILURES)
def test_every_failure_of_httpx_has_an_answer(kind: type[Exception]) -> None:
    error = failure_error(made(kind))
    final = {"UnsupportedProtocol", "InvalidURL"}
    expected = MisconfiguredError if kind.__name__ in final else UnavailableError
    assert type(error) is expected


def test_the_whole_tree_of_httpx_is_known() -> None:
    """What else httpx exports as an error is raised by wrong use of it alone."""
    exported = {getattr(httpx, name) for name in httpx.__all__}
    errors = {kind for kind in exported if isinstance(kind, type) and issubclass(kind, Exception)}
    assert {kind.__name__ for kind in errors - set(ALL_FAILURES)} == {
        "CookieConflict",
        "ResponseNotRead",
        "RequestNotRead",
        "StreamClosed",
        "StreamConsumed",
        "StreamError",
    }


def test_every_status_has_an_answer() -> None:
    for status in (*range(100, 600), 0, 999):
        error = status_error(status)
        assert isinstance(error, (MisconfiguredError, TextsRefusedError, UnavailableError))
        assert error.message.endswith(f"status={status}")


@pytest.mark.parametrize(
    ("status", "raised"),
    [
        (204, UnavailableError),
        (302, MisconfiguredError),
        (400, TextsRefusedError),
        (401, MisconfiguredError),
        (402, MisconfiguredError),
        (403, MisconfiguredError),
        (404, MisconfiguredError),
        (405, MisconfiguredError),
        (408, UnavailableError),
        (413, TextsRefusedError),
        (422, TextsRefusedError),
        (429, UnavailableError),
        (500, UnavailableError),
        (501, MisconfiguredError),
        (502, UnavailableError),
        (503, UnavailableError),
        (529, UnavailableError),
    ],
)
def test_the_table(status: int, raised: type[EverturnError]) -> None:
    assert type(status_error(status)) is raised


def test_every_row_of_the_table_can_be_reached() -> None:
    for name in ANSWERS:
        if isinstance(name, str):
            assert name[0] in "12345"
            assert name[1:] == "xx" or 100 <= int(name) < 600
        else:
            assert issubclass(name, FOREIGN_ERRORS)


def test_a_pause_is_kept_where_another_try_may_help() -> None:
    busy = status_error(429, after_s=1.5)
    assert isinstance(busy, BusyError)
    assert busy.after_s == 1.5
    assert type(status_error(401, after_s=1.5)) is MisconfiguredError


def test_the_cause_is_kept_and_other_errors_pass() -> None:
    cause = httpx.ReadTimeout("secret")
    with pytest.raises(UnavailableError, match=r"^no answer in time$") as caught, translated():
        raise cause
    assert caught.value.__cause__ is cause
    with pytest.raises(ZeroDivisionError), translated():
        raise ZeroDivisionError
