"""The load bench asks again as clients do, counts what it is told, and says what is wrong."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext

import httpx
import load
import pytest
from load_agents import Work
from load_calls import Calls, Operation, Operations, unexpected
from load_check import Said, Thread, Verdict, judge

Behaviour = Callable[[httpx.Request], httpx.Response]


def called(behaviour: Behaviour, calls: int = 1) -> tuple[Operations, list[int | None]]:
    """Call one operation of a server that behaves so; return what is counted and the statuses."""

    async def run() -> tuple[Operations, list[int | None]]:
        transport = httpx.MockTransport(behaviour)
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
            operations: Operations = {}
            counted = Calls(client, operations)
            key = {"Idempotency-Key": "1"}
            answers = [
                await counted.call("append", "POST", "/turns", headers=key) for _ in range(calls)
            ]
            return operations, [None if one is None else one.status_code for one in answers]

    return asyncio.run(run())


def behaving(*steps: int | type[httpx.TransportError]) -> Behaviour:
    """Answer with these statuses and failures, one after the other; with 200 from then on."""
    left = list(steps)

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["idempotency-key"] == "1"
        step = left.pop(0) if left else 200
        if isinstance(step, int):
            return httpx.Response(step)
        raise step("no answer", request=request)

    return answer


@pytest.mark.parametrize("step", [503, 429, httpx.ReadTimeout, httpx.RemoteProtocolError])
def test_what_may_be_asked_again_is_with_the_same_key(
    step: int | type[httpx.TransportError],
) -> None:
    counted, statuses = called(behaving(step, step))

    kept = counted["append"]
    assert statuses == [200]
    assert (len(kept.times_ms), kept.requests, kept.gave_up) == (1, 3, 0)
    assert list(kept.errors.values()) == [2]
    assert not unexpected(counted)


@pytest.mark.parametrize("status", [400, 403, 404, 409, 422, 500, 502, 504])
def test_what_nobody_should_get_is_not_asked_again_and_is_told(status: int) -> None:
    counted, statuses = called(behaving(status), calls=2)

    kept = counted["append"]
    assert statuses == [None, 200]
    assert (len(kept.times_ms), kept.requests, kept.gave_up) == (1, 2, 1)
    assert unexpected(counted) == {str(status): 1}


def work(calls: Operations, *said: Said) -> Work:
    return Work(calls, list(said), 1.0)


def test_a_right_run_has_no_fault_and_its_row_says_what_it_took() -> None:
    calls, _ = called(behaving(503), calls=4)
    thread = Thread("ada", "t")
    done = work(calls, Said(thread, 0, "a", 0))
    verdict = judge(done.said, {thread: ["a"]})

    row = load.rows_of("directory", done, verdict)[0]

    assert load.faults_of(done, verdict) == []
    assert (row["calls"], row["requests"], row["errors"]) == (4, 5, "503 x1")
    assert (row["lost"], row["doubled"]) == (0, 0)


def test_a_lost_turn_a_doubled_one_and_an_error_are_faults() -> None:
    calls, _ = called(behaving(500))
    thread = Thread("ada", "t")
    done = work(calls, Said(thread, 0, "a", 0), Said(thread, 0, "b", 1))
    verdict = judge(done.said, {thread: ["a", "a"]})

    row = load.rows_of("directory", done, verdict)[0]

    assert (row["lost"], row["doubled"]) == (1, 1)
    assert load.faults_of(done, verdict) == [
        "lost turns: 1, such as b", "doubled turns: 1, such as a", "answers 500: 1",
        "given up append: 1",
    ]  # fmt: skip


def test_an_operation_that_is_given_up_is_a_fault_whatever_it_was_told() -> None:
    thread = Thread("ada", "t")
    calls = {"recall": Operation(requests=3, gave_up=1, errors=Counter({"503": 3}))}
    done = work(calls, Said(thread, 0, "a", 0))
    assert load.faults_of(done, judge(done.said, {thread: ["a"]})) == ["given up recall: 1"]


def test_a_run_in_which_no_turn_was_acknowledged_shows_nothing() -> None:
    done = work({}, Said(Thread("ada", "t"), 0, "a", None))
    assert load.faults_of(done, judge(done.said, {})) == ["no turn is kept"]


@pytest.mark.parametrize(("stored", "status"), [(["a"], 0), ([], 1), (["a", "a"], 1)])
def test_the_bench_fails_where_something_is_wrong(
    monkeypatch: pytest.MonkeyPatch, stored: list[str], status: int
) -> None:
    thread = Thread("ada", "t")
    calls, _ = called(behaving())
    done = work(calls, Said(thread, 0, "a", 0))

    async def loaded(url: str, *, agents: int, seconds: int) -> tuple[Work, Verdict, int]:
        del url, agents, seconds
        return done, judge(done.said, {thread: stored}), 0

    monkeypatch.setattr(load, "_load", loaded)
    monkeypatch.setitem(load.STORES, "directory", lambda _: nullcontext("http://server"))
    with pytest.raises(SystemExit) as ended:
        load.main(["--store", "directory"])
    assert ended.value.code == status


def test_the_99th_percentile_is_the_time_that_one_of_a_hundred_exceeds() -> None:
    calls, _ = called(behaving())
    calls["append"] = Operation(times_ms=[float(ms) for ms in range(100, 0, -1)])

    row = load.rows_of("directory", work(calls), judge([], {}))[0]

    assert (row["p50 ms"], row["p99 ms"]) == (50.0, 99.0)
