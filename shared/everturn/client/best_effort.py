"""What a client in the mode `best_effort` does about a failure: it logs and goes on."""

import logging
from typing import Final

from everturn.client.error_mapping import Failure
from everturn.errors import (
    ConflictError,
    ConversationGoneError,
    EverturnError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    TooLargeError,
    UnauthenticatedError,
    UnsupportedMediaError,
)

# An answer to what was asked, or a mistake that only the caller can mend; an empty result would
# hide it for good. Everything else is a failure of the network, of the server or its deployment.
ALWAYS_RAISED: Final = (
    ConflictError,
    ConversationGoneError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    TooLargeError,
    UnauthenticatedError,
    UnsupportedMediaError,
)

_LOGGER = logging.getLogger("everturn")


def is_borne(error: EverturnError) -> bool:
    """Say whether `best_effort` goes on after an error."""
    return not isinstance(error, ALWAYS_RAISED)


def log_failure(name: str, failure: Failure) -> None:
    """Log a failure of the call `name`; no id and no text of a user, which messages may hold."""
    _LOGGER.warning(
        "%s failed, going on without code=%s status=%s request_id=%s",
        name,
        failure.error.code,
        failure.status,
        failure.request_id,
    )
