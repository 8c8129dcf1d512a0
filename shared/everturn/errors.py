"""Every error that Everturn raises, one class per different reaction of the caller.

EverturnError
├── InvalidRequestError        mend the named field
│   └── MalformedRequestError  send a JSON object
├── TooLargeError              send less
├── UnsupportedMediaError      send application/json
├── UnauthenticatedError       sign in
├── ForbiddenError             ask for the permission
├── NotFoundError              there is nothing at that id
├── ConflictError              read again, decide, send again
│   └── StaleEtagError         the same, for the version that the request's headers name
├── ConversationGoneError      it was deleted: use another id or create it anew
├── CorruptRecordError         a stored file cannot be read: an operator has to look
├── UnavailableError           send the same request again, later
│   └── NotSentError           the same; who repeats it at once only asks for credentials again
├── MisconfiguredError         mend the deployment; nothing was started
└── StoreError                 what an object store answers; services react to it
    ├── PreconditionFailedError  another write came first: read again
    ├── GoneError                the object to replace is not there any more
    ├── OutcomeUnknownError      the write may or may not have happened: read back
    └── AccessDeniedError        the store refuses: final
"""

from typing import ClassVar


class EverturnError(Exception):
    """Anything that Everturn raises on purpose.

    `code` is part of the HTTP contract; `retryable` says whether the same request may succeed
    later without a change.
    """

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, field: str | None = None) -> None:
        """Keep the message (lower-case, `key=value` last) and the path of the field at fault."""
        super().__init__(message)
        self.message = message
        self.field = field

    def __str__(self) -> str:
        """Return the message and, last, the field at fault."""
        return self.message if self.field is None else f"{self.message} field={self.field}"


class InvalidRequestError(EverturnError):
    """A field of the request is not what it must be; `field` holds its path."""

    code = "invalid_request"


class MalformedRequestError(InvalidRequestError):
    """The body is no JSON object."""

    code = "malformed_request"


class TooLargeError(EverturnError):
    """The request or the answer is above a size limit."""

    code = "too_large"


class UnsupportedMediaError(EverturnError):
    """The body is declared to be something else than JSON."""

    code = "unsupported_media_type"


class UnauthenticatedError(EverturnError):
    """The request carries no identity."""

    code = "unauthenticated"


class ForbiddenError(EverturnError):
    """The identity may not do this."""

    code = "forbidden"


class NotFoundError(EverturnError):
    """Nothing is there; unknown, foreign and deleted look alike."""

    code = "not_found"


class ConflictError(EverturnError):
    """The conversation is not in the state that the caller expected."""

    code = "conflict"


class StaleEtagError(ConflictError):
    """The document is not at the version that `If-Match` or `If-None-Match` names."""

    code = "precondition_failed"


class ConversationGoneError(EverturnError):
    """The conversation was deleted; nothing can be appended to it."""

    code = "conversation_gone"


class CorruptRecordError(EverturnError):
    """A stored document cannot be read; it is left as it is."""

    code = "corrupt_record"


class UnavailableError(EverturnError):
    """The store did not answer in time, or too many writers are at work."""

    code = "unavailable"
    retryable = True


class NotSentError(UnavailableError):
    """No credentials are to be had for now: a store was not asked, and nothing was written."""


class MisconfiguredError(EverturnError):
    """The deployment cannot work: a setting is wrong or the store ignores conditions."""

    code = "misconfigured"


class StoreError(EverturnError):
    """An object store did not do what it was asked; services act on the subclasses."""

    code = "store_error"


class PreconditionFailedError(StoreError):
    """The object is not at the expected version; nothing was written."""


class GoneError(StoreError):
    """The object that was to be replaced does not exist any more; nothing was written."""


class OutcomeUnknownError(StoreError):
    """The write got no clear answer: it may have happened, or may yet happen."""

    code = "unavailable"
    retryable = True


class AccessDeniedError(StoreError):
    """The store refuses this request for good: permissions, or a request it does not accept."""
