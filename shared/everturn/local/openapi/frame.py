"""What the API's description holds beside its routes: who calls, where, errors, headers."""

from typing import Final

from everturn.edge.request_schemas import IDENTIFIER
from everturn.local.openapi.operations import ERRORS, FROM_GATEWAY, GATEWAY_ALONE, Described

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
