"""What an answer or a failure of STS means: one table.

A role may be assumed again without harm, and what was to be signed with it was not sent.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

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
from everturn.errors import EverturnError, MisconfiguredError, NotSentError

_NO_ANSWER: Final = (KeyError, ValueError, RuntimeError)
FOREIGN_ERRORS: Final = (ClientError, BotoCoreError, ResponseParserError, HTTPError, *_NO_ANSWER)
"""All that a call of the client, or reading its answer, raises."""

# Looked up by error code, then status, then family of the status; or by the class of the failure,
# then the classes above it.
# https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html#API_AssumeRole_Errors
# https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html
ANSWERS: Final[Mapping[str | type[Exception], type[EverturnError]]] = MappingProxyType(
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
        NoCredentialsError: MisconfiguredError,
        PartialCredentialsError: MisconfiguredError,
        CredentialRetrievalError: MisconfiguredError,
        TokenRetrievalError: MisconfiguredError,
        SSOError: MisconfiguredError,
        NoRegionError: MisconfiguredError,
        ParamValidationError: MisconfiguredError,
        InvalidEndpointConfigurationError: MisconfiguredError,
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
    """Return what to raise for one of `FOREIGN_ERRORS`; the message holds no tag and no name."""
    raised = next(ANSWERS[name] for name in names_of(exc) if name in ANSWERS)
    return raised(f"sts did not hand out the role of a scope {detail_of(exc)}")


@contextmanager
def translated() -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise role_error(exc) from exc
