"""An answer ends, in time and in size, whatever the server does."""

import asyncio
import gzip
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from client.hand_time import HandClock
from client.raw_server import LIST, Peer, Script, head, raw_server
from everturn.client import AsyncEverturn, Everturn
from everturn.client.exchange import MAX_ANSWER_BYTES
from everturn.errors import MisconfiguredError, UnavailableError

# Of an answer that never ends, and of one that comes.
_SOON_S, _LONG_S = 0.5, 60.0
_PAUSE_S = 0.1

Listed = Callable[[str, float], object]


def _by_a_thread(url: str, timeout_s: float) -> object:
    with Everturn(url, timeout_s=timeout_s) as memory:
        return memory.list_conversations()


def _by_a_task(url: str, timeout_s: float) -> object:
    async def run() -> object:
        async with AsyncEverturn(url, timeout_s=timeout_s) as memory:
            return await memory.list_conversations()

    return asyncio.run(run())


class _Dripping:
    """Sends a piece after a pause, again and again, until the other side closes."""

    def __init__(self, first: bytes, piece: bytes) -> None:
        self._first = first
        self._piece = piece

    def __call__(self, peer: Peer) -> None:
        peer.request()
        peer.send(self._first)
        while True:
            peer.pause(_PAUSE_S)
            peer.send(self._piece)


@pytest.mark.parametrize("listed", [_by_a_thread, _by_a_task])
def test_a_body_that_drips_is_given_up_when_the_time_is_over(listed: Listed) -> None:
    """Each piece comes in time, and the last one never does."""
    drips = _Dripping(head(MAX_ANSWER_BYTES), b" ")
    with raw_server(drips) as server:
        with pytest.raises(UnavailableError, match="no answer in time"):
            listed(server.url, _SOON_S)
        assert server.all_closed()


def test_a_head_that_drips_is_broken_off_by_a_task() -> None:
    drips = _Dripping(b"HTTP/1.1 200 OK\r\n", b"x-a: b\r\n")
    with raw_server(drips) as server:
        with pytest.raises(UnavailableError, match="no answer in time"):
            _by_a_task(server.url, _SOON_S)
        assert server.all_closed()


@pytest.mark.parametrize("listed", [_by_a_thread, _by_a_task])
def test_a_body_without_end_is_given_up(listed: Listed) -> None:
    sent = []

    def endless(peer: Peer) -> None:
        peer.request()
        peer.send(head())
        while True:
            peer.send(b" " * 1_048_576)
            sent.append(1)

    with raw_server(endless) as server:
        with pytest.raises((MisconfiguredError, UnavailableError)):
            listed(server.url, _LONG_S)
        assert server.all_closed()
    assert len(sent) * 1_048_576 < 4 * MAX_ANSWER_BYTES


def _answering(body: bytes, *headers: bytes) -> Script:
    def answer(peer: Peer) -> None:
        peer.request()
        peer.send(head(len(body), *headers) + body)

    return answer


@pytest.mark.parametrize("listed", [_by_a_thread, _by_a_task])
def test_a_compressed_answer_is_not_unpacked(listed: Listed) -> None:
    """A few bytes become gigabytes; nobody asked for them so."""
    answer = _answering(gzip.compress(LIST), b"content-encoding: gzip")
    with raw_server(answer) as server, pytest.raises(MisconfiguredError, match="no everturn"):
        listed(server.url, _LONG_S)


@pytest.mark.parametrize("listed", [_by_a_thread, _by_a_task])
def test_a_failure_is_judged_by_its_status_where_it_is_compressed(listed: Listed) -> None:
    """A proxy before a server that is down says so, in whatever form: it is tried again."""
    page = gzip.compress(b"<h1>Bad Gateway</h1>")
    failed = head(len(page), b"content-encoding: gzip").replace(b"200 OK", b"502 Bad Gateway")
    told = [failed + page, head(len(LIST)) + LIST]

    def answer(peer: Peer) -> None:
        peer.request()
        peer.send(told.pop(0))

    with raw_server(answer) as server:
        listed(server.url, _LONG_S)
        assert server.all_closed()
    assert told == []


def test_a_body_that_is_whole_is_read_however_late() -> None:
    """What was done is not taken for undone."""
    clock = HandClock()

    def late(_: httpx.Request) -> httpx.Response:
        clock.pass_by(31)
        return httpx.Response(200, content=LIST)

    transport = httpx.MockTransport(late)
    with Everturn("http://localhost", transport=transport, clock=clock) as memory:
        assert memory.list_conversations().conversations == ()


def test_no_answer_is_asked_for_compressed() -> None:
    asked: list[bytes] = []

    def answer(peer: Peer) -> None:
        asked.append(peer.request().lower())
        peer.send(head(len(LIST)) + LIST)

    with raw_server(answer) as server:
        _by_a_thread(server.url, _LONG_S)
    assert b"accept-encoding: identity\r\n" in asked[0]


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_the_longest_answer_is_read_whole(*, more: int, fits: bool) -> None:
    body = LIST.ljust(MAX_ANSWER_BYTES + more)
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    with Everturn("http://localhost", transport=transport) as memory:
        if fits:
            assert memory.list_conversations().conversations == ()
        else:
            with pytest.raises(MisconfiguredError, match="no everturn"):
                memory.list_conversations()


def test_work_within_this_process_is_waited_for(tmp_path: Any) -> None:  # noqa: ANN401 - a path
    """No network holds it up, and what is written is written."""
    assert Everturn.local(tmp_path)._connection.timeout_s > 3_600
    assert AsyncEverturn.local(tmp_path)._connection.timeout_s > 3_600
