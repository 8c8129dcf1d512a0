"""What an answer or a failure of Bedrock means: one table."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
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

from everturn.adapters.aws.errors import names_of, status_and_code
from everturn.adapters.http.service_errors import TextsRefusedError
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError

FOREIGN_ERRORS: Final = (ClientError, BotoCoreError, ResponseParserError, HTTPError)
"""All that a call of a client, or reading its body, raises."""

# Looked up by error code, then status, then family of the status; or by the class of the failure,
# then the classes above it.
# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html#API_runtime_InvokeModel_Errors
# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors
ANSWERS: Final[Mapping[str | type[Exception], type[EverturnError]]] = MappingProxyType(
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
        NoCredentialsError: MisconfiguredError,
        PartialCredentialsError: MisconfiguredError,
        CredentialRetrievalError: MisconfiguredError,
        TokenRetrievalError: MisconfiguredError,
        SSOError: MisconfiguredError,
        NoRegionError: MisconfiguredError,
        ParamValidationError: MisconfiguredError,  # the name of the model
        InvalidEndpointConfigurationError: MisconfiguredError,
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
    raised = next(ANSWERS[name] for name in names_of(exc) if name in ANSWERS)
    if isinstance(exc, ClientError):
        status, code = status_and_code(exc)
        return raised(f"it answered with an error status={status} code={code}")
    return raised(f"it cannot be reached error={type(exc).__name__}")


@contextmanager
def translated() -> Iterator[None]:
    """Raise one of our errors for whatever the client raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise bedrock_error(exc) from exc
