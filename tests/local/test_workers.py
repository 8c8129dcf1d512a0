"""Real processes on the real functions: what needs more than one process to be true."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import Pipe
from pathlib import Path

import httpx
import pytest

from everturn.errors import MisconfiguredError
from everturn.local.server import listen, url_of
from everturn.local.workers import WorkerPlan, Workers, work


def _plan(directory: Path) -> WorkerPlan:
    settings = {"EVERTURN_STORE": str(directory), "EVERTURN_DERIVED_STORE": None}
    return WorkerPlan("127.0.0.1", settings, {}, directory / "everturn.log")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Workers, str]]:
    with listen("127.0.0.1", 0) as listener:
        workers = Workers()
        try:
            workers.start([partial(work, listener, _plan(tmp_path))] * 2)
            yield workers, url_of(listener)
        finally:
            workers.end()


def _append_many(url: str, writer: int, count: int, statuses: list[int]) -> None:
    with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        for number in range(count):
            turns = [{"role": "user", "text": f"{writer}:{number}"}]
            answer = client.post("/v1/conversations/shared/turns", json={"turns": turns})
            statuses.append(answer.status_code)


def test_writers_of_two_processes_lose_nothing_and_keep_their_order(
    served: tuple[Workers, str],
) -> None:
    _, url = served
    statuses: list[int] = []
    threads = [
        threading.Thread(target=_append_many, args=(url, writer, 10, statuses))
        for writer in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 40
    page = httpx.get(
        f"{url}/v1/conversations/shared/turns?from=0&limit=100", trust_env=False, timeout=60
    )
    texts = [turn["text"] for turn in page.json()["turns"]]
    assert len(texts) == 40
    for writer in range(4):
        mine = [text for text in texts if text.startswith(f"{writer}:")]
        assert mine == [f"{writer}:{number}" for number in range(10)]


def test_a_worker_that_dies_is_replaced_and_the_end_ends_all(
    served: tuple[Workers, str], capfd: pytest.CaptureFixture[str]
) -> None:
    workers, url = served
    reader, writer = Pipe(duplex=False)
    with reader, writer:
        supervisor = threading.Thread(target=workers.supervise, args=([reader],))
        supervisor.start()
        first, second = workers.pids
        assert first is not None
        os.kill(first, signal.SIGKILL)
        for _ in range(3):
            answer = httpx.get(f"{url}/v1/conversations", trust_env=False, timeout=60)
            assert answer.status_code == 200
        while first in workers.pids or len(workers.pids) < 2:
            supervisor.join(0.05)
        writer.send_bytes(b"stop")
        supervisor.join(60)
    assert not supervisor.is_alive()
    assert second in workers.pids
    assert f"a worker died, starting another pid={first}" in capfd.readouterr().err
    pids = workers.pids
    workers.end()
    assert not [pid for pid in pids if pid and Path(f"/proc/{pid}").exists()]


@contextmanager
def _supervised(workers: Workers, caught: list[MisconfiguredError]) -> Iterator[threading.Thread]:
    """Supervise in a thread; ask it to end with the block."""

    def supervise() -> None:
        try:
            workers.supervise([reader])
        except MisconfiguredError as error:
            caught.append(error)

    reader, writer = Pipe(duplex=False)
    with reader, writer:
        supervisor = threading.Thread(target=supervise)
        supervisor.start()
        yield supervisor
        writer.send_bytes(b"stop")
        supervisor.join(60)
        assert not supervisor.is_alive()


def _kill_next(workers: Workers, killed: set[int], supervisor: threading.Thread) -> None:
    """Kill the first worker that was not killed yet as soon as it is there."""
    while supervisor.is_alive():
        for pid in workers.pids:
            if pid is not None and pid not in killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
                return
        supervisor.join(0.001)


def test_a_worker_that_is_killed_while_it_starts_is_tried_again(tmp_path: Path) -> None:
    caught: list[MisconfiguredError] = []
    with listen("127.0.0.1", 0) as listener:
        workers = Workers()
        try:
            workers.start([partial(work, listener, _plan(tmp_path))])
            with _supervised(workers, caught) as supervisor:
                killed: set[int] = set()
                for _ in range(3):
                    _kill_next(workers, killed, supervisor)
                url = f"{url_of(listener)}/v1/conversations"
                assert httpx.get(url, trust_env=False, timeout=60).status_code == 200
                assert len(killed) == 3
        finally:
            workers.end()
    assert caught == []


def test_several_workers_in_a_row_that_cannot_start_end_the_service(tmp_path: Path) -> None:
    caught: list[MisconfiguredError] = []
    with listen("127.0.0.1", 0) as listener:
        workers = Workers()
        try:
            workers.start([partial(work, listener, _plan(tmp_path))])
            with _supervised(workers, caught) as supervisor:
                killed: set[int] = set()
                while supervisor.is_alive():
                    _kill_next(workers, killed, supervisor)
        finally:
            workers.end()
    # The first one served; five that did not come after it.
    assert len(killed) == 6
    assert [error.message for error in caught] == [
        "a worker ended before it could serve attempts=5"
    ]


def test_an_end_does_not_wait_for_a_worker_that_starts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It finds its parent gone when it is ready, and says nothing."""
    caught: list[MisconfiguredError] = []
    with listen("127.0.0.1", 0) as listener:
        workers = Workers()
        try:
            workers.start([partial(work, listener, _plan(tmp_path))])
            with _supervised(workers, caught) as supervisor:
                (first,) = workers.pids
                _kill_next(workers, set(), supervisor)
                while first in workers.pids or not workers.pids:
                    supervisor.join(0.001)
            assert [worker.said for worker in workers._running] == [None]
        finally:
            workers.end()
    assert caught == []
    assert capfd.readouterr().err.count("\n") == 1


def test_a_worker_that_cannot_start_says_why(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    broken = WorkerPlan(plan.host, {"EVERTURN_STORE": "s3://"}, {}, None)
    with listen("127.0.0.1", 0) as listener:
        workers = Workers()
        try:
            with pytest.raises(MisconfiguredError, match="bucket"):
                workers.start([partial(work, listener, broken)])
        finally:
            workers.end()
