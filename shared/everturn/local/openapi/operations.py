"""What the API's description says of one route beyond what its handler takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Described: TypeAlias = dict[str, Any]
"""A part of the description: JSON that is built and read at any depth."""
Shape: TypeAlias = Any
"""A type that pydantic makes a JSON Schema of; None stands for an answer without a body."""

ERRORS: Final[Mapping[int, str]] = {
    400: "The body is no JSON object.",
    401: "The request carries no identity.",
    403: "This identity may not do this.",
    404: "Nothing is there: unknown, foreign and deleted look alike.",
    409: "It is not in the state that was expected: read, decide, send again.",
    410: "The conversation was deleted.",
    411: "The body came without its length; the local server alone answers so.",
    412: "The document is not at the version that the headers name.",
    413: "Too large: a turn has at most 1 MiB, a body and an answer 3 MiB.",
    415: "The body is not declared as application/json.",
    422: "A field is not what it must be; `field` holds its path.",
    429: "Too many requests: wait.",
    500: "A fault of the deployment, or a stored file that cannot be read.",
    502: "The function failed, or its answer was none: a fault of the deployment.",
    503: "No clear answer in time: send the same request again, with the same key.",
}
"""Every status of an error, and what it means."""

FROM_GATEWAY: Final = frozenset({400, 401, 403, 404, 413, 429, 500, 502, 503})
"""Statuses that API Gateway gives before a handler is asked, or where it has no answer of one.

https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
"""
GATEWAY_ALONE: Final = frozenset({429, 502})
"""Those of them that no error of ours has."""

EVERYWHERE: Final = (400, 401, 403, 413, 422, 429, 500, 502, 503)
"""Errors of every route: 413 too, since any answer may be larger than Lambda hands on."""
WITH_BODY: Final = (411, 415)


@dataclass(frozen=True, slots=True)
class Link:
    """What can be called next; values are runtime expressions of OpenAPI.

    Only what an answer always holds is linked: no next page, which is often not there.
    https://spec.openapis.org/oas/v3.1.1.html#runtime-expressions
    """

    operation: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Operation:
    """One route: its id, its group, its answers by status, its errors beyond the usual ones."""

    id: str
    tag: str
    answers: Mapping[int, Shape]
    errors: tuple[int, ...] = ()
    links: tuple[Link, ...] = ()
    example: Described | None = None
    media: str = "application/json"
    headers: tuple[str, ...] = ()


def linked(values: Mapping[str, str], *operations: str) -> tuple[Link, ...]:
    """Return links to operations that take the same values of an answer."""
    return tuple(Link(operation, values) for operation in operations)
