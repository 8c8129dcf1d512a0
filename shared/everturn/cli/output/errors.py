"""What a command can fail with, and how it is said: one line on stderr, exit 1."""

from dataclasses import dataclass
from pathlib import Path

from everturn.errors import EverturnError


class CliError(Exception):
    """A command cannot do what it was asked; the message is for a person."""


@dataclass(frozen=True, slots=True)
class ApiFault:
    """The parts of an error answer of the API, as far as it has them; `log` may say more."""

    status: int
    message: str
    code: str | None = None
    field: str | None = None
    request_id: str | None = None
    log: Path | None = None


class ApiError(CliError):
    """The API answered with an error."""

    def __init__(self, fault: ApiFault) -> None:
        """Put the fault in one line: message first, then what identifies it."""
        identity = {"code": fault.code, "field": fault.field, "request": fault.request_id}
        if not any(identity.values()):
            identity = {"status": str(fault.status)}
        super().__init__(_line(fault.message, **identity, log=fault.log))
        self.fault = fault


def line_of(error: CliError | EverturnError | OSError) -> str:
    """Return what to say about a failure, without `error: ` before it."""
    if isinstance(error, EverturnError):
        return _line(error.message, code=error.code, field=error.field)
    if isinstance(error, OSError):
        reason = (error.strerror or type(error).__name__).lower()
        return _line(reason, file=error.filename)
    return str(error)


def _line(message: str, **data: object) -> str:
    return " ".join([message, *(f"{name}={value}" for name, value in data.items() if value)])
