"""On every route: what a user says, and who it is, stands in no line, no metric, no key."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from everturn.edge.function import METRICS
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    OutcomeUnknownError,
    UnavailableError,
)
from everturn.ports.object_store import StoredObject
from fakes.fake_embedder import FakeEmbedder
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import Verb
from functions.every_route import CALLS, Call
from functions.house import House, Json, embedders_of
from functions.remembered import NOBODY, remember

SECRET: Final = "zebra-4417"
ACTOR, TENANT = "okapi-77", "quokka-88"
# No plain id, so no part of a key.
TEXT: Final = f"about {SECRET}!"
TURN: Final[Json] = {
    "role": SECRET, "text": SECRET, "name": SECRET, "intent_id": SECRET,
    "content": [{"type": "text", "text": SECRET}], "metadata": {SECRET: SECRET},
}  # fmt: skip
SOURCE: Final[Json] = {"conversation_id": "{id}", "from": 0, "to": 1, "quote": SECRET}
SPEC: Final[Json] = {"name": SECRET, "trigger": SECRET, "steps": [SECRET], "gotchas": [SECRET]}
KEYED: Final = {"Idempotency-Key": SECRET}

CALLED: Final[dict[str, Call]] = {
    call.route: call
    for call in (
        Call("POST /v1/conversations",
             {"conversation_id": "{id} too", "title": SECRET, "folder": SECRET,
              "metadata": {SECRET: SECRET}}),
        Call("GET /v1/conversations", query={"q": SECRET, "folder": SECRET}),
        Call("PATCH /v1/conversations/{id}",
             {"title": SECRET, "folder": SECRET, "metadata": {SECRET: SECRET}}),
        Call("POST /v1/conversations/{id}/turns", {"turns": [TURN]}, headers=KEYED),
        Call("PATCH /v1/conversations/{id}/turns/{number}", {"text": SECRET}),
        Call("POST /v1/conversations/{id}/recall", {"query": SECRET, "roles": [SECRET]}),
        Call("POST /v1/recall", {"query": SECRET, "neighbours": 2, "explain": True}),
        Call("GET /v1/turns/recent", query={"roles": SECRET}),
        Call("POST /v1/memories",
             {"kind": "fact", "statement": SECRET, "subject": SECRET, "source": SOURCE},
             headers=KEYED),
        Call("PATCH /v1/memories/{rid}", {"spec": SPEC}, headers=KEYED),
        Call("POST /v1/memories/{rid}/outcomes", {"status": "success", "source": SOURCE},
             headers=KEYED),
        Call("POST /v1/memories/retrieve", {"query": SECRET, "explain": True}),
        Call("POST /v1/memories/pinned", {"goal": SECRET}),
        Call("POST /v1/memories/procedural", {"goal": SECRET}),
        Call("POST /v1/context", {"query": SECRET, "goal": SECRET, "conversation_id": "{id}"}),
        Call("PUT /v1/documents/{space}/{key}", {"value": {SECRET: [SECRET]}}),
        Call("GET /v1/documents/{space}", query={"prefix": SECRET}),
    )
}  # fmt: skip
"""The requests of the table with a secret wherever a user can put one."""
SAYING: Final = tuple(CALLED.get(call.route, call) for call in CALLS)

Drive = Callable[[House], Iterator[str]]


def _send(house: House, call: Call, id_: str = TEXT, rid: str = NOBODY) -> str:
    """Send a request; names are texts, and what it answers is for its user alone."""
    return call.send(house, id=id_, space=TEXT, key=TEXT, count="3", rid=rid).text


def _settle(house: House, id_: str = TEXT) -> str:
    """Let this user have what the requests name; the id of a pattern."""
    house.append_turns(id_, [TURN, TURN])
    return str(remember(house, SECRET, "pattern", source={"conversation_id": id_})["id"])


def _answered(house: House) -> Iterator[str]:
    fails = UnavailableError("no answer")
    embedders = (FakeEmbedder(), FakeEmbedder(failing=fails))
    queues = (
        ListedQueue(house.clock, max_depth=9),
        ListedQueue(house.clock, max_depth=0),
        ListedQueue(house.clock, max_depth=9, fault=fails),
    )
    for number, queue in enumerate(queues):
        house.parts.join(queue)
        house.parts.embedders = embedders_of(embedders[number > 0])
        id_ = f"{TEXT} {number}"
        rid = _settle(house, id_)
        for call in SAYING:
            yield _send(house, call, id_, rid)


def _refused(house: House) -> Iterator[str]:
    """Fields of the wrong type, parameters that are texts, headers and bodies that are none."""
    for call in SAYING:
        for name in call.body or ():
            for value in ({SECRET: SECRET}, [{SECRET: SECRET}], SECRET):
                yield _send(house, Call(call.route, {**(call.body or {}), name: value}))
        yield _send(house, Call(call.route, {**(call.body or {}), SECRET: SECRET}))
        for name in ("limit", "cursor", "from", "since", "archived", "as", "kind", SECRET):
            yield _send(house, Call(call.route, call.body, {name: SECRET}))
        for header in ("If-Match", "If-None-Match", "content-type"):
            yield _send(house, Call(call.route, call.body, headers={header: SECRET}))
        for body in (f'{{"a":"{SECRET}', f'["{SECRET}"]', f'"{SECRET}"', SECRET):
            path = call.path(dict.fromkeys(("id", "rid", "space", "key", "number"), SECRET))
            headers = {"content-type": "application/json"}
            yield house.client.request(call.method, path, content=body, headers=headers).text


_OTHERS: Final = ("aws_lambda_powertools", "httpx", "httpcore")
ERRORS: Final[tuple[Exception, ...]] = (
    RuntimeError(SECRET), ValueError(SECRET), KeyError(SECRET), AccessDeniedError("denied"),
    UnavailableError("unavailable"), OutcomeUnknownError("unknown"),
    # The one error that names a conversation, to its caller alone.
    CorruptRecordError(f"a stored record has another id conversation={SECRET}"),
)  # fmt: skip


def _failed(house: House) -> Iterator[str]:
    rid = _settle(house)
    for error in ERRORS:
        house.data.step_in = _raising(error)
        for call in SAYING:
            house.parts.forget()
            yield _send(house, call, rid=rid)


def _raising(error: Exception) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        del verb, key, send
        raise error

    return step_in


@pytest.fixture
def user(directory_house: House) -> House:
    return directory_house.acting_as(ACTOR, TENANT)


@pytest.mark.parametrize("drive", [_answered, _refused, _failed])
def test_no_line_says_what_a_user_said_or_who_it_is(
    user: House,
    drive: Drive,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Log lines and metrics, whatever every route answers, at the level of DEBUG."""
    caplog.set_level(logging.DEBUG)
    before = len(user.logged().encode())
    answers = list(drive(user))
    assert len(answers) >= len(CALLS)
    printed = capfd.readouterr()
    assert '"Requests"' in printed.out
    # Powertools hands lines of its own to nobody, and those of the client are the tests own.
    logged = [rec for rec in caplog.records if not rec.name.startswith(_OTHERS)]
    texts = [printed.out, printed.err, user.logged(before), *(rec.getMessage() for rec in logged)]
    lines = [line for text in texts for line in text.splitlines()]
    said = [line for line in lines if any(word in line for word in (SECRET, ACTOR, TENANT))]
    assert said == []


def test_a_fault_of_ours_tells_its_caller_nothing_of_itself(user: House) -> None:
    for answer in _failed(user):
        error = json.loads(answer or "{}").get("error")
        if error:
            assert "unavailable" not in error["message"]
            assert SECRET not in error["message"] or error["code"] == "corrupt_record"
            assert "Traceback" not in answer


def test_a_metric_is_a_number_under_a_known_name(
    user: House, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its dimensions tell whose service it is, and no more."""
    for drive in (_answered, _failed):
        list(drive(user))
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert lines
    for line in lines:
        [told] = line.pop("_aws")["CloudWatchMetrics"]
        dimensions = {name for group in told["Dimensions"] for name in group}
        assert dimensions <= {"service", "function_name"}
        for name in dimensions:
            assert line.pop(name).isalnum()
        assert set(line) <= set(METRICS.values())
        assert all(isinstance(value, float) for values in line.values() for value in values)


def test_no_key_and_no_metadata_says_what_a_user_said(user: House) -> None:
    """A key may name tenant, actor and a plain id; a text is a hash there, also as an id."""
    list(_answered(user))
    asked = [key for _, key in user.data.calls + user.parts.derived.calls]
    assert {key.partition("/")[0] for key in asked} >= {"c", "m", "o", "i", "v", "dirty"}
    assert SECRET not in json.dumps(asked)
    for prefix in ("c/", "m/", "o/", "s/", "w/", "i/", "v/", "dirty/"):
        for key in user.data.inner.list(prefix).keys:
            found = user.data.inner.get(key)
            assert isinstance(found, StoredObject)
            assert SECRET not in json.dumps(dict(found.meta))


def test_a_message_of_the_queue_holds_ids_and_nothing_else(user: House) -> None:
    """An id may be a text of the user, and has to be there: the queue is encrypted."""
    queue = ListedQueue(user.clock, max_depth=99)
    user.parts.join(queue)
    user.append_turns("plain", [TURN])
    user.append_turns(TEXT, [TURN])
    bodies = [json.loads(listed.job.encode()) for listed in queue.listed]
    ids = [{"tenant": TENANT, "actor": ACTOR, "conversation_id": id_} for id_ in ("plain", TEXT)]
    assert bodies == ids
