"""The OpenAPI 3.1 description of the HTTP API, put together from handlers and answers.

The same handlers give the same bytes.
https://spec.openapis.org/oas/v3.1.1.html
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from everturn.errors import MisconfiguredError
from everturn.local.bundle import Bundle
from everturn.local.openapi.conversations import CONVERSATIONS
from everturn.local.openapi.frame import ACT_AS, frame
from everturn.local.openapi.memories import MEMORIES
from everturn.local.openapi.operations import (
    EVERYWHERE,
    WITH_BODY,
    Described,
    Link,
    Operation,
    Shape,
)
from everturn.local.openapi.requests import mended, read_requests
from everturn.local.openapi.schemas import ErrorAnswer, GatewayAnswer

OPERATIONS: Final = {**CONVERSATIONS, **MEMORIES}
"""What every route answers, by route key."""

_REF = "#/components/schemas/{model}"
_MEANINGS: Final = {200: "Done.", 201: "Made.", 202: "Noted.", 304: "It is as the caller has it."}


def openapi_document(bundle: Bundle) -> Described:
    """Describe the API of a bundle's template and functions.

    Raises:
        MisconfiguredError: a route has no handler, or nobody said what it answers.
    """
    taken = read_requests(bundle)
    missing = [key for key in taken.operations if key not in OPERATIONS]
    if missing:
        raise MisconfiguredError(f"nobody says what a route answers route={missing[0]}")
    shapes = list(_shapes(OPERATIONS[key] for key in taken.operations))
    answers, schemas = _schemas_of(shapes)
    paths: Described = {}
    for key, request in taken.operations.items():
        method, _, path = key.partition(" ")
        described = _operation(request, OPERATIONS[key], answers)
        paths[path] = {**paths.get(path, {}), method.lower(): described}
    return frame(paths, {**taken.schemas, **schemas})


def openapi_text(bundle: Bundle) -> str:
    """Return the description as a file holds it.

    Raises:
        MisconfiguredError: as `openapi_document`.
    """
    return json.dumps(openapi_document(bundle), indent=2, ensure_ascii=False) + "\n"


def _shapes(operations: Iterable[Operation]) -> Iterator[Shape]:
    yield ErrorAnswer
    yield GatewayAnswer
    for operation in operations:
        yield from (shape for shape in operation.answers.values() if shape is not None)


def _schemas_of(shapes: list[Shape]) -> tuple[dict[int, Any], Described]:
    """Return the schema of each shape, by its identity, and the schemas that these refer to."""
    inputs = [(str(id(shape)), "serialization", TypeAdapter(shape).core_schema) for shape in shapes]
    generator = GenerateJsonSchema(by_alias=True, ref_template=_REF)
    found, definitions = generator.generate_definitions(inputs)  # type: ignore[arg-type]
    return {id(shape): mended(found[str(id(shape)), "serialization"]) for shape in shapes}, mended(
        definitions
    )


def _operation(request: Described, said: Operation, answers: dict[int, Any]) -> Described:
    operation: Described = {"operationId": said.id, "tags": [said.tag], **request}
    operation["parameters"] = [*request.get("parameters", []), *ACT_AS]
    errors = {*EVERYWHERE, *said.errors}
    if body := request.get("requestBody"):
        errors |= {*WITH_BODY}
        if said.example is not None:
            body["content"]["application/json"]["example"] = said.example
    operation["responses"] = {
        **{str(status): _answer(status, said, answers) for status in sorted(said.answers)},
        **{str(status): {"$ref": f"#/components/responses/{status}"} for status in sorted(errors)},
    }
    return operation


def _answer(status: int, said: Operation, answers: dict[int, Any]) -> Described:
    shape = said.answers[status]
    answer: Described = {"description": _MEANINGS[status]}
    names = ("Cache-Control", *said.headers)
    answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
    if shape is not None:
        answer["content"] = {said.media: {"schema": answers[id(shape)]}}
        if said.links:
            answer["links"] = dict(map(_link, said.links))
    return answer


def _link(link: Link) -> tuple[str, Described]:
    return link.operation, {"operationId": link.operation, "parameters": dict(link.values)}
