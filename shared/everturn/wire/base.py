"""What an answer is read into: frozen models that ignore what a newer server adds."""

from collections.abc import Mapping
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, PrivateAttr

from everturn.errors import UnavailableError


class Part(BaseModel):
    """A part of an answer: fields are named as in the HTTP API, `from` is `from_`.

    Values cannot be set; a field that the API leaves out has its default.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        validate_by_name=True,
        validate_by_alias=True,
        # What users said stays out of tracebacks.
        hide_input_in_errors=True,
    )


class Result(Part):
    """A whole answer."""

    _failed: str | None = PrivateAttr(default=None)

    @property
    def failed(self) -> str | None:
        """The error's code where `best_effort` gave this empty result for a failure; else None."""
        return self._failed

    def sure(self) -> Self:
        """Return the result itself, where going on without it would do harm.

        Raises:
            UnavailableError: it is empty: `best_effort` gave it for a failure.
        """
        if self._failed is not None:
            raise UnavailableError(f"there is no answer to go on with code={self._failed}")
        return self

    @classmethod
    def nothing(cls, code: str) -> Self:
        """Return the empty result that stands for a failure of this code."""
        result = cls.model_validate(_empty_fields(cls))
        result._failed = code  # noqa: SLF001 - its own
        return result


def moment(text: str) -> datetime:
    """Return a time of the API as an aware datetime; what is below a microsecond is cut off.

    Raises:
        ValueError: it is no RFC 3339 time.
    """
    return datetime.fromisoformat(text)


def _empty_fields(model: type[BaseModel]) -> dict[str, Any]:
    return {
        field.alias or name: _empty(field.annotation)
        for name, field in model.model_fields.items()
        if field.is_required()
    }


def _empty(kind: Any) -> Any:  # noqa: ANN401 - an annotation of any kind, a JSON value of any kind
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin is UnionType or origin is Any:
        return None if NoneType in arguments or kind is Any else _empty(arguments[0])
    if issubclass(origin, BaseModel):
        return _empty_fields(origin)
    return {} if issubclass(origin, Mapping) else origin()
