"""What is too large, too deep or too many is refused on every route.

At once, and nothing changes.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from cpu_time import cpu_limit
from everturn.conversations.model.turn import (
    MAX_METADATA_BYTES,
    MAX_TURN_BYTES,
    TurnDraft,
    encode_turns,
)
from everturn.edge.http_app import MAX_BODY_BYTES
from everturn.edge.requests import MAX_TURNS
from functions.every_route import BY_ROUTE, CALLS, Call, said
from functions.house import House, Json, fault
from functions.invoked import SESSION, Invoked, iam
from functions.remembered import remember

ME: Final = iam(f"{SESSION}/Agent/me")
BODIED: Final = [call for call in CALLS if call.body is not None]
APPEND: Final = "POST /v1/conversations/{id}/turns"
# CPU seconds: a refusal costs a fraction of them.
MAX_S: Final = 2.0
NOW_NS: Final = 1_767_225_600_000_000_000
DEPTHS: Final = [65, 500, 900, 5_000, 100_000]

every_call = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.route)
every_body = pytest.mark.parametrize("call", BODIED, ids=lambda call: call.route)


@pytest.fixture(scope="module")
def invoke(tmp_path_factory: pytest.TempPathFactory) -> Invoked:
    return Invoked(tmp_path_factory.mktemp("store"))


@contextmanager
def _refusing(invoke: Invoked) -> Iterator[None]:
    """Hold what is done in here to little work and no change."""
    before = invoke.files()
    with cpu_limit(MAX_S):
        yield
    assert invoke.files() == before


def _padded(call: Call, size: int, *, encoded: bool) -> Json:
    body = json.dumps(call.body or {}).encode().ljust(size)
    text = base64.b64encode(body) if encoded else body
    return {"body": text.decode(), "isBase64Encoded": encoded}


@every_call
@pytest.mark.parametrize("encoded", [False, True])
def test_a_body_of_three_mebibytes_and_a_byte_is_too_large(
    invoke: Invoked, call: Call, *, encoded: bool
) -> None:
    """Also on a route that takes none; a body in base64 is measured by what it holds."""
    with _refusing(invoke):
        status, answer = invoke(call, ME, **_padded(call, MAX_BODY_BYTES + 1, encoded=encoded))
    assert (status, answer["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize("encoded", [False, True])
def test_a_body_of_three_mebibytes_is_read(invoke: Invoked, *, encoded: bool) -> None:
    for call in BODIED:
        status, _ = invoke(call, ME, **_padded(call, MAX_BODY_BYTES, encoded=encoded))
        assert status not in {400, 413}, call.route
        assert status < 500, call.route


def _holes(call: Call) -> Iterator[str]:
    """Bodies of a route with `HOLE` in the place of a value: of each field, and deep in some."""
    body = call.body or {}
    for name in body or {"any": 0}:
        yield json.dumps({**body, name: "HOLE"})
    if call.route == APPEND:
        for name in ("content", "metadata"):
            yield json.dumps({"turns": [{"role": "user", "text": "x", name: {"a": "HOLE"}}]})
    if call.route in ("POST /v1/conversations", "PATCH /v1/conversations/{id}"):
        yield json.dumps({"metadata": {"a": "HOLE"}})
    if call.route == "POST /v1/memories":
        yield json.dumps({"kind": "pattern", "spec": {"name": "a", "steps": "HOLE"}})


@every_body
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_value_nested_too_deeply_is_refused_wherever_it_stands(
    invoke: Invoked, call: Call, opening: str, closing: str
) -> None:
    for hole in _holes(call):
        with _refusing(invoke):
            for depth in DEPTHS:
                nested = f"{opening * depth}1{closing * depth}"
                status, _ = invoke(call, ME, body=hole.replace('"HOLE"', nested))
                assert status in {400, 404, 422}, (hole, depth)


@every_body
def test_a_number_that_nobody_can_hold_is_refused_wherever_it_stands(
    invoke: Invoked, call: Call
) -> None:
    for hole in _holes(call):
        with _refusing(invoke):
            for number in ("9" * 10_000, "-" + "9" * 10_000, "9" * 1_000_000, "NaN", "-Infinity"):
                status, _ = invoke(call, ME, body=hole.replace('"HOLE"', number))
                assert status == 400, (hole, number[:9])
            status, _ = invoke(call, ME, body=hole.replace('"HOLE"', "1e999"))
            assert status in {404, 422}, hole


@pytest.mark.parametrize("size", [1_024, 1_025])
@pytest.mark.parametrize("letter", ["x", "é"])
def test_an_id_ends_at_a_kibibyte_wherever_it_stands(
    directory_house: House, size: int, letter: str
) -> None:
    """In bytes; in a path, in a body and in a header."""
    id_ = (letter * size)[: size // len(letter.encode())] + "x" * (size % len(letter.encode()))
    assert len(id_.encode()) == size
    rid = remember(directory_house, "a step", "pattern")["id"]
    for call in CALLS:
        for name in ("id", "space", "key"):
            if f"{{{name}}}" in call.route + json.dumps(call.body):
                status = call.send(directory_house, **{name: id_, "rid": rid}).status_code
                assert (status == 422) is (size > 1_024), call.route
    keyed = Call(APPEND, said("x"), headers={"Idempotency-Key": "k" * size})
    assert (keyed.send(directory_house).status_code == 422) is (size > 1_024)


HUGE: Final = [10**18, 10**4_000]


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize(
    ("route", "fields"),
    [
        ("POST /v1/conversations/{id}/recall", "top_k budget_tokens neighbours exclude_last"),
        ("POST /v1/recall", "top_k budget_tokens neighbours"),
        ("POST /v1/memories/retrieve", "top_k budget_tokens"),
        ("POST /v1/memories/pinned", "budget_tokens"),
        ("POST /v1/memories/procedural", "budget_tokens"),
        ("POST /v1/context", "budget_tokens exclude_last"),
        ("POST /v1/themes", "k"),
    ],
)
def test_what_bounds_an_answer_is_clamped(
    directory_house: House, number: int, route: str, fields: str
) -> None:
    """Whoever asks for more than there can be gets what there is, at the same cost."""
    directory_house.append("c1", *(f"The port is {number}." for number in range(30)))
    call = BY_ROUTE[route]
    for name in fields.split():
        asked = Call(route, {**(call.body or {}), name: number})
        with cpu_limit(MAX_S):
            response = asked.send(directory_house)
        assert response.status_code == 200, (name, response.text)


def _turn(size: int, **fields: Any) -> Json:  # noqa: ANN401 - any field
    """A turn of exactly so many bytes as it is stored."""

    def padded(pad: str) -> Json:
        said = {"content": {"t": pad}, "text": ""} if "content" in fields else {"text": pad}
        return {"role": "user", **fields, **said, "ts": "2026-01-01T00:00:00Z"}

    [smallest] = encode_turns([TurnDraft(**padded("x"))], now_ns=NOW_NS).encoded
    return padded("x" * (1 + size - len(smallest)))


@pytest.mark.parametrize("fields", [{}, {"content": 0}, {"metadata": {"k": "v"}}, {"name": "n"}])
def test_a_turn_ends_at_a_mebibyte_as_it_is_stored(directory_house: House, fields: Json) -> None:
    house = directory_house
    house.append("c1", "before")
    stored = house.stored()
    turns = [{"role": "user", "text": "y"}, _turn(MAX_TURN_BYTES + 1, **fields)]
    assert fault(house.append_turns("c1", turns), 413)["field"] == "turns.1"
    assert house.stored() == stored
    assert house.append_turns("c1", [_turn(MAX_TURN_BYTES, **fields)]).is_success


@pytest.mark.parametrize("over", [0, 1])
def test_metadata_ends_at_sixteen_kibibytes(directory_house: House, over: int) -> None:
    metadata = {"k": "v" * (MAX_METADATA_BYTES + over - len('{"k":""}'))}
    turn = {"role": "user", "text": "x", "metadata": metadata}
    directory_house.append("c2", "before")
    responses = [
        directory_house.append_turns("c1", [turn]),
        directory_house.client.post("/v1/conversations", json={"metadata": metadata}),
        directory_house.send("PATCH", "c2", json={"metadata": metadata}),
    ]
    wanted = [422, 422, 422] if over else [200, 201, 200]
    assert [response.status_code for response in responses] == wanted


def test_a_thousand_turns_are_one_append_and_one_more_are_none(directory_house: House) -> None:
    """What models are asked for grows with turns, not with bytes."""
    turns = [{"role": "user", "text": f"turn {number}"} for number in range(MAX_TURNS + 1)]
    error = fault(directory_house.append_turns("c1", turns), 422)
    assert (error["field"], error["retryable"]) == ("turns", False)
    assert directory_house.data.calls == []
    with cpu_limit(MAX_S):
        response = directory_house.append_turns("c1", turns[:-1])
    assert (response.status_code, response.json()["turn_count"]) == (200, MAX_TURNS)


def test_a_hundred_thousand_members_are_refused(invoke: Invoked) -> None:
    many = {f"k{number}": number for number in range(100_000)}
    turns = [
        {"turns": [{"role": "user", "text": "x", **turn}]}
        for turn in ({"metadata": many}, {"content": [many, many]})
    ]
    patterns = [{"kind": "pattern", "spec": spec} for spec in (many, {"steps": ["x"] * 100_000})]
    asked = [
        *((APPEND, body) for body in turns),
        *(("POST /v1/memories", body) for body in patterns),
        ("PUT /v1/documents/{space}/{key}", {"value": many}),
    ]
    for route, body in asked:
        text = json.dumps(body)
        with _refusing(invoke):
            assert invoke(BY_ROUTE[route], ME, body=text)[0] in {413, 422}, route
