"""One fitting request for each route of the template, and what has to be there for it.

A route without a request fails test_every_route.py, and with it all that goes by this table:
isolation, privacy, limits and identity.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

import httpx

from everturn.local.bundle import find_bundle
from everturn.local.template import read_routes
from functions.house import House, Json
from functions.remembered import SPEC

ROUTES: Final = tuple(route.key for route in read_routes(find_bundle().template))
ID, SPACE, KEY = "c1", "state", "k1"


@dataclass(frozen=True, slots=True)
class Call:
    """A request; `{id}`, `{rid}` and the like stand for names wherever they are in it."""

    route: str
    body: Json | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    def path(self, names: Mapping[str, str]) -> str:
        """The path with these names in it, each as one segment."""
        quoted = {name: quote(value, safe="") for name, value in names.items()}
        return _filled(self.route.partition(" ")[2], quoted)

    def send(self, house: House, **names: str) -> httpx.Response:
        """Send the request with these names."""
        known = {"id": ID, "space": SPACE, "key": KEY, "number": "0", "count": "2", **names}
        escaped = {name: json.dumps(value)[1:-1] for name, value in known.items()}
        text = None if self.body is None else _filled(json.dumps(self.body), escaped)
        return house.client.request(
            self.method,
            self.path(known),
            content=text,
            params={name: _filled(value, known) for name, value in self.query.items()},
            headers={"content-type": "application/json", **self.headers},
        )


def _filled(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def said(text: str) -> Json:
    """The body of an append of one turn."""
    return {"turns": [{"role": "user", "text": text}]}


FACT: Final[Json] = {"kind": "fact", "statement": "The deploy port is 9090."}
SOURCE: Final[Json] = {"conversation_id": "{id}"}

CALLS: Final = (
    Call("POST /v1/conversations", {"conversation_id": "{id}", "title": "A title"}),
    Call("GET /v1/conversations"),
    Call("GET /v1/conversations/{id}"),
    Call("PATCH /v1/conversations/{id}", {"title": "Another title"}),
    Call("GET /v1/conversations/{id}/export"),
    Call("POST /v1/conversations/{id}/turns", said("The port is 8080.")),
    Call("GET /v1/conversations/{id}/turns"),
    Call("PATCH /v1/conversations/{id}/turns/{number}", {"text": "Nothing."}),
    Call("POST /v1/conversations/{id}/recall", {"query": "which port"}),
    Call("POST /v1/conversations/{id}/consolidate", {}),
    Call("POST /v1/recall", {"query": "which port"}),
    Call("GET /v1/turns/recent"),
    Call("POST /v1/themes", {}),
    Call("GET /v1/status"),
    Call("POST /v1/memories", {**FACT, "source": SOURCE}),
    Call("GET /v1/memories"),
    Call("GET /v1/memories/{rid}"),
    Call("PATCH /v1/memories/{rid}", {"pinned": True}),
    Call("POST /v1/memories/{rid}/outcomes", {"status": "success", "source": SOURCE}),
    Call("POST /v1/memories/{rid}/promote", {}),
    Call("POST /v1/memories/retrieve", {"query": "which port"}),
    Call("POST /v1/memories/pinned", {"goal": "a release"}),
    Call("POST /v1/memories/procedural", {"goal": "a release"}),
    Call("POST /v1/context", {"query": "which port", "conversation_id": "{id}"}),
    Call("PUT /v1/documents/{space}/{key}", {"value": 1}),
    Call("GET /v1/documents/{space}/{key}"),
    Call("GET /v1/documents/{space}", query={"prefix": "{key}"}),
    Call("DELETE /v1/documents/{space}/{key}"),
    Call("GET /v1/export"),
    # What takes away comes last: the calls may be made one after the other.
    Call("DELETE /v1/conversations/{id}/turns/last", query={"expected_turn_count": "{count}"}),
    Call("DELETE /v1/memories/{rid}"),
    Call("DELETE /v1/conversations/{id}"),
    Call("DELETE /v1/me"),
)  # fmt: skip
BY_ROUTE: Final = {call.route: call for call in CALLS}


def prepare(house: House, *, id_: str = ID, key: str = KEY, word: str = "") -> str:
    """Give a user a conversation, a document and a proven pattern, whose id is returned.

    `word` stands in the text of each.
    """
    house.append(id_, f"The port is 8080. {word}", "I prefer short answers.")
    call(house, "PUT /v1/documents/{space}/{key}", key=key)
    spec = {**SPEC, "name": f"Deploy {word}"}
    for number in range(3):
        source = {"conversation_id": f"earlier-{number}"}
        body = {"kind": "pattern", "spec": spec, "source": source}
        response = house.client.post("/v1/memories", json=body)
        assert response.is_success, response.text
    rid: str = response.json()["memory"]["id"]
    return rid


def call(house: House, route: str, **names: Any) -> httpx.Response:  # noqa: ANN401 - names of any parameter
    """Send the request of a route, which must succeed."""
    response = BY_ROUTE[route].send(house, **names)
    assert response.is_success, response.text
    return response
