from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.faults import (
    Fault,
    FaultyNetwork,
    Handler,
    answers,
    lost_request,
    no_connection,
    says,
    works,
)
from client.hand_time import HandClock, HandEntropy
from everturn.client import Everturn
from everturn.client.exchange import MAX_TRIES
from everturn.errors import (
    CorruptRecordError,
    EverturnError,
    InvalidRequestError,
    MisconfiguredError,
    NotSentError,
    UnavailableError,
)

_LIST = {"conversations": [], "skipped": 0}
Bare = Callable[..., tuple[Everturn, FaultyNetwork, HandClock]]


def _client(
    faults: list[Fault], *, timeout_s: float = 30.0
) -> tuple[Everturn, FaultyNetwork, HandClock]:
    network, clock = FaultyNetwork(), HandClock()
    network.meets(faults)
    client = Everturn(
        "http://localhost",
        transport=network,
        clock=clock,
        entropy=HandEntropy(),
        timeout_s=timeout_s,
    )
    return client, network, clock


@pytest.mark.parametrize(
    "fault", [lost_request, no_connection, answers(429), answers(500), answers(502), answers(503)]
)
def test_a_read_is_tried_again_until_there_is_an_answer(fault: Fault) -> None:
    client, network, clock = _client([fault, fault, answers(200, _LIST)])
    assert client.list_conversations().conversations == ()
    assert len(network.requests) == 3
    assert len(clock.waits) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 412, 413, 422])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    client, network, _ = _client([answers(status)])
    with pytest.raises(EverturnError):
        client.list_conversations()
    assert len(network.requests) == 1


def test_a_fault_of_the_server_that_stays_is_not_tried_again() -> None:
    client, network, _ = _client([says("corrupt_record", 500)])
    with pytest.raises(CorruptRecordError):
        client.list_conversations()
    assert len(network.requests) == 1


def test_there_is_an_end_to_trying() -> None:
    client, network, _ = _client([lost_request] * 100)
    with pytest.raises(UnavailableError) as raised:
        client.list_conversations()
    assert len(network.requests) == MAX_TRIES
    assert isinstance(raised.value.__cause__, httpx.WriteError)
    assert raised.value.retryable


@given(
    timeout_s=st.floats(0.01, 120),
    each_s=st.floats(0, 40),
    after=st.none() | st.integers(0, 90),
)
def test_nothing_is_waited_for_or_sent_after_the_time_is_up(
    timeout_s: float, each_s: float, after: int | None
) -> None:
    headers = {} if after is None else {"retry-after": str(after)}

    def slow(request: httpx.Request, answer: Handler) -> httpx.Response:
        limits = request.extensions["timeout"]
        left_s = end_s - clock.monotonic_s()
        assert left_s > 0
        assert max(limits.values()) <= max(left_s, 0.001) + 1e-6
        clock.pass_by(min(each_s, limits["read"]))
        return answers(503, headers=headers)(request, answer)

    client, _, clock = _client([slow] * MAX_TRIES, timeout_s=timeout_s)
    end_s = clock.monotonic_s() + timeout_s
    with pytest.raises(UnavailableError):
        client.list_conversations()
    assert clock.monotonic_s() <= end_s + 1e-6
    for wait_s in clock.waits:
        assert wait_s >= (after or 0)
        assert wait_s <= max(after or 0, 4)


@pytest.mark.parametrize(
    "after", ["7", format_datetime(datetime(2026, 1, 1, 0, 0, 7, tzinfo=UTC), usegmt=True)]
)
def test_the_pause_that_a_server_asks_for_is_kept(after: str) -> None:
    """Seconds, or a date; the clock here is 0.12 s past midnight."""
    client, _, clock = _client([answers(503, headers={"retry-after": after}), answers(200, _LIST)])
    client.list_conversations()
    assert len(clock.waits) == 1
    assert clock.waits[0] == pytest.approx(7, abs=0.13)


@pytest.mark.parametrize("after", ["soon", "", "-1", "1e9", "9" * 400])
def test_a_pause_that_says_nothing_is_none(after: str) -> None:
    """One without end leaves no time for another try."""
    client, network, clock = _client(
        [answers(503, headers={"retry-after": after}), answers(200, _LIST)]
    )
    if after.startswith("9"):
        with pytest.raises(UnavailableError):
            client.list_conversations()
    else:
        client.list_conversations()
        assert len(network.requests) == 2
    assert sum(clock.waits) < 1


def test_every_try_of_an_append_is_the_same_request(bare: Bare) -> None:
    client, network, clock = bare()
    appended = {
        "conversation_id": "c",
        "first_turn": 0,
        "appended": 1,
        "ignored": 0,
        "clamped": 0,
        "turn_count": 1,
        "updated": None,
        "replayed": False,
    }
    network.meets([lost_request, answers(429), answers(200, appended)])
    client.append_user("c", "hi")
    assert len(clock.waits) == 2
    assert len({request.content for request in network.requests}) == 1
    assert len({request.headers["idempotency-key"] for request in network.requests}) == 1
    assert b'"ts":"2026-01-01T00:00:00.123456789Z"' in network.requests[0].content


def test_a_key_of_the_caller_is_sent_with_turns_as_they_are(bare: Bare) -> None:
    """Sent again by another process, the turns must be the same: no time is put in."""
    client, network, _ = bare()
    network.meets([answers(422)])
    with pytest.raises(InvalidRequestError):
        client.append("c", [{"role": "user", "text": "hi"}], idempotency_key="k-1")
    assert network.requests[0].headers["idempotency-key"] == "k-1"
    assert network.requests[0].content == b'{"turns":[{"role":"user","text":"hi"}]}'


def test_two_appends_have_two_keys(bare: Bare) -> None:
    client, network, _ = bare()
    network.meets([answers(422), answers(422)])
    for _ in range(2):
        with pytest.raises(InvalidRequestError):
            client.append_user("c", "hi")
    one, two = (request.headers["idempotency-key"] for request in network.requests)
    assert one != two


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_an_answer_of_something_else_is_a_clear_error(body: bytes) -> None:
    def portal(request: httpx.Request, _: Handler) -> httpx.Response:
        return httpx.Response(200, content=body, request=request)

    client, network, _ = _client([portal])
    with pytest.raises(MisconfiguredError, match="no everturn"):
        client.list_conversations()
    assert len(network.requests) == 1


def test_a_caller_who_cannot_be_named_is_tried_again_where_that_may_help() -> None:
    """An `auth` raises errors of ours; what it raises was not sent."""

    class Expired(httpx.Auth):
        asked = 0

        def auth_flow(self, request: httpx.Request):  # type: ignore[no-untyped-def]  # noqa: ANN202
            self.asked += 1
            if self.asked < 3:
                raise NotSentError("no credentials") from OSError("refused")
            yield request

    network, clock = FaultyNetwork(), HandClock()
    network.meets([answers(200, _LIST)])
    auth = Expired()
    client = Everturn(
        "http://localhost", transport=network, clock=clock, entropy=HandEntropy(), auth=auth
    )
    client.list_conversations()
    assert auth.asked == 3
    auth.asked = -100
    with pytest.raises(NotSentError) as raised:
        client.list_conversations()
    assert isinstance(raised.value.__cause__, OSError)


def test_a_redirect_is_not_followed(bare: Bare) -> None:
    """A token and what a user said go to the address that was named, to no other."""
    client, network, _ = bare(token="t-1")
    network.meets([answers(307, headers={"location": "http://localhost:1/other"}), works])
    with pytest.raises(MisconfiguredError):
        client.append_user("c", "hi")
    assert len(network.requests) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.remember("fact", "The sky is blue."),
        lambda client: client.correct_memory("0" * 32, "The sky is grey."),
        lambda client: client.record_outcome("0" * 32, "success"),
    ],
)
def test_what_is_said_of_a_memory_has_a_key_of_its_own_in_all_its_tries(
    bare: Bare, call: Callable[[Everturn], object]
) -> None:
    """Two calls are two sources; a try that is sent again is the same one."""
    client, network, _ = bare()
    keys = []
    for _ in range(2):
        network.meets([lost_request, answers(429), answers(422)])
        with pytest.raises(InvalidRequestError):
            call(client)
        keys.append({request.headers["idempotency-key"] for request in network.requests})
    assert [len(own) for own in keys] == [1, 1]
    assert keys[0] != keys[1]
