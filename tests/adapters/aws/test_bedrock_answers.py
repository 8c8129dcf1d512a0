"""The answer table of Bedrock: complete, and right where callers act differently."""

from collections.abc import Iterator
from typing import Any

import botocore.exceptions
import botocore.parsers
import botocore.session
import pytest
import urllib3.exceptions
from botocore.exceptions import BotoCoreError, ClientError

from everturn.adapters.aws.errors import (
    BEDROCK_ANSWERS,
    FOREIGN_ERRORS,
    bedrock_error,
    bedrock_errors,
)
from everturn.adapters.http.service_retries import TextsRefusedError
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError

PRIVATE = "my door code is 4711"


def answer(status: int, code: str) -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": PRIVATE},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "InvokeModel")


def made(kind: type[Exception]) -> Exception:
    """An instance without its arguments: only its class matters."""
    return kind.__new__(kind)


def below(kind: type[Exception]) -> Iterator[type[Exception]]:
    for child in kind.__subclasses__():
        yield child
        yield from below(child)


def by_name(*kinds: type[Exception]) -> list[type[Exception]]:
    """Those below, in an order that every process of a test run shares."""
    found = {child for kind in kinds for child in below(kind)}
    return sorted(found, key=lambda kind: f"{kind.__module__}.{kind.__name__}")


def test_every_status_has_an_answer() -> None:
    for status in (0, 200, *range(300, 600)):
        error = bedrock_error(answer(status, "SomethingNew"))
        assert isinstance(error, (MisconfiguredError, TextsRefusedError, UnavailableError))
        assert error.message.endswith(f"status={status} code=SomethingNew")


@pytest.mark.parametrize("kind", by_name(BotoCoreError, urllib3.exceptions.HTTPError))
def test_every_failure_of_the_client_has_an_answer(kind: type[Exception]) -> None:
    assert type(bedrock_error(made(kind))) in {MisconfiguredError, UnavailableError}


# What each error of the API's own description means here.
MODELLED = {
    "AccessDeniedException": MisconfiguredError,
    "InternalServerException": UnavailableError,
    "ModelErrorException": TextsRefusedError,
    "ModelNotReadyException": UnavailableError,
    "ModelTimeoutException": UnavailableError,
    "ResourceNotFoundException": MisconfiguredError,
    "ServiceQuotaExceededException": UnavailableError,
    "ServiceUnavailableException": UnavailableError,
    "ThrottlingException": UnavailableError,
    "ValidationException": TextsRefusedError,
}


def test_every_error_that_the_sdk_knows_of_the_call_has_an_answer() -> None:
    service = botocore.session.Session().get_service_model("bedrock-runtime")
    shapes = service.operation_model("InvokeModel").error_shapes
    found = {
        shape.name: type(
            bedrock_error(answer(shape.metadata["error"]["httpStatusCode"], shape.name))
        )
        for shape in shapes
    }
    assert found == MODELLED


@pytest.mark.parametrize(
    ("status", "code", "raised"),
    [
        (403, "ExpiredTokenException", MisconfiguredError),
        (403, "UnrecognizedClientException", MisconfiguredError),
        (301, "", MisconfiguredError),
        (413, "", TextsRefusedError),
        (429, "TooManyRequestsException", UnavailableError),
        (502, "", UnavailableError),
    ],
)
def test_the_table(status: int, code: str, raised: type[EverturnError]) -> None:
    assert type(bedrock_error(answer(status, code))) is raised


@pytest.mark.parametrize(
    "name",
    [
        "NoCredentialsError",
        "PartialCredentialsError",
        "CredentialRetrievalError",
        "NoRegionError",
        "ParamValidationError",
        "SSOTokenLoadError",
    ],
)
def test_a_missing_credential_or_region_is_a_matter_of_the_deployment(name: str) -> None:
    exc = made(getattr(botocore.exceptions, name))
    assert type(bedrock_error(exc)) is MisconfiguredError


def test_an_answer_that_cannot_be_parsed_may_come_right_next_time() -> None:
    assert type(bedrock_error(made(botocore.parsers.ResponseParserError))) is UnavailableError


def test_every_row_of_the_table_can_be_reached() -> None:
    for name in BEDROCK_ANSWERS:
        if isinstance(name, str):
            assert name in MODELLED or name[0] in "345"
        else:
            assert issubclass(name, FOREIGN_ERRORS)


def test_the_cause_is_kept_its_text_is_not_and_other_errors_pass() -> None:
    cause = answer(429, "ThrottlingException")
    with pytest.raises(UnavailableError) as caught, bedrock_errors():
        raise cause
    assert caught.value.__cause__ is cause
    assert PRIVATE not in str(caught.value)
    with pytest.raises(ZeroDivisionError), bedrock_errors():
        raise ZeroDivisionError
