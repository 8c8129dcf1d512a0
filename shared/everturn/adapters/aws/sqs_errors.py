"""What an answer or a failure of SQS means: one table.

Every call may be made again without harm.
"""

from collections.abc import Iterator, Mapping
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
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError

Verb = Literal["offer", "claim", "settle", "depth", "redrive"]

FOREIGN_ERRORS: Final = (ClientError, BotoCoreError, ResponseParserError, HTTPError)
"""All that a call of the client raises."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the end of a lease raises, None where it had ended before; what anything else raises."""

    settle: type[EverturnError] | None
    other: type[EverturnError]


_FINAL: Final = Answer(MisconfiguredError, MisconfiguredError)
_LATER: Final = Answer(UnavailableError, UnavailableError)
_ENDED: Final = Answer(None, MisconfiguredError)

# Looked up by error code, then status, then family of the status; or by the class of the failure,
# then the classes above it. A code comes by its old name or by its new one.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-json-faqs.html
ANSWERS: Final[Mapping[str | type[Exception], Answer]] = MappingProxyType(
    {
        "ReceiptHandleIsInvalid": _ENDED,
        "InvalidIdFormat": _ENDED,
        "MessageNotInflight": _ENDED,
        "AWS.SimpleQueueService.MessageNotInflight": _ENDED,
        "InvalidParameterValue": _ENDED,  # "message does not exist or is not available"
        "OverLimit": _LATER,  # 120,000 messages are in flight
        "RequestThrottled": _LATER,  # a 403
        "Throttling": _LATER,
        "ThrottlingException": _LATER,
        "KmsThrottled": _LATER,
        "KMS.ThrottlingException": _LATER,
        "408": _LATER,
        "429": _LATER,
        "3xx": _FINAL,  # another region or endpoint
        "4xx": _FINAL,  # no such queue, no permission, no key to decrypt with
        "5xx": _LATER,
        NoCredentialsError: _FINAL,
        PartialCredentialsError: _FINAL,
        CredentialRetrievalError: _FINAL,
        TokenRetrievalError: _FINAL,
        SSOError: _FINAL,
        NoRegionError: _FINAL,
        ParamValidationError: _FINAL,
        InvalidEndpointConfigurationError: _FINAL,
        HTTPClientError: _LATER,
        HTTPError: _LATER,
        ResponseParserError: _LATER,
        BotoCoreError: _LATER,
    }
)


def queue_error(exc: Exception, verb: Verb) -> EverturnError | None:
    """Return what to raise for one of `FOREIGN_ERRORS`; None where a lease had ended before.

    The message holds no id, no receipt and no body.
    """
    answer = next(ANSWERS[name] for name in names_of(exc) if name in ANSWERS)
    raised = answer.settle if verb == "settle" else answer.other
    if raised is None:
        return None
    return raised(f"sqs did not do it verb={verb} {detail_of(exc)}")


@contextmanager
def translated(verb: Verb) -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block, if it is one."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        error = queue_error(exc, verb)
        if error is not None:
            raise error from exc
