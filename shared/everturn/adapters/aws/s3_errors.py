"""What an answer or a failure of S3 means: one table."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    HTTPClientError,
    InvalidEndpointConfigurationError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
    SSOError,
    TokenRetrievalError,
)
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError

from everturn.adapters.aws.errors import detail_of, names_of
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    GoneError,
    MisconfiguredError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)

Verb = Literal["get", "list", "put", "delete"]

FOREIGN_ERRORS: Final = (ClientError, BotoCoreError, ResponseParserError, HTTPError)
"""All that a call of a client, or reading its body, raises."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a get or a list raises, and what a put or a delete raises."""

    read: type[EverturnError]
    write: type[EverturnError]


_FINAL: Final = Answer(AccessDeniedError, AccessDeniedError)
_MISCONFIGURED: Final = Answer(MisconfiguredError, MisconfiguredError)
_LATER: Final = Answer(UnavailableError, UnavailableError)
_UNCLEAR: Final = Answer(UnavailableError, OutcomeUnknownError)

# Looked up by error code, then status, then family of the status; or by the class of the failure,
# then the classes above it.
# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#ErrorCodeList
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
ANSWERS: Final[Mapping[str | type[Exception], Answer]] = MappingProxyType(
    {
        "NoSuchBucket": _MISCONFIGURED,
        "RequestTimeout": _UNCLEAR,  # a 400
        "404": Answer(AccessDeniedError, GoneError),
        "408": _UNCLEAR,
        "409": Answer(UnavailableError, PreconditionFailedError),
        "412": Answer(AccessDeniedError, PreconditionFailedError),
        "429": _LATER,
        "501": _MISCONFIGURED,  # the store knows no conditions
        "3xx": _MISCONFIGURED,  # another region or endpoint
        "4xx": _FINAL,
        "5xx": _UNCLEAR,
        NoCredentialsError: _MISCONFIGURED,
        PartialCredentialsError: _MISCONFIGURED,
        CredentialRetrievalError: _MISCONFIGURED,
        TokenRetrievalError: _MISCONFIGURED,
        SSOError: _MISCONFIGURED,
        NoRegionError: _MISCONFIGURED,
        ParamValidationError: _MISCONFIGURED,  # only the bucket's name is still checked
        InvalidEndpointConfigurationError: _MISCONFIGURED,
        HTTPClientError: _UNCLEAR,
        HTTPError: _UNCLEAR,
        ResponseParserError: _UNCLEAR,
        BotoCoreError: _UNCLEAR,  # nobody knows whether it was sent
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


def store_error(exc: Exception, verb: Verb) -> EverturnError:
    """Return what to raise for one of `FOREIGN_ERRORS`; the message holds no key and no body."""
    answer = next(ANSWERS[name] for name in names_of(exc) if name in ANSWERS)
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
def translated(verb: Verb) -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise store_error(exc, verb) from exc
