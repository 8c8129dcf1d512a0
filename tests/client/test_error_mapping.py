import inspect
import json
from collections.abc import Iterator

import httpx
import pytest

from everturn import errors
from everturn.client import error_mapping
from everturn.client.error_mapping import CODES, FOREIGN_ERRORS, Failure, network_failure
from everturn.edge.responses.base import STATUS, error_answer
from everturn.errors import EverturnError

# The same class as that of its code, which stands for both.
_SHARED = {errors.NotSentError, errors.OutcomeUnknownError}


def answered_failure(response: httpx.Response) -> Failure:
    return error_mapping.answered_failure(response, response.content)


def _tree(kind: type[Exception]) -> Iterator[type[Exception]]:
    """Yield a kind and those below it, without what other packages made of it that are loaded."""
    if kind.__module__.partition(".")[0] in {"builtins", "httpx"}:
        yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


def _of_store(kind: type[EverturnError]) -> bool:
    return issubclass(kind, errors.StoreError) and kind is not errors.StoreError


_RAISED = [
    kind
    for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, EverturnError) and not _of_store(kind)
]


@pytest.mark.parametrize("kind", _RAISED)
def test_an_error_of_the_server_is_raised_as_the_class_that_it_was(
    kind: type[EverturnError],
) -> None:
    """What a handler answers is the class, the field and what may be tried again."""
    answer = error_answer(kind("it is so", field="turns[0].ts"), "r-1")
    response = httpx.Response(answer.status_code, text=answer.body or "")
    error = answered_failure(response).error
    assert type(error) is (errors.UnavailableError if kind in _SHARED else kind)
    assert error.field == "turns[0].ts"
    assert str(error).endswith(" field=turns[0].ts")
    assert error.retryable == kind.retryable


def test_every_code_of_an_answer_has_a_class() -> None:
    assert {kind.code for kind in STATUS} == set(CODES)


def test_a_message_is_the_servers_and_ends_in_status_and_request() -> None:
    answer = error_answer(errors.ConflictError("the turn count differs actual=3"), "r-1")
    error = answered_failure(httpx.Response(409, text=answer.body or "")).error
    assert error.message == "the turn count differs actual=3 status=409 request_id=r-1"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.InvalidRequestError),
        (401, errors.UnauthenticatedError),
        (403, errors.ForbiddenError),
        (404, errors.MisconfiguredError),
        (408, errors.UnavailableError),
        (413, errors.TooLargeError),
        (429, errors.UnavailableError),
        (500, errors.UnavailableError),
        (502, errors.UnavailableError),
        (503, errors.UnavailableError),
        (504, errors.UnavailableError),
        (599, errors.UnavailableError),
    ],
)
def test_an_answer_of_the_gateway_means_what_its_status_says(
    status: int, kind: type[EverturnError]
) -> None:
    response = httpx.Response(
        status, json={"message": "Forbidden"}, headers={"apigw-requestid": "g-1"}
    )
    error = answered_failure(response).error
    assert type(error) is kind
    assert error.message == f"forbidden status={status} request_id=g-1"


def test_a_missing_route_is_no_missing_document() -> None:
    """Whoever takes NotFoundError for `none` must not get it from a wrong URL."""
    error = answered_failure(httpx.Response(404, text="<html>")).error
    assert not isinstance(error, errors.NotFoundError)
    assert error.message == "this is no everturn, it answers otherwise status=404"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_refused(status: int) -> None:
    response = httpx.Response(status, headers={"location": "https://elsewhere/"})
    error = answered_failure(response).error
    assert type(error) is errors.MisconfiguredError
    assert "leads elsewhere" in error.message


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"null", b"[" * 100_000, b'{"error": 1}', b"\xff"]
)
def test_any_body_of_an_error_is_read(body: bytes) -> None:
    error = answered_failure(httpx.Response(503, content=body)).error
    assert error.message == "service unavailable status=503"


def test_a_text_of_a_server_is_one_line_that_moves_no_cursor() -> None:
    """It is logged and shown; whoever answers may not write lines of its own there."""
    forged = "a\r\nFAKE LOG\x1b[31m\u2028\u202eb\ud800" + "x" * 100_000
    fault = {"code": "conflict", "message": forged, "request_id": forged, "field": forged}
    body = json.dumps({"error": fault}).encode()
    failure = error_mapping.answered_failure(httpx.Response(409), body)
    for said in (str(failure.error), failure.error.field, failure.request_id):
        assert said is not None
        assert said.isprintable()
        assert len(said) < 4_000


def test_an_unknown_code_of_a_newer_server_means_what_its_status_says() -> None:
    response = httpx.Response(404, json={"error": {"code": "no_such_theme", "message": "no"}})
    assert type(answered_failure(response).error) is errors.NotFoundError


def test_an_unknown_code_that_may_be_tried_again_may_be_tried_again() -> None:
    fault = {"code": "busy", "message": "no", "retryable": True}
    assert answered_failure(httpx.Response(409, json={"error": fault})).error.retryable


@pytest.mark.parametrize("kind", [k for root in FOREIGN_ERRORS for k in _tree(root)])
def test_every_failure_of_the_network_means_something(kind: type[Exception]) -> None:
    """The table is complete, and no message names an address."""
    failure = network_failure(_made(kind))
    assert isinstance(failure.error, EverturnError)
    assert failure.error.message.endswith(f"error={kind.__name__}")
    assert "secret.example" not in failure.error.message


@pytest.mark.parametrize(
    ("kind", "unsent"),
    [
        (httpx.ConnectError, True),
        (httpx.ConnectTimeout, True),
        (httpx.PoolTimeout, True),
        (httpx.WriteError, False),
        (httpx.WriteTimeout, False),
        (httpx.ReadError, False),
        (httpx.ReadTimeout, False),
        (httpx.RemoteProtocolError, False),
        (httpx.ProxyError, False),
    ],
)
def test_only_what_never_left_was_surely_not_sent(kind: type[Exception], *, unsent: bool) -> None:
    failure = network_failure(_made(kind))
    assert failure.unsent is unsent
    assert type(failure.error) is errors.UnavailableError


def test_what_is_too_long_for_a_url_is_the_callers_mistake() -> None:
    assert type(network_failure(httpx.InvalidURL("x")).error) is errors.InvalidRequestError


def _made(kind: type[Exception]) -> Exception:
    if issubclass(kind, httpx.HTTPStatusError):
        request = httpx.Request("GET", "https://secret.example")
        return kind("https://secret.example", request=request, response=httpx.Response(500))
    return kind("https://secret.example")
