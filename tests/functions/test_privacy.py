"""What a user says stands in no log line, no metric, no key and no metadata, whatever happens."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from everturn.errors import AccessDeniedError, OutcomeUnknownError, UnavailableError
from everturn.ports.object_store import StoredObject
from everturn.values.keys import head_key
from fakes.fake_embedder import FakeEmbedder
from fakes.wrapped_store import Verb
from functions.house import CONVERSATIONS, LOCAL, House, embedders_of

RECENT = "/v1/turns/recent"
THEMES = "/v1/themes"
SECRET = "zebra-4417"
TURN = {
    "role": "user", "text": SECRET, "name": SECRET, "intent_id": SECRET,
    "content": [{"type": "text", "text": SECRET}], "metadata": {SECRET: SECRET},
}  # fmt: skip


def _raising(error: Exception) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        del verb, key, send
        raise error

    return step_in


def _successes(house: House) -> None:
    house.append_turns("c1", [TURN, {"role": SECRET, "text": SECRET}], key="k")
    house.append_turns("c1", [TURN, {"role": SECRET, "text": SECRET}], key="k")
    house.send("PATCH", "c1", json={"title": SECRET, "folder": SECRET, "metadata": {SECRET: 1}})
    house.client.post(CONVERSATIONS, json={"conversation_id": "c2", "title": SECRET})
    for route in ("", "/turns", "/export"):
        house.send("GET", "c1", route)
    house.read(CONVERSATIONS, q=SECRET, folder=SECRET)
    house.read(RECENT, roles=SECRET)
    house.read(RECENT, **{"as": "pairs"})
    _searches(house)
    house.parts.embedders = embedders_of(FakeEmbedder())
    _searches(house)
    house.parts.embedders = embedders_of(FakeEmbedder(failing=UnavailableError("no answer")))
    _searches(house)


def _searches(house: House) -> None:
    for id_ in ("c1", None):
        assert SECRET in house.ask(SECRET, id_, neighbours=2, explain=True).text
        house.recall(SECRET, id_, roles=[SECRET])
    house.client.post(THEMES, json={})


def _refusals(house: House) -> None:
    house.append_turns("c1", [TURN], key="k")
    house.append_turns("c1", [{**TURN, SECRET: SECRET}])
    for name in TURN:
        house.append_turns("c1", [{**TURN, name: {SECRET: [SECRET]}}])
        house.append_turns("c1", [{**TURN, name: [SECRET]}])
    house.append_turns("c1", [{**TURN, "ts": SECRET}])
    house.append_turns("c1", [{**TURN, "text": SECRET * 200_000}])
    house.append_turns("c1", [TURN], expected_turn_count=99)
    house.append_turns("c1", [TURN], expected_turn_count=SECRET)
    for body in (f'{{"turns": "{SECRET}', f'["{SECRET}"]', f'"{SECRET}"', f"{SECRET}\\ud800"):
        house.post_raw(body.encode())
    house.post_raw(SECRET.encode() + b"\xff")
    house.post_raw(SECRET.encode(), **{"content-type": f"text/{SECRET}"})
    house.post_raw(f'{{"turns":[{{"{SECRET}":{"[" * 5_000}{"]" * 5_000}}}]}}'.encode())
    house.send("PATCH", "c1", json={"title": [SECRET], SECRET: SECRET})
    house.client.post(CONVERSATIONS, json={"title": SECRET * 1_000})
    house.client.get(CONVERSATIONS, params={"cursor": SECRET, "limit": SECRET, "q": SECRET})
    for name in ("cursor", "limit", "since", "until", "as"):
        house.client.get(RECENT, params={name: SECRET})
    for id_ in ("c1", None):
        house.ask({SECRET: SECRET}, id_)
        house.ask(SECRET, id_, **{SECRET: SECRET})
        for name in ("top_k", "min_score", "roles", "since", "explain"):
            house.ask(SECRET, id_, **{name: SECRET})
        house.ask(SECRET, id_, roles=[SECRET, [SECRET]])
    house.client.post(THEMES, json={"since": SECRET})
    house.send("DELETE", "c1")
    house.append_turns("c1", [TURN])


def _server_faults(house: House) -> None:
    house.place(f'{{"conversation_id":"bad","turns":[{{"text":"{SECRET}"'.encode(), "bad")
    _all_routes(house, "bad")
    house.append_turns("c3", [TURN])
    errors = [
        RuntimeError(SECRET), ValueError(SECRET), KeyError(SECRET), AccessDeniedError("denied"),
        UnavailableError("unavailable"), OutcomeUnknownError("unknown"),
    ]  # fmt: skip
    for error in errors:
        house.parts.forget()
        house.data.step_in = _raising(error)
        _all_routes(house, "c3")


def _all_routes(house: House, id_: str) -> None:
    house.append_turns(id_, [TURN])
    for route in ("", "/turns", "/export"):
        assert house.send("GET", id_, route).status_code >= 500
    assert house.ask(SECRET, id_).status_code >= 500
    house.ask(SECRET, None)
    house.client.post(THEMES, json={})
    house.send("PATCH", id_, json={"title": SECRET})
    house.send("DELETE", id_)
    house.client.post(CONVERSATIONS, json={"conversation_id": id_, "title": SECRET})
    house.client.get(CONVERSATIONS, params={"q": SECRET})


@pytest.mark.parametrize("drive", [_successes, _refusals, _server_faults])
def test_no_line_that_the_handlers_write_holds_what_a_user_said(
    house: House, drive: Callable[[House], None], capfd: pytest.CaptureFixture[str]
) -> None:
    before = len(house.logged().encode())
    drive(house)
    printed, logged = capfd.readouterr(), house.logged(before)
    assert '"Requests"' in printed.out
    if drive is _server_faults:
        assert "crashed" in logged
    for text in (printed.out, printed.err, logged):
        assert SECRET not in text


def test_no_key_and_no_metadata_holds_what_a_user_said(house: House) -> None:
    _successes(house)
    keys = [key for _, key in house.data.calls + house.parts.derived.calls]
    assert len(keys) > 5
    assert SECRET not in json.dumps(keys)
    found = house.data.inner.get(head_key(LOCAL, "c1"))
    assert isinstance(found, StoredObject)
    assert found.meta
    assert SECRET not in json.dumps(dict(found.meta))


def test_an_id_that_is_a_text_is_in_no_key(house: House) -> None:
    house.append(f"about {SECRET}!", "a")
    assert SECRET not in json.dumps(house.data.calls)


def test_a_fault_of_the_server_is_answered_without_its_cause(house: House) -> None:
    house.append("c1", "a")
    for error in (RuntimeError(SECRET), AccessDeniedError(f"403 key={SECRET}")):
        house.data.step_in = _raising(error)
        response = house.send("GET", "c1")
        assert response.status_code == 500
        assert SECRET not in response.text
        assert "Traceback" not in response.text
