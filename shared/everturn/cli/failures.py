"""What a command can fail with, and how it is said: one line on stderr, exit 1.

Not here: wrong usage, which typer says itself (exit 2).
"""

from dataclasses import dataclass

from everturn.errors import EverturnError


class CliError(Exception):
    """A command cannot do what it was asked; the message is for a person."""


@dataclass(frozen=True, slots=True)
class ApiFault:
    """The parts of an error answer of the API, as far as it has them."""

    status: int
    message: str
    code: str | None = None
    field: str | None = None
    request_id: str | None = None


class ApiError(CliError):
    """The API answered with an error."""

    def __init__(self, fault: ApiFault) -> None:
        """Put the fault in one line: message first, what identifies it in brackets."""
        names = {"code": fault.code, "field": fault.field, "request": fault.request_id}
        known = [f"{name}={value}" for name, value in names.items() if value]
        super().__init__(f"{fault.message} ({', '.join(known or [f'status={fault.status}'])})")
        self.fault = fault


def line_of(error: CliError | EverturnError | OSError) -> str:
    """Return what to say about a failure, without `error: ` before it."""
    if isinstance(error, EverturnError):
        parts = [f"code={error.code}", *([f"field={error.field}"] if error.field else [])]
        return f"{error.message} ({', '.join(parts)})"
    if isinstance(error, OSError):
        reason = (error.strerror or type(error).__name__).lower()
        return f"{reason} (file={error.filename})" if error.filename else reason
    return str(error)
