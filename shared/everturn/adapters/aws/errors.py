"""What botocore's exceptions say, in the order in which a table of answers is asked."""

from collections.abc import Iterator

from botocore.exceptions import ClientError

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
