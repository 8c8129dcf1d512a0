"""What a failure of botocore to find credentials means: one table.

Nothing was sent when one of these is raised.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from types import MappingProxyType
from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's name
    CredentialRetrievalError,
    HTTPClientError,
    LoginError,
    MetadataRetrievalError,
    RefreshWithMFAUnsupportedError,
    SSOError,
    TokenRetrievalError,
)

from everturn.errors import EverturnError, MisconfiguredError, NotSentError, UnauthenticatedError

FOREIGN_ERRORS: Final = (ClientError, BotoCoreError, RuntimeError, ValueError, KeyError)
"""All that credentials raise when they are looked for or refreshed."""

# Looked up by the class, then the classes above it. An answer of a service has its own rule below.
ANSWERS: Final[Mapping[type[Exception], type[EverturnError]]] = MappingProxyType(
    {
        SSOError: UnauthenticatedError,  # `aws sso login`
        LoginError: UnauthenticatedError,  # `aws login`
        TokenRetrievalError: UnauthenticatedError,
        RefreshWithMFAUnsupportedError: UnauthenticatedError,
        ClientError: UnauthenticatedError,  # STS or SSO refuses
        # A process that hands out credentials, and the metadata service of an instance.
        CredentialRetrievalError: NotSentError,
        MetadataRetrievalError: NotSentError,
        ConnectionError: NotSentError,
        HTTPClientError: NotSentError,
        RuntimeError: NotSentError,  # botocore's word for new credentials that have ended already
        ValueError: NotSentError,  # for an answer whose time is none
        KeyError: NotSentError,  # for an answer that lacks something
        BotoCoreError: MisconfiguredError,  # a profile, a file or a setting
    }
)

_WORDS: Final[Mapping[type[EverturnError], str]] = MappingProxyType(
    {
        UnauthenticatedError: "sign in to aws again",
        NotSentError: "no aws credentials are to be had for now",
        MisconfiguredError: "aws credentials cannot be read as they are set up",
    }
)
_THROTTLED: Final = frozenset({"Throttling", "ThrottlingException", "TooManyRequestsException"})


def credentials_error(exc: Exception) -> EverturnError:
    """Return what to raise for one of `FOREIGN_ERRORS`; the message holds no key and no name."""
    raised = next(ANSWERS[kind] for kind in type(exc).__mro__ if kind in ANSWERS)
    detail = f"cause={type(exc).__name__}"
    if isinstance(exc, ClientError):
        code = str(exc.response.get("Error", {}).get("Code"))
        detail = f"code={code}"
        raised = NotSentError if _passes(exc, code) else raised
    return raised(f"{_WORDS[raised]} {detail}")


def _passes(exc: ClientError, code: str) -> bool:
    status = exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return code in _THROTTLED or status >= HTTPStatus.INTERNAL_SERVER_ERROR


@contextmanager
def translated() -> Iterator[None]:
    """Raise one of our errors for whatever botocore raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise credentials_error(exc) from exc
