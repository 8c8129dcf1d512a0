"""Memories that the routes are tested on, and the requests that make and read them."""

from typing import Any

import httpx

from functions.house import House, Json

MEMORIES = "/v1/memories"
NOBODY = "0" * 32
"""An id that no memory has."""

SPEC: Json = {"name": "Deploy", "trigger": "a release", "steps": ["run the tests", "push the tag"]}


def send(house: House, key: str | None = None, **body: Any) -> httpx.Response:  # noqa: ANN401 - any field
    """Send a request to remember something."""
    headers = {} if key is None else {"Idempotency-Key": key}
    return house.client.post(MEMORIES, json=body, headers=headers)


def remember(house: House, statement: str, kind: str = "fact", **body: Any) -> Json:  # noqa: ANN401 - any field
    """Remember a statement, which must succeed, and return the memory."""
    response = send(house, kind=kind, statement=statement, **body)
    assert response.status_code in {200, 201}, response.text
    memory: Json = response.json()["memory"]
    return memory


def prove(house: House, **spec: Any) -> Json:  # noqa: ANN401 - any field
    """Remember a pattern from three conversations, and return it."""
    for number in range(3):
        source = {"conversation_id": f"c{number}"}
        response = send(house, kind="pattern", spec={**SPEC, **spec}, source=source)
        assert response.is_success, response.text
    memory: Json = response.json()["memory"]
    return memory


def at(rid: str, rest: str = "") -> str:
    """The path of a memory."""
    return f"{MEMORIES}/{rid}{rest}"


def statements(house: House, **params: str | int) -> list[str]:
    """The statements of a list, sorted."""
    return sorted(memory["statement"] for memory in house.read(MEMORIES, **params)["memories"])


def retrieve(house: House, query: str, **body: Any) -> Json:  # noqa: ANN401 - any field
    """Retrieve, which must be answered."""
    return post(house, "/v1/memories/retrieve", query=query, **body)


def post(house: House, path: str, **body: Any) -> Json:  # noqa: ANN401 - any field
    """Post a body, which must be answered."""
    response = house.client.post(path, json=body)
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def found(answer: Json) -> list[str]:
    """The texts of the snippets, in order."""
    return [snippet["text"] for snippet in answer["snippets"]]
