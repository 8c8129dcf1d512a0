"""One operation of the API: what it takes, read from its handler, and what it responds.

Parameters, body and summary come from the handler and its docstring.
"""

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from everturn.errors import MisconfiguredError
from everturn.local.bundle import Bundle
from everturn.local.functions import load_resolvers
from everturn.local.template import Route, read_routes

_PARAMETER = re.compile(r"\{(\w+)\}")
# Powertools' own answer to what is wrong; ours is another (edge/http_app.py).
_NOT_OURS = frozenset({"HTTPValidationError", "ValidationError", "ResponseValidationError"})

Described: TypeAlias = dict[str, Any]
"""A part of the description: JSON that is built and read at any depth."""

Shape: TypeAlias = Any
"""A type that pydantic makes a JSON Schema of; None stands for an answer without a body."""


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


@dataclass(frozen=True, slots=True)
class Taken:
    """What the handlers of all routes take: an operation each, and the schemas of their bodies."""

    operations: Mapping[str, Described]
    """By route key as in the template: `summary`, `parameters`, `requestBody`."""
    schemas: Described


def read_requests(bundle: Bundle) -> Taken:
    """Read them from the handlers of a bundle, in the order of its template.

    Raises:
        MisconfiguredError: a handler is missing, or has no route of the template.
    """
    routes = read_routes(bundle.template)
    with TemporaryDirectory(prefix="everturn-") as nowhere:
        # Handlers open their stores when they load; nothing is ever put there.
        settings = {"EVERTURN_STORE": nowhere, "EVERTURN_DERIVED_STORE": None}
        resolvers = load_resolvers(
            {route.function for route in routes}, bundle=bundle, settings=settings
        )
    described = {name: _Described(resolver) for name, resolver in resolvers.items()}
    operations = {route.key: _operation(route, described[route.function.name]) for route in routes}
    schemas = {
        name: schema
        for function in described.values()
        for name, schema in function.schemas.items()
        if name not in _NOT_OURS
    }
    return Taken(operations, mended(schemas))


class _Described:
    """One resolver's own description, and the functions behind its routes."""

    def __init__(self, resolver: Any) -> None:  # noqa: ANN401  # Powertools stays at the edge
        """Describe it; the title and the version are those of the whole."""
        document = json.loads(resolver.get_openapi_json_schema(title="-", version="-"))
        self.schemas: Described = document.get("components", {}).get("schemas", {})
        self.operations = {
            (method.upper(), _nameless(path)): operation
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }
        # Powertools (3.37) shows no handler's docstring, and its lists of routes are private:
        # tests/local/openapi/test_document.py looks for them in the installed version.
        routes = [*resolver._static_routes, *resolver._dynamic_routes]  # noqa: SLF001
        self.docs = {
            (route.method, _nameless(route.openapi_path)): inspect.getdoc(route.func)
            for route in routes
        }


def _operation(route: Route, described: _Described) -> Described:
    method, _, path = route.key.partition(" ")
    known = method, _nameless(path)
    operation = described.operations.get(known)
    if operation is None:
        raise MisconfiguredError(f"a route of the template has no handler route={route.key}")
    names = iter(_PARAMETER.findall(path))
    parameters = [_parameter(each, names) for each in operation.get("parameters", [])]
    said: Described = {"summary": _summary(described.docs[known])}
    if parameters:
        said["parameters"] = parameters
    if body := operation.get("requestBody"):
        schema = _without_null(body["content"]["application/json"]["schema"])
        content: Described = {"application/json": {"schema": schema}}
        said["requestBody"] = {"required": body.get("required", False), "content": content}
    return said


def _nameless(path: str) -> str:
    """Return a path whose parameters have no names: those of Python are not those of the API."""
    return _PARAMETER.sub("{}", path)


def _summary(doc: str | None) -> str:
    return (doc or "").partition("\n")[0].rstrip(".")


def _parameter(said: Described, names: Iterator[str]) -> Described:
    place, name = said["in"], str(said["name"])
    if place == "path":
        name = next(names)
    elif place == "header":
        name = name.title()
    schema: Described = _without_null(said["schema"])
    parameter: Described = {"name": name, "in": place, "required": said["required"]}
    if schema.get("type") == "array":
        # Names with commas between them; a name that comes twice is understood as well.
        parameter |= {"style": "form", "explode": False}
    return {**parameter, "schema": schema}


def _without_null(schema: Any) -> Any:  # noqa: ANN401  # a JSON Schema of any shape
    """Return the schema of what is sent if anything is."""
    schema = mended(schema)
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    return choices[0] if len(choices) == 1 else schema


def mended(schema: Any) -> Any:  # noqa: ANN401  # a JSON Schema of any shape
    """Return a schema without titles that repeat names, and with whole numbers as such."""
    if isinstance(schema, dict):
        return {
            name: mended(value)
            for name, value in schema.items()
            if not (name == "title" and isinstance(value, str))
        }
    if isinstance(schema, list):
        return list(map(mended, schema))
    return int(schema) if isinstance(schema, float) and schema.is_integer() else schema
