"""Plans of calls: side by side with either client, and changes of a document that all count."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from everturn.client import AsyncEverturn, Everturn
from everturn.client.calls.call import Plan
from everturn.client.calls.documents import all_documents, get_document, put_document
from everturn.client.calls.turns import all_turns
from everturn.errors import (
    EverturnError,
    InvalidRequestError,
    NotFoundError,
    UnavailableError,
)
from everturn.integrations.plans import (
    NO_VERSION,
    UNANSWERED,
    Version,
    appended,
    arun,
    arun_all,
    changed,
    changed_version,
    deleted,
    found_value,
    found_version,
    gathered,
    run_all,
)
from integrations.watched_transport import WatchedTransport

SAID = [{"role": "user", "text": "Hi"}]
ADDRESS = "http://127.0.0.1"


def added(old: list[int] | None, number: int) -> list[int]:
    return [*(old or []), number]


def adding(number: int) -> Plan[Any]:
    return changed("s", "k", lambda old: added(old, number))


def put(key: str, value: object = 1) -> Plan[Any]:
    return (yield put_document("s", key, value))


def read(key: str) -> Plan[Any]:
    return (yield get_document("s", key)).value


def test_results_are_in_the_order_of_their_plans(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:
        run_all(client, [put(f"k{number}", number) for number in range(20)])
        assert run_all(client, [read(f"k{number}") for number in range(20)]) == list(range(20))
        assert run_all(client, []) == []


def test_every_change_counts_whoever_else_changes_the_document(tmp_path: Path) -> None:
    async def use() -> list[int]:
        async with AsyncEverturn.local(tmp_path) as tasks:
            with Everturn.local(tmp_path) as threads:
                await asyncio.gather(
                    arun_all(tasks, [adding(number) for number in range(8)]),
                    arun_all(threads, [adding(number) for number in range(8, 16)]),
                )
                found: list[int] = await arun(tasks, found_value("s", "k"))
                return found

    assert sorted(asyncio.run(use())) == list(range(16))


def test_a_plan_that_fails_stops_no_other(tmp_path: Path) -> None:
    async def use() -> None:
        async with AsyncEverturn.local(tmp_path) as tasks:
            with pytest.raises(NotFoundError):
                await arun_all(tasks, [read("none"), put("a")])
            with Everturn.local(tmp_path) as threads:
                with pytest.raises(NotFoundError):
                    run_all(threads, [read("none"), put("b")])
                rows = run_all(threads, [gathered(all_documents("s"))])[0]
                assert [row.key for row in rows] == ["a", "b"]

    asyncio.run(use())


def test_a_client_for_tasks_is_awaited(tmp_path: Path) -> None:
    async def use() -> None:
        async with AsyncEverturn.local(tmp_path) as client:
            with pytest.raises(InvalidRequestError) as caught:
                run_all(client, [])
            assert caught.value.field == "client"

    asyncio.run(use())


def test_a_document_that_is_not_there_has_no_value(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:
        assert client.carry_out(found_value("s", "k")) is None


class Losing(WatchedTransport):
    """Loses the answer to the first write, which came through."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if [sent[:3] for sent in self.sent].count("PUT") == 1 and request.method == "PUT":
            raise httpx.ReadError("lost", request=request)
        return response


def test_a_change_gives_what_it_wrote(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:
        assert client.carry_out(changed("s", "k", lambda old: added(old, 1))) == [1]
        assert client.carry_out(changed("s", "k", lambda old: added(old, 2))) == [1, 2]


def test_a_version_that_is_known_is_changed_in_one_request(tmp_path: Path) -> None:
    wire = WatchedTransport(tmp_path)
    with wire.blocking_client() as client:

        def add(number: int, known: Version | None = None) -> Version:
            return client.carry_out(
                changed_version("s", "k", lambda old: added(old, number), known=known)
            )

        first = add(1, NO_VERSION)
        assert add(2, first).value == [1, 2]
        assert wire.asked == ["PUT k", "PUT k"]
        wire.asked.clear()
        assert add(3, first).value == [1, 2, 3]
        assert wire.asked == ["PUT k", "GET k", "PUT k"]
        found = client.get_document("s", "k")
        assert client.carry_out(found_version("s", "k")) == Version(found.etag, [1, 2, 3])


def test_a_change_whose_answer_was_lost_is_read_and_made_again(tmp_path: Path) -> None:
    """So a change is one that may be made twice: a merge, not a sum."""
    with Losing(tmp_path).blocking_client() as client:
        client.carry_out(changed("s", "k", lambda old: {**(old or {}), "a": 1}))
        assert client.get_document("s", "k").value == {"a": 1}


def answering(status: int, code: str) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            named = {"space": "s", "key": "k", "etag": "IjEi", "size": 2, "value": {}}
            return httpx.Response(200, json={**named, "updated": "2026-01-01T00:00:00Z"})
        told = {"code": code, "message": "x", "retryable": False, "request_id": "r"}
        return httpx.Response(status, json={"error": told})

    return answer


def test_a_crowd_of_writers_ends_in_an_error() -> None:
    transport = httpx.MockTransport(answering(412, "precondition_failed"))
    with (
        Everturn(ADDRESS, transport=transport) as client,
        pytest.raises(UnavailableError, match="tries=32"),
    ):
        client.carry_out(adding(1))


def test_what_a_change_raises_is_raised_and_nothing_is_written(tmp_path: Path) -> None:
    def refuse(_: object) -> object:
        raise ValueError("no")

    with Everturn.local(tmp_path) as client:
        with pytest.raises(ValueError, match="no"):
            client.carry_out(changed("s", "k", refuse))
        assert client.list_documents("s").documents == ()


def test_a_client_at_best_effort_changes_nothing_without_a_server() -> None:
    def lost(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    transport = httpx.MockTransport(lost)
    with Everturn(ADDRESS, transport=transport, best_effort=True, timeout_s=0.1) as client:
        assert client.carry_out(adding(1)) is None
        assert client.carry_out(found_value("s", "k")) is None
        known = changed_version("s", "k", lambda old: added(old, 1), known=NO_VERSION)
        assert client.carry_out(known) == UNANSWERED
        assert client.carry_out(appended("one", SAID)).failed == "unavailable"
        assert client.carry_out(gathered(all_turns("one"))) == []
        with pytest.raises(UnavailableError):
            client.carry_out(deleted("one"))


def test_a_walk_that_is_cut_off_is_not_taken_for_all_there_is(tmp_path: Path) -> None:
    wire = WatchedTransport(tmp_path)
    with wire.blocking_client(best_effort=True) as client:
        for _ in range(2):
            client.append("one", SAID * 600)
        answers = iter([None, httpx.Response(501)])
        wire.instead = lambda _asked: next(answers, None)
        with pytest.raises(EverturnError):
            client.carry_out(gathered(all_turns("one")))
        assert len(client.carry_out(gathered(all_turns("one")))) == 1_200
