"""Build the OpenAPI 3.1 description of the HTTP API from its handlers and responses.

The same handlers give the same bytes.
https://spec.openapis.org/oas/v3.1.1.html

Besides the routes it describes who may call, servers, errors and headers.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NotRequired

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypedDict

from everturn.edge.request_schemas import IDENTIFIER
from everturn.errors import MisconfiguredError
from everturn.local.bundle import Bundle
from everturn.local.openapi.operations import CONVERSATIONS, MEMORIES
from everturn.local.openapi.requests import Described, Link, Operation, Shape, mended, read_requests

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

OPERATIONS: Final = {**CONVERSATIONS, **MEMORIES}
"""What every route answers, by route key."""

_REF = "#/components/schemas/{model}"
_MEANINGS: Final = {200: "Done.", 201: "Made.", 202: "Noted.", 304: "It is as the caller has it."}


class Error(TypedDict):
    """What is wrong. `field` is the path of the field at fault."""

    code: str
    message: str
    field: NotRequired[str]
    request_id: str
    retryable: bool


class ErrorAnswer(TypedDict):
    """Every error that a handler answers."""

    error: Error


class GatewayAnswer(TypedDict):
    """What API Gateway answers itself, in AWS alone: no code and no id, the status says it all."""

    message: str


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


_VERSION: Final = "1"
_ABOUT: Final = (
    "Conversation memory for agents. Whose data it is follows from who calls: tenant and actor "
    "come from the signature or the token. A trusted caller names them in the headers "
    "`X-Everturn-Tenant` and `X-Everturn-Actor`; from anyone else these are 403. "
    "Times are RFC 3339. An error is `error`; one that API Gateway answers itself is a `message`. "
    "Fields that are not named here may be added to answers; in requests they are 422."
)
_TAGS: Final = {
    "conversations": "Ordered threads of turns.",
    "turns": "What was said: append, read, redact, take back.",
    "recall": "Which old turns a query asks for.",
    "memories": "Long-term statements and patterns.",
    "prompts": "What an agent is to know before it answers.",
    "documents": "Small JSON values of agent frameworks.",
    "scope": "All that the caller has, and what works for him.",
}
_SERVERS: Final = [
    {"url": "/", "description": "Where this description was read."},
    {
        "url": "https://{api}.execute-api.{region}.amazonaws.com",
        "description": "In AWS.",
        "variables": {"api": {"default": "api"}, "region": {"default": "us-east-1"}},
    },
]
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-access-control-iam.html
_SECURITY: Final = {
    "iam": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "Signature Version 4 for the service `execute-api`.",
        "x-amazon-apigateway-authtype": "awsSigv4",
    },
    "jwt": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "Where the deployment names an issuer.",
    },
}
_ACT_AS_HEADERS: Final = {
    "Tenant": "The user's tenant; goes with the actor.",
    "Actor": "The user for whom a trusted caller asks.",
}
_HEADERS: Final = {
    "Cache-Control": {
        "description": "Nobody may keep what a user said.",
        "schema": {"type": "string", "const": "no-store"},
    },
    "ETag": {
        "description": "The version of the document, in quotes.",
        "schema": {"type": "string", "pattern": '^"[A-Za-z0-9_-]+"$'},
    },
}

ACT_AS: Final[list[Described]] = [
    {"$ref": f"#/components/parameters/{name}"} for name in _ACT_AS_HEADERS
]
"""The headers that every route takes."""


def frame(paths: Described, schemas: Described) -> Described:
    """Return the whole description around its paths."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Everturn",
            "version": _VERSION,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": _SERVERS,
        "security": [{name: []} for name in _SECURITY],
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "parameters": {name: _act_as(name, text) for name, text in _ACT_AS_HEADERS.items()},
            "headers": _HEADERS,
            "responses": {str(status): _error(status) for status in sorted(ERRORS)},
            "securitySchemes": _SECURITY,
        },
    }


def _act_as(name: str, text: str) -> Described:
    return {
        "name": f"X-Everturn-{name}",
        "in": "header",
        "required": False,
        "description": text,
        "schema": IDENTIFIER,
    }


def _error(status: int) -> Described:
    forms = [
        *(["ErrorAnswer"] if status not in GATEWAY_ALONE else []),
        *(["GatewayAnswer"] if status in FROM_GATEWAY else []),
    ]
    schemas: list[Described] = [{"$ref": f"#/components/schemas/{form}"} for form in forms]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {"description": ERRORS[status], "content": {"application/json": {"schema": schema}}}
