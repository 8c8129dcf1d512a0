"""What a user has remembered stands in no log line, no metric, no key, whatever happens."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from everturn.errors import AccessDeniedError, OutcomeUnknownError, UnavailableError
from everturn.ports.object_store import StoredObject
from everturn.values.keys import memory_key
from fakes.fake_embedder import FakeEmbedder
from fakes.wrapped_store import Verb
from functions.house import LOCAL, House, Json, embedders_of
from functions.remembered import MEMORIES, at, prove, remember, send

SECRET = "zebra-4417"
SOURCE: Json = {"conversation_id": SECRET, "from": 0, "to": 1, "quote": SECRET}
RETRIEVALS: list[tuple[str, Json]] = [
    ("/v1/memories/retrieve", {"query": SECRET, "explain": True}),
    ("/v1/memories/pinned", {"goal": SECRET}),
    ("/v1/memories/procedural", {"goal": SECRET}),
    ("/v1/context", {"query": SECRET, "goal": SECRET, "conversation_id": SECRET}),
]


def _raising(error: Exception) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        del verb, key, send
        raise error

    return step_in


def _successes(house: House) -> None:
    house.append(SECRET, SECRET, "more of it")
    memory = remember(house, SECRET, subject=SECRET, source=SOURCE)
    send(house, SECRET, kind="preference", statement=SECRET)
    house.client.patch(at(memory["id"]), json={"statement": f"{SECRET} too"})
    pattern = prove(house, name=SECRET, steps=[SECRET])
    for path, body in (("/outcomes", {"status": "success", "source": SOURCE}), ("/promote", {})):
        assert SECRET in house.client.post(at(pattern["id"], path), json=body).text
    house.read(MEMORIES, superseded="true")
    house.read(at(memory["id"]))
    _retrieves(house)
    house.parts.embedders = embedders_of(FakeEmbedder())
    _retrieves(house)
    house.parts.embedders = embedders_of(FakeEmbedder(failing=UnavailableError("no answer")))
    _retrieves(house)
    assert house.client.delete(at(pattern["id"])).is_success


def _retrieves(house: House) -> None:
    for path, body in RETRIEVALS:
        assert SECRET in house.client.post(path, json=body).text


def _refusals(house: House) -> None:
    for name in ("kind", "statement", "subject", "importance", "valid_from", "pinned", "source"):
        for value in ([SECRET], {SECRET: SECRET}):
            body: Json = {"kind": "fact", "statement": SECRET, name: value}
            send(house, **body)
    send(house, kind=SECRET, statement=SECRET)
    send(house, kind="fact", statement=SECRET, valid_from=SECRET)
    send(house, kind="fact", statement=SECRET * 1_000)
    send(house, kind="pattern", spec={SECRET: SECRET})
    send(house, kind="pattern", spec={"steps": [SECRET, 7]})
    send(house, kind="fact", statement=SECRET, spec={"name": SECRET})
    for name in ("kind", "cursor", "limit", "superseded"):
        house.client.get(MEMORIES, params={name: SECRET})
    house.client.get(at(SECRET))
    for path, asked in RETRIEVALS:
        house.client.post(path, json={**asked, SECRET: SECRET})
        for name in asked:
            house.client.post(path, json={**asked, name: {SECRET: SECRET}})
    house.client.post(MEMORIES, content=f'{{"kind": "{SECRET}')


def _faults(house: House) -> None:
    rid = remember(house, "Fish.")["id"]
    house.data.inner.overwrite(memory_key(LOCAL, rid), f'{{"statement": "{SECRET}"'.encode())
    _all_routes(house, rid)
    errors = [
        RuntimeError(SECRET), ValueError(SECRET), KeyError(SECRET), AccessDeniedError("denied"),
        UnavailableError("unavailable"), OutcomeUnknownError("unknown"),
    ]  # fmt: skip
    for error in errors:
        house.parts.forget()
        house.data.step_in = _raising(error)
        _all_routes(house, rid)


def _all_routes(house: House, rid: str) -> None:
    client = house.client
    send(house, kind="fact", statement=SECRET)
    client.get(MEMORIES)
    client.get(at(rid))
    client.patch(at(rid), json={"statement": SECRET})
    client.post(at(rid, "/outcomes"), json={"status": "success", "source": SOURCE})
    client.post(at(rid, "/promote"), json={})
    client.delete(at(rid))
    for path, body in RETRIEVALS:
        client.post(path, json=body)


@pytest.mark.parametrize("drive", [_successes, _refusals, _faults])
def test_no_line_that_the_handlers_write_holds_what_a_user_said(
    house: House, drive: Callable[[House], None], capfd: pytest.CaptureFixture[str]
) -> None:
    before = len(house.logged().encode())
    drive(house)
    printed, logged = capfd.readouterr(), house.logged(before)
    assert '"Requests"' in printed.out
    if drive is _faults:
        assert "crashed" in logged
    for text in (printed.out, printed.err, logged):
        assert SECRET not in text


def test_no_key_and_no_metadata_holds_what_a_user_said(house: House) -> None:
    _successes(house)
    rid = remember(house, f"{SECRET} once more")["id"]
    keys = [key for _, key in house.data.calls + house.parts.derived.calls]
    assert len(keys) > 20
    # An id that is plain is part of its conversation's key, whatever it says.
    assert SECRET not in json.dumps([key for key in keys if key.startswith(("m/", "h/", "i/"))])
    found = house.data.inner.get(memory_key(LOCAL, rid))
    assert isinstance(found, StoredObject)
    assert SECRET not in json.dumps(dict(found.meta))


def test_the_index_holds_no_text(house: House) -> None:
    """What ranks memories are numbers: a file of the index that stays behind says nothing."""
    house.parts.embedders = embedders_of(FakeEmbedder())
    for number in range(40):
        remember(house, f"{SECRET} is number {number}.", subject=f"{SECRET} himself")
    for _ in range(3):
        _retrieve_alone(house)
        house.parts.forget()
    files = {key for verb, key in house.parts.derived.calls if verb in {"put", "overwrite"}}
    assert files
    for key in files:
        stored = house.parts.derived.inner.get(key)
        if isinstance(stored, StoredObject):
            assert SECRET.encode() not in stored.body


def _retrieve_alone(house: House) -> None:
    path, body = RETRIEVALS[0]
    assert house.client.post(path, json=body).is_success


def test_a_record_that_cannot_be_read_is_corrupt_and_hides_no_other(house: House) -> None:
    bad, good = (remember(house, text)["id"] for text in ("Fish.", "Birds."))
    house.data.inner.overwrite(memory_key(LOCAL, bad), b"{")
    page = house.read(MEMORIES)
    assert [memory["id"] for memory in page["memories"]] == [good]
    assert page["skipped"] == 1
    response = send(house, kind="fact", statement="fish")
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "corrupt_record"
