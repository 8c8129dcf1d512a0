"""Map botocore's exceptions to Everturn's errors, in one table for each AWS service.

A table maps error codes, statuses, families of statuses (`4xx`) and classes of exceptions.
The closest name decides: first the code, then the status, its family, the class, its base classes.

Repeating a call of SQS or STS does no harm. If STS fails, the request to sign was not sent.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    HTTPClientError,
    InvalidEndpointConfigurationError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    ReadTimeoutError,
    SSOError,
    TokenRetrievalError,
)
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError

from everturn.adapters.http.service_retries import TextsRefusedError
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    GoneError,
    MisconfiguredError,
    NotSentError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)

Name = str | type[Exception]
"""What a row of a table goes by: an error code, a status, a family of them, or a class."""


def status_and_code(exc: Exception) -> tuple[int, str]:
    """Return the HTTP status and the error code of an answer; (0, "") if there was none."""
    if not isinstance(exc, ClientError):
        return 0, ""
    status = exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status, exc.response.get("Error", {}).get("Code", "")


def detail_of(exc: Exception) -> str:
    """Return what a message may say of it: the status and the code, or the class alone."""
    status, code = status_and_code(exc)
    return f"status={status} code={code}" if status else f"error={type(exc).__name__}"


def names_of(exc: Exception) -> Iterator[Name]:
    """Return by what to look it up, the closest first.

    Of an answer: its error code, its status, the family of that, then `5xx`, since an error
    without a status of one happened on the other side after the status was sent. Then its class
    and the classes above it.
    """
    if isinstance(exc, ClientError):
        status, code = status_and_code(exc)
        yield from (code, str(status), f"{status // 100}xx", "5xx")
    yield from (kind for kind in type(exc).__mro__ if issubclass(kind, Exception))


FOREIGN_ERRORS: Final = (ClientError, BotoCoreError, ResponseParserError, HTTPError)
"""All that a call of a client, or reading its body, raises."""

_WRONG_SETTINGS: Final[tuple[type[Exception], ...]] = (
    NoCredentialsError,
    PartialCredentialsError,
    CredentialRetrievalError,
    TokenRetrievalError,
    SSOError,
    NoRegionError,
    ParamValidationError,  # only names are still checked: bucket, queue, role, model
    InvalidEndpointConfigurationError,
)

# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html#API_runtime_InvokeModel_Errors
# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors
BEDROCK_ANSWERS: Final[Mapping[str | type[Exception], type[EverturnError]]] = MappingProxyType(
    {
        "ServiceQuotaExceededException": UnavailableError,  # a 400
        "400": TextsRefusedError,  # too long for the model, as a rule
        "408": UnavailableError,
        "413": TextsRefusedError,
        "424": TextsRefusedError,  # the model failed over it
        "429": UnavailableError,
        "3xx": MisconfiguredError,
        "4xx": MisconfiguredError,
        "5xx": UnavailableError,
        **dict.fromkeys(_WRONG_SETTINGS, MisconfiguredError),
        HTTPError: UnavailableError,
        ResponseParserError: UnavailableError,
        BotoCoreError: UnavailableError,
    }
)

_TIMEOUTS: Final = (ConnectTimeoutError, ReadTimeoutError)


def bedrock_error(exc: Exception) -> EverturnError:
    """Return what to raise for one of `FOREIGN_ERRORS`; the message holds nothing of a text."""
    if isinstance(exc, _TIMEOUTS):
        return UnavailableError("no answer in time")
    raised = next(BEDROCK_ANSWERS[name] for name in names_of(exc) if name in BEDROCK_ANSWERS)
    if isinstance(exc, ClientError):
        status, code = status_and_code(exc)
        return raised(f"it answered with an error status={status} code={code}")
    return raised(f"it cannot be reached error={type(exc).__name__}")


@contextmanager
def bedrock_errors() -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise bedrock_error(exc) from exc


S3Verb = Literal["get", "list", "put", "delete"]


@dataclass(frozen=True, slots=True)
class S3Answer:
    """What a get or a list raises, and what a put or a delete raises."""

    read: type[EverturnError]
    write: type[EverturnError]


_S3_FINAL: Final = S3Answer(AccessDeniedError, AccessDeniedError)
_S3_MISCONFIGURED: Final = S3Answer(MisconfiguredError, MisconfiguredError)
_S3_LATER: Final = S3Answer(UnavailableError, UnavailableError)
_S3_UNCLEAR: Final = S3Answer(UnavailableError, OutcomeUnknownError)

# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#ErrorCodeList
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
S3_ANSWERS: Final[Mapping[str | type[Exception], S3Answer]] = MappingProxyType(
    {
        "NoSuchBucket": _S3_MISCONFIGURED,
        "RequestTimeout": _S3_UNCLEAR,  # a 400
        "404": S3Answer(AccessDeniedError, GoneError),
        "408": _S3_UNCLEAR,
        "409": S3Answer(UnavailableError, PreconditionFailedError),
        "412": S3Answer(AccessDeniedError, PreconditionFailedError),
        "429": _S3_LATER,
        "501": _S3_MISCONFIGURED,  # the store knows no conditions
        "3xx": _S3_MISCONFIGURED,  # another region or endpoint
        "4xx": _S3_FINAL,
        "5xx": _S3_UNCLEAR,
        **dict.fromkeys(_WRONG_SETTINGS, _S3_MISCONFIGURED),
        HTTPClientError: _S3_UNCLEAR,
        HTTPError: _S3_UNCLEAR,
        ResponseParserError: _S3_UNCLEAR,
        BotoCoreError: _S3_UNCLEAR,  # nobody knows whether it was sent
    }
)

# What S3 may say of single keys of one DeleteObjects, without a status: a fault of its own passes.
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_Error.html
KEY_ANSWERS: Final[Mapping[str, type[EverturnError] | None]] = MappingProxyType(
    {
        "AccessDenied": AccessDeniedError,
        "InternalError": UnavailableError,
        "SlowDown": UnavailableError,
        "ServiceUnavailable": UnavailableError,
        "RequestTimeout": UnavailableError,
        "OperationAborted": UnavailableError,
        "ConditionalRequestConflict": UnavailableError,
        "NoSuchKey": None,  # some servers: there was nothing to remove
    }
)


def store_error(exc: Exception, verb: S3Verb) -> EverturnError:
    """Return what to raise for one of `FOREIGN_ERRORS`; the message holds no key and no body."""
    answer = next(S3_ANSWERS[name] for name in names_of(exc) if name in S3_ANSWERS)
    raised = answer.read if verb in {"get", "list"} else answer.write
    return raised(f"s3 did not do it verb={verb} {detail_of(exc)}")


def passing_keys(errors: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the keys of a DeleteObjects that may go later, of its errors as (key, code).

    Raises:
        AccessDeniedError: a key is refused for good; a code outside the table counts as that.
    """
    found = [(key, code, KEY_ANSWERS.get(code, AccessDeniedError)) for key, code in errors]
    for _, code, answer in found:
        if answer is AccessDeniedError:
            raise AccessDeniedError(f"s3 did not do it verb=delete code={code}")
    return frozenset(key for key, _, answer in found if answer is UnavailableError)


@contextmanager
def s3_errors(verb: S3Verb) -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise store_error(exc, verb) from exc


SqsVerb = Literal["offer", "claim", "settle", "depth", "redrive"]


@dataclass(frozen=True, slots=True)
class SqsAnswer:
    """What the end of a lease raises, None where it had ended before; what anything else raises."""

    settle: type[EverturnError] | None
    other: type[EverturnError]


_SQS_FINAL: Final = SqsAnswer(MisconfiguredError, MisconfiguredError)
_SQS_LATER: Final = SqsAnswer(UnavailableError, UnavailableError)
_SQS_ENDED: Final = SqsAnswer(None, MisconfiguredError)

# A code comes by its old name or by its new one.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-json-faqs.html
SQS_ANSWERS: Final[Mapping[str | type[Exception], SqsAnswer]] = MappingProxyType(
    {
        "ReceiptHandleIsInvalid": _SQS_ENDED,
        "InvalidIdFormat": _SQS_ENDED,
        "MessageNotInflight": _SQS_ENDED,
        "AWS.SimpleQueueService.MessageNotInflight": _SQS_ENDED,
        "InvalidParameterValue": _SQS_ENDED,  # "message does not exist or is not available"
        "OverLimit": _SQS_LATER,  # 120,000 messages are in flight
        "RequestThrottled": _SQS_LATER,  # a 403
        "Throttling": _SQS_LATER,
        "ThrottlingException": _SQS_LATER,
        "KmsThrottled": _SQS_LATER,
        "KMS.ThrottlingException": _SQS_LATER,
        "408": _SQS_LATER,
        "429": _SQS_LATER,
        "3xx": _SQS_FINAL,  # another region or endpoint
        "4xx": _SQS_FINAL,  # no such queue, no permission, no key to decrypt with
        "5xx": _SQS_LATER,
        **dict.fromkeys(_WRONG_SETTINGS, _SQS_FINAL),
        HTTPClientError: _SQS_LATER,
        HTTPError: _SQS_LATER,
        ResponseParserError: _SQS_LATER,
        BotoCoreError: _SQS_LATER,
    }
)


def queue_error(exc: Exception, verb: SqsVerb) -> EverturnError | None:
    """Return what to raise for one of `FOREIGN_ERRORS`; None where a lease had ended before.

    The message holds no id, no receipt and no body.
    """
    answer = next(SQS_ANSWERS[name] for name in names_of(exc) if name in SQS_ANSWERS)
    raised = answer.settle if verb == "settle" else answer.other
    if raised is None:
        return None
    return raised(f"sqs did not do it verb={verb} {detail_of(exc)}")


@contextmanager
def sqs_errors(verb: SqsVerb) -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block, if it is one."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        error = queue_error(exc, verb)
        if error is not None:
            raise error from exc


_NO_ANSWER: Final = (KeyError, ValueError, RuntimeError)
STS_FOREIGN_ERRORS: Final = (
    ClientError,
    BotoCoreError,
    ResponseParserError,
    HTTPError,
    *_NO_ANSWER,
)
"""All that a call of the STS client, or reading its answer, raises."""

# https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html#API_AssumeRole_Errors
# https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html
STS_ANSWERS: Final[Mapping[str | type[Exception], type[EverturnError]]] = MappingProxyType(
    {
        # The function's own credentials have ended: another process has newer ones.
        "ExpiredTokenException": NotSentError,
        "ExpiredToken": NotSentError,
        "Throttling": NotSentError,  # a 400
        "ThrottlingException": NotSentError,
        "RequestLimitExceeded": NotSentError,
        "408": NotSentError,
        "429": NotSentError,
        "3xx": MisconfiguredError,  # another region or endpoint
        "4xx": MisconfiguredError,  # no such role, not for this function, not with these tags
        "5xx": NotSentError,
        **dict.fromkeys(_WRONG_SETTINGS, MisconfiguredError),
        HTTPClientError: NotSentError,
        HTTPError: NotSentError,
        ResponseParserError: NotSentError,
        BotoCoreError: NotSentError,
        KeyError: NotSentError,  # a 200 without credentials
        ValueError: NotSentError,  # botocore's word for a time that is none, as is the next one
        RuntimeError: NotSentError,
    }
)


def role_error(exc: Exception) -> EverturnError:
    """Return what to raise for one of `STS_FOREIGN_ERRORS`; the message holds no tag or name."""
    raised = next(STS_ANSWERS[name] for name in names_of(exc) if name in STS_ANSWERS)
    return raised(f"sts did not hand out the role of a scope {detail_of(exc)}")


@contextmanager
def sts_errors() -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block."""
    try:
        yield
    except STS_FOREIGN_ERRORS as exc:
        raise role_error(exc) from exc
