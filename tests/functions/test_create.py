"""POST /v1/conversations: made once, left as it is when it exists, whoever comes at once."""

import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from everturn.conversations.append_turns import append_turns
from everturn.conversations.create_conversation import create_conversation
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.turn import TurnDraft
from fakes.wrapped_store import Verb
from functions.house import CONVERSATIONS, LOCAL, House, fault


def _create(house: House, **body: Any) -> httpx.Response:  # noqa: ANN401 - any JSON value
    return house.client.post(CONVERSATIONS, json=body)


def test_a_new_conversation_is_answered_by_its_summary(house: House) -> None:
    body = {"conversation_id": "c1", "title": "T", "folder": "work", "metadata": {"k": 1}}
    response = _create(house, **body)
    assert response.status_code == 201
    assert response.json() == {
        "conversation_id": "c1", "title": "T", "preview": "", "turn_count": 0,
        "updated": "2026-01-01T00:00:00Z", "folder": "work",
    }  # fmt: skip
    assert house.data.verbs() == ["put"]
    assert house.read(f"{CONVERSATIONS}/c1")["metadata"] == {"k": 1}


def test_one_that_exists_is_left_untouched(house: House) -> None:
    house.append("c1", "a")
    before = house.stored()
    response = _create(house, conversation_id="c1", title="Other", metadata={"k": 1})
    assert response.status_code == 200
    assert (response.json()["title"], response.json()["turn_count"]) == ("a", 1)
    assert house.stored() == before


def test_without_an_id_each_gets_its_own(house: House) -> None:
    ids = {_create(house).json()["conversation_id"] for _ in range(5)}
    assert len(ids) == 5
    for id_ in ids:
        assert house.send("GET", id_).status_code == 200


def test_an_append_follows_a_create_in_one_request(house: House) -> None:
    _create(house, conversation_id="c1", title="T")
    house.data.calls.clear()
    house.append("c1", "a")
    assert house.data.verbs() == ["put"]
    assert house.read(f"{CONVERSATIONS}/c1")["title"] == "T"


def _once(act: Callable[[], object]) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    """Do this before the first write, as another process may."""
    waiting = [act]

    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        del key
        if verb == "put" and waiting:
            waiting.pop()()
        return send()

    return step_in


def test_two_creators_at_once_both_succeed_and_one_has_made_it(house: House) -> None:
    def other() -> None:
        made = create_conversation(
            store=house.data.inner, heads=HeadCache(), clock=house.clock,
            entropy=house.parts.entropy, scope=LOCAL, conversation_id="c1", title="Theirs",
        )  # fmt: skip
        assert made.created

    house.data.step_in = _once(other)
    response = _create(house, conversation_id="c1", title="Ours")
    assert (response.status_code, response.json()["title"]) == (200, "Theirs")


def test_a_creator_and_a_first_append_at_once_both_succeed(house: House) -> None:
    def other() -> None:
        append_turns(
            store=house.data.inner, heads=HeadCache(), clock=house.clock,
            entropy=house.parts.entropy, scope=LOCAL, conversation_id="c1",
            turns=[TurnDraft("user", "theirs")],
        )  # fmt: skip

    house.data.step_in = _once(other)
    assert _create(house, conversation_id="c1", title="Ours").status_code == 200
    house.append("c1", "ours")
    assert house.texts() == ["theirs", "ours"]


def test_threads_that_create_one_conversation_have_one_winner(house: House) -> None:
    statuses: list[int] = []
    start = threading.Barrier(4)

    def create() -> None:
        start.wait()
        statuses.append(_create(house, conversation_id="c1").status_code)

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 200, 200, 201]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"conversation_id": ""}, "conversation_id"),
        ({"conversation_id": " \u200b"}, "conversation_id"),
        ({"conversation_id": "a\nb"}, "conversation_id"),
        ({"conversation_id": "é" * 513}, "conversation_id"),
        ({"conversation_id": 7}, "conversation_id"),
        ({"conversation_id": ["c1"]}, "conversation_id"),
        ({"title": 7}, "title"),
        ({"title": "t" * 1_001}, "title"),
        ({"folder": {}}, "folder"),
        ({"folder": "f" * 257}, "folder"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"k": "v" * 16_384}}, "metadata"),
        ({"archived": True}, "archived"),
        ({"turns": []}, "turns"),
        ({"actor": "somebody"}, "actor"),
    ],
)
def test_a_wrong_field_is_named(directory_house: House, body: dict[str, Any], path: str) -> None:
    assert fault(_create(directory_house, **body), 422)["field"] == path
    assert directory_house.data.calls == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'"c1"'])
def test_a_body_that_is_no_object_is_malformed(directory_house: House, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    response = directory_house.client.post(CONVERSATIONS, content=body, headers=headers)
    assert fault(response, 400)["code"] == "malformed_request"
