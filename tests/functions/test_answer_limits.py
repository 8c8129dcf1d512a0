"""No answer is more than Lambda hands on, whatever the characters of what it holds."""

import json
from typing import Any, Final

import pytest

from everturn.local.invocation import answer_of
from everturn.memory.model.retrieve_request import MAX_GOAL_CHARS
from everturn.values.go_json import dumps
from functions.house import House, Json
from functions.remembered import SPEC, remember

# What Lambda says when there is more: `exceeded maximum allowed payload size (6291556 bytes)`.
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MAX_PAYLOAD_BYTES: Final = 6_291_556
# Each is two bytes in an answer, and four where the answer is a text in Lambda's own JSON.
WORST: Final = ['"', "\\"]
# Five bytes more than in UTF-8, and nothing more in Lambda's JSON; two, three and four bytes.
OTHERS: Final = ["<", "\u2028", "é", "\u20ac", "\U0001f600", "\x01"]
KIB: Final = 1_024

pytestmark = pytest.mark.slow  # answers of megabytes

Sent = list[Json]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """All results of handlers, as Lambda gets them."""
    results: Sent = []

    def noted(result: Any) -> Any:  # noqa: ANN401 - whatever a handler returns
        results.append(result)
        return answer_of(result)

    monkeypatch.setattr("everturn.local.gateway.answer_of", noted)
    return results


def _payload_bytes(result: Json) -> int:
    """What the runtime of Python 3.12 and later sends to Lambda.

    https://github.com/aws/aws-lambda-python-runtime-interface-client/blob/main/awslambdaric/lambda_runtime_marshaller.py
    """
    return len(json.dumps(result, ensure_ascii=False).encode())


def _talk(house: House, letter: str, *, turns: int, size: int) -> None:
    """Say as many turns, each of about so many bytes of JSON."""
    text = letter * (size // (len(dumps(letter).encode()) - 2))
    for number in range(turns):
        turn = {"role": "user", "text": f"port {number} {text}"}
        assert house.append_turns(f"c{number % 3}", [turn, turn]).is_success


@pytest.mark.parametrize("letter", [*WORST, *OTHERS])
def test_pages_of_turns_fit_whatever_is_said(
    directory_house: House, sent: Sent, letter: str
) -> None:
    house = directory_house
    _talk(house, letter, turns=6, size=900 * KIB)
    sent.clear()
    for path in ("", "/turns?last=1000", "/turns?from=0&limit=1000", "?limit=1000"):
        assert house.send("GET", "c0", path).status_code == 200
    for form in ("turns", "pairs"):
        path = f"/v1/turns/recent?limit=1000&as={form}"
        assert house.client.get(path).status_code == 200
    assert house.client.get("/v1/export").status_code == 200
    assert house.send("GET", "c0", "/export").status_code in {200, 413}
    assert max(map(_payload_bytes, sent)) > 2 * KIB * KIB
    assert max(map(_payload_bytes, sent)) <= MAX_PAYLOAD_BYTES


@pytest.mark.parametrize("letter", WORST)
def test_an_export_of_one_file_at_the_limit_fits(
    directory_house: House, sent: Sent, letter: str
) -> None:
    """The file goes out byte for byte as it is, up to 3 MiB of it."""
    house = directory_house
    frame = (
        '{"conversation_id":"c1","turns":[{"role":"user","text":"","ts":"2026-01-01T00:00:00Z"}]'
    )
    frame += ',"updated":"2026-01-01T00:00:00Z"}'
    wanted = 3 * KIB * KIB - len(frame)
    text = json.dumps(letter)[1:-1] * (wanted // 2)
    house.place(frame.replace('"text":""', f'"text":"{text}"').encode())
    sent.clear()
    assert house.send("GET", "c1", "/export").status_code == 200
    assert _payload_bytes(sent[-1]) <= MAX_PAYLOAD_BYTES


@pytest.mark.parametrize("letter", WORST)
def test_searches_fit_whatever_they_find(directory_house: House, sent: Sent, letter: str) -> None:
    house = directory_house
    _talk(house, letter, turns=5, size=900 * KIB)
    sent.clear()
    asked = {"query": "port", "top_k": 100, "budget_tokens": 700_000, "neighbours": 10}
    for path in ("/v1/conversations/c0/recall", "/v1/recall"):
        assert house.client.post(path, json=asked).status_code == 200
    asked = {"query": "port", "top_k": 100, "budget_tokens": 700_000}
    assert house.client.post("/v1/memories/retrieve", json=asked).status_code == 200
    context = {"query": "port", "conversation_id": "c0", "budget_tokens": 700_000}
    assert house.client.post("/v1/context", json=context).status_code == 200
    assert house.client.post("/v1/themes", json={}).status_code == 200
    assert max(map(_payload_bytes, sent)) > KIB * KIB
    assert max(map(_payload_bytes, sent)) <= MAX_PAYLOAD_BYTES


@pytest.mark.parametrize("letter", WORST)
def test_prompts_fit_whatever_is_asked(directory_house: House, sent: Sent, letter: str) -> None:
    """A goal comes back in them, twice, as much of it as counts."""
    house = directory_house
    remember(house, letter * 900 + "x", "constraint", hard=True)
    sent.clear()
    goal = letter * (3 * KIB * KIB // 2 - 100)
    paths = ("/v1/memories/pinned", "/v1/memories/procedural", "/v1/context")
    for budget in (2_000, 700_000):
        for path in paths:
            query = {"query": "x"} if path == "/v1/context" else {}
            body = {**query, "goal": goal, "budget_tokens": budget}
            assert house.client.post(path, json=body).status_code == 200
    assert max(map(_payload_bytes, sent)) > 4 * MAX_GOAL_CHARS
    assert max(map(_payload_bytes, sent)) <= MAX_PAYLOAD_BYTES


@pytest.mark.parametrize("letter", WORST)
def test_memories_and_documents_fit(directory_house: House, sent: Sent, letter: str) -> None:
    house = directory_house
    value = letter * (KIB * KIB // 2 - 10)
    assert house.client.put("/v1/documents/state/k", json={"value": value}).status_code == 201
    assert house.client.get("/v1/documents/state/k").status_code == 200
    for number in range(4):
        path = f"/v1/documents/state/k{number}"
        assert house.client.put(path, json={"value": value}).status_code == 201
    assert house.client.get("/v1/documents/state?values=true").status_code == 200
    steps = [letter * 900 + str(number) for number in range(32)]
    for number in range(40):
        spec = {**SPEC, "name": f"Deploy {number}", "steps": steps, "gotchas": steps}
        body = {"kind": "pattern", "spec": spec}
        assert house.client.post("/v1/memories", json=body).status_code == 201
    for path in ("/v1/memories?limit=1000", "/v1/export"):
        assert house.client.get(path).status_code == 200
    assert max(map(_payload_bytes, sent)) > 2 * KIB * KIB
    assert max(map(_payload_bytes, sent)) <= MAX_PAYLOAD_BYTES
