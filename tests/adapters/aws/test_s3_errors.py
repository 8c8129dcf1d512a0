"""The answer table of S3: complete, and right where callers act differently."""

from collections.abc import Iterable, Iterator
from typing import Any, get_args

import botocore.exceptions
import botocore.parsers
import pytest
import urllib3.exceptions
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from everturn.adapters.aws.errors import FOREIGN_ERRORS, S3_ANSWERS, S3Verb, s3_errors, store_error
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    GoneError,
    MisconfiguredError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)

VERBS: tuple[S3Verb, ...] = get_args(S3Verb)
READS, WRITES = ("get", "list"), ("put", "delete")


def by_name(kinds: Iterable[type[Exception]]) -> list[type[Exception]]:
    """In an order that every process of a test run shares."""
    return sorted(set(kinds), key=lambda kind: f"{kind.__module__}.{kind.__name__}")


def answered(status: int, code: str) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "Operation")


def made(kind: type[Exception]) -> Exception:
    """An instance without its arguments: only its class matters."""
    return kind.__new__(kind)


def below(kind: type[Exception]) -> Iterator[type[Exception]]:
    for child in kind.__subclasses__():
        yield child
        yield from below(child)


@pytest.mark.parametrize("verb", VERBS)
def test_every_status_has_an_answer(verb: S3Verb) -> None:
    for status in (200, *range(300, 600)):
        error = store_error(answered(status, "SomethingNew"), verb)
        assert isinstance(error, EverturnError)
        assert error.message.endswith(f"status={status} code=SomethingNew")


@pytest.mark.parametrize("kind", by_name(below(BotoCoreError)))
def test_every_failure_of_botocore_has_an_answer(kind: type[Exception]) -> None:
    """Each says either that the deployment is wrong, or what no answer at all says."""
    found = [type(store_error(made(kind), verb)) for verb in VERBS]
    unclear = [UnavailableError if verb in READS else OutcomeUnknownError for verb in VERBS]
    assert found in ([MisconfiguredError] * len(VERBS), unclear)


@pytest.mark.parametrize(
    "kind",
    by_name([HTTPClientError, *below(HTTPClientError), *below(urllib3.exceptions.HTTPError)]),
)
def test_a_failure_of_the_connection_leaves_a_write_unknown(kind: type[Exception]) -> None:
    for verb in VERBS:
        expected = UnavailableError if verb in READS else OutcomeUnknownError
        assert type(store_error(made(kind), verb)) is expected


@pytest.mark.parametrize(
    ("status", "code", "read", "write"),
    [
        (412, "PreconditionFailed", AccessDeniedError, PreconditionFailedError),
        (409, "ConditionalRequestConflict", UnavailableError, PreconditionFailedError),
        (404, "NoSuchKey", AccessDeniedError, GoneError),
        (404, "NoSuchBucket", MisconfiguredError, MisconfiguredError),
        (404, "404", AccessDeniedError, GoneError),
        (403, "AccessDenied", AccessDeniedError, AccessDeniedError),
        (403, "SignatureDoesNotMatch", AccessDeniedError, AccessDeniedError),
        (400, "ExpiredToken", AccessDeniedError, AccessDeniedError),
        (400, "RequestTimeout", UnavailableError, OutcomeUnknownError),
        (405, "MethodNotAllowed", AccessDeniedError, AccessDeniedError),
        (429, "TooManyRequests", UnavailableError, UnavailableError),
        (500, "InternalError", UnavailableError, OutcomeUnknownError),
        (501, "NotImplemented", MisconfiguredError, MisconfiguredError),
        (503, "SlowDown", UnavailableError, OutcomeUnknownError),
        (504, "GatewayTimeout", UnavailableError, OutcomeUnknownError),
        (301, "PermanentRedirect", MisconfiguredError, MisconfiguredError),
        (200, "InternalError", UnavailableError, OutcomeUnknownError),
    ],
)
def test_the_table_of_the_design(
    status: int, code: str, read: type[EverturnError], write: type[EverturnError]
) -> None:
    exc = answered(status, code)
    assert {type(store_error(exc, verb)) for verb in VERBS if verb in READS} == {read}
    assert {type(store_error(exc, verb)) for verb in VERBS if verb in WRITES} == {write}


@pytest.mark.parametrize(
    "name",
    [
        "NoCredentialsError",
        "PartialCredentialsError",
        "CredentialRetrievalError",
        "NoRegionError",
        "ParamValidationError",
        "TokenRetrievalError",
        "SSOTokenLoadError",
        "UnauthorizedSSOTokenError",
    ],
)
def test_a_missing_credential_or_region_is_a_matter_of_the_deployment(name: str) -> None:
    exc = made(getattr(botocore.exceptions, name))
    assert {type(store_error(exc, verb)) for verb in VERBS} == {MisconfiguredError}


def test_an_answer_that_cannot_be_parsed_leaves_a_write_unknown() -> None:
    exc = made(botocore.parsers.ResponseParserError)
    assert type(store_error(exc, "put")) is OutcomeUnknownError


def test_every_row_of_the_table_can_be_reached() -> None:
    """No row that nothing looks up: a code, a status, a family, or a class that is caught."""
    for name in S3_ANSWERS:
        if isinstance(name, str):
            assert name in {"NoSuchBucket", "RequestTimeout"} or name[0] in "345"
        else:
            assert issubclass(name, FOREIGN_ERRORS)


def test_the_cause_is_kept_and_other_errors_pass() -> None:
    cause = answered(412, "PreconditionFailed")
    with pytest.raises(PreconditionFailedError) as caught, s3_errors("put"):
        raise cause
    assert caught.value.__cause__ is cause
    with pytest.raises(ZeroDivisionError), s3_errors("put"):
        raise ZeroDivisionError
