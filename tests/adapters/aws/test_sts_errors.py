"""The answer table of STS: complete, and right where callers act differently."""

from collections.abc import Iterable, Iterator
from typing import Any

import botocore.exceptions
import botocore.parsers
import botocore.session
import pytest
import urllib3.exceptions
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from everturn.adapters.aws.errors import STS_FOREIGN_ERRORS, role_error, sts_errors
from everturn.errors import EverturnError, MisconfiguredError, NotSentError

PASSING = {"ExpiredTokenException"}


def by_name(kinds: Iterable[type[Exception]]) -> list[type[Exception]]:
    """In an order that every process of a test run shares."""
    return sorted(set(kinds), key=lambda kind: f"{kind.__module__}.{kind.__name__}")


def answered(status: int, code: str) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "AssumeRole")


def made(kind: type[Exception]) -> Exception:
    """An instance without its arguments: only its class matters."""
    return kind.__new__(kind)


def below(kind: type[Exception]) -> Iterator[type[Exception]]:
    for child in kind.__subclasses__():
        yield child
        yield from below(child)


def declared() -> list[str]:
    """The errors that the service's own description names for the call that is made."""
    model = botocore.session.get_session().get_service_model("sts")
    shapes = model.operation_model("AssumeRole").error_shapes
    return sorted({shape.metadata["error"]["code"] for shape in shapes})


def test_every_status_has_an_answer() -> None:
    for status in (200, *range(300, 600)):
        error = role_error(answered(status, "SomethingNew"))
        assert isinstance(error, EverturnError)
        assert error.message.endswith(f"status={status} code=SomethingNew")


@pytest.mark.parametrize("code", declared())
def test_every_error_that_the_service_declares_has_an_answer(code: str) -> None:
    expected = NotSentError if code in PASSING else MisconfiguredError
    assert type(role_error(answered(400, code))) is expected


def test_the_service_declares_what_the_table_tells_apart() -> None:
    assert set(declared()) >= PASSING


@pytest.mark.parametrize("kind", by_name(below(BotoCoreError)))
def test_every_failure_of_botocore_has_an_answer(kind: type[Exception]) -> None:
    assert type(role_error(made(kind))) in (MisconfiguredError, NotSentError)


@pytest.mark.parametrize(
    "kind",
    by_name([HTTPClientError, *below(HTTPClientError), *below(urllib3.exceptions.HTTPError)]),
)
def test_a_failure_of_the_connection_passes(kind: type[Exception]) -> None:
    assert type(role_error(made(kind))) is NotSentError


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (403, "AccessDenied", MisconfiguredError),
        (403, "InvalidClientTokenId", MisconfiguredError),
        (403, "SignatureDoesNotMatch", MisconfiguredError),
        (400, "ValidationError", MisconfiguredError),
        (400, "PackedPolicyTooLarge", MisconfiguredError),
        (403, "RegionDisabledException", MisconfiguredError),
        (403, "ExpiredToken", NotSentError),
        (400, "Throttling", NotSentError),
        (400, "ThrottlingException", NotSentError),
        (503, "RequestLimitExceeded", NotSentError),
        (408, "RequestTimeout", NotSentError),
        (429, "TooManyRequests", NotSentError),
        (500, "InternalFailure", NotSentError),
        (503, "ServiceUnavailable", NotSentError),
        (301, "Moved", MisconfiguredError),
        (200, "InternalError", NotSentError),
    ],
)
def test_what_mends_itself_is_told_from_what_does_not(
    status: int, code: str, expected: type[EverturnError]
) -> None:
    assert type(role_error(answered(status, code))) is expected


@pytest.mark.parametrize(
    "name",
    [
        "NoCredentialsError",
        "PartialCredentialsError",
        "CredentialRetrievalError",
        "NoRegionError",
        "ParamValidationError",
        "InvalidEndpointConfigurationError",
        "TokenRetrievalError",
        "SSOTokenLoadError",
    ],
)
def test_a_missing_credential_or_region_is_a_matter_of_the_deployment(name: str) -> None:
    assert type(role_error(made(getattr(botocore.exceptions, name)))) is MisconfiguredError


def test_an_answer_that_cannot_be_parsed_passes() -> None:
    for kind in (botocore.parsers.ResponseParserError, KeyError, ValueError, RuntimeError):
        assert type(role_error(made(kind))) is NotSentError


def test_whatever_the_client_raises_is_translated_and_nothing_else() -> None:
    for kind in STS_FOREIGN_ERRORS:
        raised = answered(403, "AccessDenied") if kind is ClientError else made(kind)
        with pytest.raises((MisconfiguredError, NotSentError)) as caught, sts_errors():
            raise raised
        assert caught.value.__cause__ is raised
    with pytest.raises(ZeroDivisionError), sts_errors():
        raise ZeroDivisionError
