"""A body of nothing but faults costs little: one is told to the caller, and no more are made."""

import json
from typing import Final

import pytest

from cpu_time import cpu_limit
from functions.every_route import BY_ROUTE, CALLS, Call
from functions.invoked import SESSION, Invoked, iam

ME: Final = iam(f"{SESSION}/Agent/me")
# CPU seconds. A fault that nobody is told costs 10 us; a body has room for 500,000.
MAX_S: Final = 1.0
MANY: Final = {f"k{number}": 1 for number in range(150_000)}
APPEND: Final = "POST /v1/conversations/{id}/turns"
REMEMBER: Final = "POST /v1/memories"

pytestmark = pytest.mark.slow  # bodies of megabytes


@pytest.fixture(scope="module")
def invoke(tmp_path_factory: pytest.TempPathFactory) -> Invoked:
    return Invoked(tmp_path_factory.mktemp("store"))


def _asked(invoke: Invoked, route: str, body: object) -> tuple[int, str]:
    text = json.dumps(body)
    with cpu_limit(MAX_S):
        status, answer = invoke(BY_ROUTE[route], ME, body=text)
    return status, answer["error"]["field"]


@pytest.mark.parametrize(
    "call", [call for call in CALLS if call.body is not None], ids=lambda call: call.route
)
def test_of_many_unknown_fields_the_first_is_told(invoke: Invoked, call: Call) -> None:
    body = {**(call.body or {}), **MANY}
    assert _asked(invoke, call.route, body) == (422, "k0")


def test_of_many_unknown_fields_of_a_part_the_first_is_told(invoke: Invoked) -> None:
    turn = {"role": "user", "text": "x"}
    assert _asked(invoke, APPEND, {"turns": [turn, {**turn, **MANY}]}) == (422, "turns.1.k0")
    source = {"conversation_id": "c1", **MANY}
    body = {"kind": "fact", "statement": "x", "source": source}
    assert _asked(invoke, REMEMBER, body) == (422, "source.k0")


@pytest.mark.parametrize("item", [1, "", "nothing"])
def test_of_many_wrong_items_the_first_is_told(invoke: Invoked, item: object) -> None:
    query = {"query": "x"}
    for route, name in (
        ("POST /v1/conversations/{id}/recall", "roles"),
        ("POST /v1/recall", "roles"),
        ("POST /v1/memories/retrieve", "kinds"),
    ):
        if name == "kinds" or item != "nothing":
            body = {**query, name: [item] * 200_000}
            assert _asked(invoke, route, body) == (422, f"{name}.0")
    assert _asked(invoke, APPEND, {"turns": [item] * 200_000})[0] == 422
