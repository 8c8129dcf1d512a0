"""The answer table of SQS: complete, and right where callers act differently."""

from collections.abc import Iterable, Iterator
from typing import Any, get_args

import botocore.exceptions
import botocore.parsers
import botocore.session
import pytest
import urllib3.exceptions
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from everturn.adapters.aws.errors import (
    FOREIGN_ERRORS,
    SQS_ANSWERS,
    SqsVerb,
    queue_error,
    sqs_errors,
)
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError

VERBS: tuple[SqsVerb, ...] = get_args(SqsVerb)
CALLED = (
    "SendMessage",
    "ReceiveMessage",
    "DeleteMessage",
    "ChangeMessageVisibility",
    "GetQueueAttributes",
)
ENDED = {"ReceiptHandleIsInvalid", "InvalidIdFormat", "MessageNotInflight"}
PASSING = {"RequestThrottled", "OverLimit", "KmsThrottled"}


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


def declared() -> list[str]:
    """The errors that the service's own description names for the calls that are made."""
    model = botocore.session.get_session().get_service_model("sqs")
    found = {shape.name for call in CALLED for shape in model.operation_model(call).error_shapes}
    return sorted(found)


def kind_of(exc: Exception, verb: SqsVerb) -> type[EverturnError] | None:
    error = queue_error(exc, verb)
    return type(error) if error else None


@pytest.mark.parametrize("verb", VERBS)
def test_every_status_has_an_answer(verb: SqsVerb) -> None:
    for status in (200, *range(300, 600)):
        error = queue_error(answered(status, "SomethingNew"), verb)
        assert isinstance(error, EverturnError)
        assert error.message.endswith(f"status={status} code=SomethingNew")


@pytest.mark.parametrize("code", declared())
def test_every_error_that_the_service_declares_has_an_answer(code: str) -> None:
    """One of a lease that ended is none where a lease is to end."""
    expected = UnavailableError if code in PASSING else MisconfiguredError
    for verb in VERBS:
        ended = verb == "settle" and code in ENDED
        assert kind_of(answered(400, code), verb) is (None if ended else expected)


def test_the_service_declares_what_the_table_tells_apart() -> None:
    assert set(declared()) >= ENDED | PASSING | {"QueueDoesNotExist", "KmsAccessDenied"}


@pytest.mark.parametrize("kind", by_name(below(BotoCoreError)))
def test_every_failure_of_botocore_has_an_answer(kind: type[Exception]) -> None:
    found = {kind_of(made(kind), verb) for verb in VERBS}
    assert found in ({MisconfiguredError}, {UnavailableError})


@pytest.mark.parametrize(
    "kind",
    by_name([HTTPClientError, *below(HTTPClientError), *below(urllib3.exceptions.HTTPError)]),
)
def test_a_failure_of_the_connection_passes(kind: type[Exception]) -> None:
    assert {kind_of(made(kind), verb) for verb in VERBS} == {UnavailableError}


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (400, "AWS.SimpleQueueService.NonExistentQueue", MisconfiguredError),
        (403, "AccessDenied", MisconfiguredError),
        (403, "AccessDeniedException", MisconfiguredError),
        (403, "InvalidClientTokenId", MisconfiguredError),
        (403, "RequestThrottled", UnavailableError),
        (400, "ThrottlingException", UnavailableError),
        (400, "KMS.ThrottlingException", UnavailableError),
        (408, "RequestTimeout", UnavailableError),
        (429, "TooManyRequests", UnavailableError),
        (500, "InternalFailure", UnavailableError),
        (503, "ServiceUnavailable", UnavailableError),
        (301, "Moved", MisconfiguredError),
        (200, "InternalError", UnavailableError),
    ],
)
def test_what_mends_itself_is_told_from_what_does_not(
    status: int, code: str, expected: type[EverturnError]
) -> None:
    assert {kind_of(answered(status, code), verb) for verb in VERBS} == {expected}


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
    assert {kind_of(exc, verb) for verb in VERBS} == {MisconfiguredError}


def test_an_answer_that_cannot_be_parsed_passes() -> None:
    assert kind_of(made(botocore.parsers.ResponseParserError), "offer") is UnavailableError


def test_every_row_of_the_table_can_be_reached() -> None:
    """No row that nothing looks up: a code, a status, a family, or a class that is caught."""
    for name in SQS_ANSWERS:
        if isinstance(name, str):
            assert name[0].isupper() or name[0] in "345"
        else:
            assert issubclass(name, FOREIGN_ERRORS)


def test_the_cause_is_kept_and_other_errors_pass() -> None:
    cause = answered(503, "ServiceUnavailable")
    with pytest.raises(UnavailableError) as caught, sqs_errors("claim"):
        raise cause
    assert caught.value.__cause__ is cause
    with pytest.raises(ZeroDivisionError), sqs_errors("claim"):
        raise ZeroDivisionError


def test_the_end_of_a_lease_that_ended_is_no_error() -> None:

    def over(verb: SqsVerb) -> str:
        with sqs_errors(verb):
            raise answered(400, "ReceiptHandleIsInvalid")
        return verb  # type: ignore[unreachable]  # mypy takes no block for one that may swallow

    assert over("settle") == "settle"
    with pytest.raises(MisconfiguredError):
        over("claim")
