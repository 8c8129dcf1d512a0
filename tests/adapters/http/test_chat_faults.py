"""The chat model over HTTP where the server or the network does wrong, on a real socket."""

import itertools
import logging
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from adapters.http.chat_calls import KEY, asking, opened
from emulation.chat_service import Reply, in_order, refused, said
from everturn.adapters.system_clock import ManualClock, SystemClock
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from ports.chat_model_contract import PRIVATE, PROMPT

FINE = said("{}")
HALF = '{"id": "chatcmpl-1", "choices": [{"message": {"content": "{'

PASSING: dict[str, Reply] = {
    "server error": (500, {}, PRIVATE),
    "too many": (429, {}, PRIVATE),
    "overloaded": (529, {}, ""),
    "bad gateway": (502, {}, "<html>bad gateway</html>"),
    "reset": (200, {}, None),
    "half an answer": (200, {}, HALF),
    "shorter than it says": (200, {"Content-Length": "9999"}, HALF),
    "html": (200, {}, "<html>please sign in</html>"),
    "no utf-8": (200, {}, b"\xff\xfe"),
    "nested": (200, {}, "[" * 100_000),
    "a list": (200, {}, []),
    "no choices": (200, {}, {"object": "list", "data": []}),
    "choices of another kind": (200, {}, {"choices": "none"}),
    "an error in 200": (200, {}, {"error": {"message": PRIVATE, "code": 502}}),
    "an error without a code": (200, {}, {"error": {"message": PRIVATE}}),
    "an error as text": (200, {}, {"error": PRIVATE}),
    "an error of the model": said("", finish_reason="error"),
    "an empty 204": (204, {}, ""),
    "no budget": refused(400, {"type": "budget_exceeded", "code": "400", "message": PRIVATE}),
}
LASTING: dict[str, Reply] = {
    "no key": refused(401, {"message": PRIVATE}),
    "no money": refused(402, {"message": PRIVATE}),
    "no permission": refused(403, {"message": PRIVATE}),
    "no model": refused(404, {"message": PRIVATE, "code": "model_not_found"}),
    "no model, as a bad request": refused(400, {"message": PRIVATE, "code": "model_not_found"}),
    "no such address": (404, {}, "<html>not found</html>"),
    "no such method": (405, {}, ""),
    "a redirect": (307, {"Location": "/v2/chat/completions"}, ""),
    "no key, in 200": (200, {}, {"error": {"message": PRIVATE, "code": 401}}),
}


@pytest.mark.parametrize("reply", PASSING.values(), ids=PASSING)
def test_what_may_pass_is_asked_again_and_forgotten(reply: Reply) -> None:
    with asking(in_order([reply, reply, FINE])) as (model, service):
        assert model.complete(PROMPT, timeout_s=60).text == "{}"
        assert len(service.bodies) == 3


@pytest.mark.parametrize("reply", PASSING.values(), ids=PASSING)
def test_what_does_not_pass_is_asked_three_times(reply: Reply) -> None:
    with asking(lambda _: reply) as (model, service):
        with pytest.raises(UnavailableError):
            model.complete(PROMPT, timeout_s=60)
        assert len(service.bodies) == 3


@pytest.mark.parametrize("reply", LASTING.values(), ids=LASTING)
def test_what_lasts_is_asked_once(reply: Reply) -> None:
    with asking(lambda _: reply) as (model, service):
        with pytest.raises(MisconfiguredError):
            model.complete(PROMPT, timeout_s=60)
        assert service.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize("reply", [*PASSING.values(), *LASTING.values()], ids=PASSING | LASTING)
def test_no_text_key_or_address_is_in_an_error_or_a_log(
    reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with asking(lambda _: reply) as (model, _), pytest.raises(EverturnError) as caught:
        model.complete(PROMPT, timeout_s=60)
    said_of_it = [str(caught.value), str(caught.value.__cause__), repr(model)]
    for secret in (PRIVATE, KEY):
        assert not any(secret in text for text in (*said_of_it, caplog.text))
    assert "127.0.0.1" not in str(caught.value)


def test_a_pause_in_seconds_is_waited_for() -> None:
    clock = ManualClock()
    began = clock.monotonic_s()
    with asking(in_order([(429, {"Retry-After": "7"}, ""), FINE]), clock=clock) as (model, _):
        model.complete(PROMPT, timeout_s=60)
    assert clock.monotonic_s() - began == pytest.approx(7, abs=0.3)


def test_a_pause_until_a_date_is_waited_for_by_the_clock_of_the_server() -> None:
    """A clock that is years off here changes nothing."""
    clock = ManualClock(0)
    fine = iter([FINE])

    def answer(_: dict[str, Any]) -> Reply:
        later_s = time.time() + 30 * len(service.bodies)  # noqa: TID251 - the server says the time
        refusal = 503, {"Retry-After": formatdate(later_s, usegmt=True)}, ""
        return refusal if len(service.bodies) == 1 else next(fine)

    with asking(answer, clock=clock) as (model, service):
        model.complete(PROMPT, timeout_s=120)
    assert 20 <= clock.monotonic_s() <= 32


@pytest.mark.parametrize("value", ["60", "600"])
def test_a_pause_beyond_the_end_of_the_call_is_not_waited_for(value: str) -> None:
    clock = ManualClock()
    began = clock.monotonic_s()
    with asking(lambda _: (429, {"Retry-After": value}, ""), clock=clock) as (model, service):
        with pytest.raises(UnavailableError, match="status=429"):
            model.complete(PROMPT, timeout_s=60)
        assert (len(service.bodies), clock.monotonic_s()) == (1, began)


@pytest.mark.parametrize("value", ["", "soon", "-1", "1e9", "Wed, 99 Oct 2026 07:28:00 GMT"])
def test_a_pause_that_cannot_be_read_is_a_short_one(value: str) -> None:
    clock = ManualClock()
    began = clock.monotonic_s()
    with asking(in_order([(429, {"Retry-After": value}, ""), FINE]), clock=clock) as (model, _):
        model.complete(PROMPT, timeout_s=60)
    assert clock.monotonic_s() - began <= 0.25


def drip(begin: str, over: threading.Event) -> Iterator[bytes]:
    """One character at a time until it is over: less than any read waits for."""
    yield begin.encode()
    while not over.wait(0.05):
        yield b"a"


@pytest.mark.parametrize(("status", "begin"), [(200, HALF), (0, "HTTP/1.1 200 OK\r\nX-Slow: ")])
def test_a_call_ends_in_time_however_slowly_a_server_drips(status: int, begin: str) -> None:
    """Of a body or of its headers, where the client's own timeouts see no end."""
    over = threading.Event()
    with asking(lambda _: (status, {}, drip(begin, over)), clock=SystemClock()) as (model, _):
        # Who waits for the end does so for ever.
        with pytest.raises(UnavailableError, match="no answer in time"):
            model.complete(PROMPT, timeout_s=1)
        over.set()


def test_a_hanging_connection_leaves_time_for_another() -> None:
    clock, waits_s = ManualClock(), list[float]()

    def answer(request: httpx.Request) -> httpx.Response:
        waits_s.append(request.extensions["timeout"]["read"])
        if len(waits_s) == 1:
            clock.sleep(waits_s[0])
            raise httpx.ReadTimeout("nothing came", request=request)
        return httpx.Response(200, json=FINE[2])

    model = opened("http://gateway.test", clock=clock, transport=httpx.MockTransport(answer))
    assert model.complete(PROMPT, timeout_s=60).text == "{}"
    assert waits_s[0] == pytest.approx(40)
    assert 15 < waits_s[1] <= 20


def test_an_answer_without_an_end_is_not_read() -> None:
    def endless() -> Iterator[bytes]:
        yield from itertools.repeat(b" " * 1_048_576, 16)

    with (
        asking(lambda _: (200, {}, endless())) as (model, _),
        pytest.raises(UnavailableError, match="too large"),
    ):
        model.complete(PROMPT, timeout_s=60)


def test_a_server_that_is_not_there_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    # The discard port: nobody listens there.
    model = opened("http://127.0.0.1:9")
    with pytest.raises(UnavailableError, match="cannot be reached error=ConnectError"):
        model.complete(PROMPT, timeout_s=60)
