"""Real processes on the real functions: what needs more than one process to be true."""

import os
import signal
import threading
from collections.abc import Iterator
from multiprocessing import Pipe
from pathlib import Path

import httpx
import pytest

from everturn.errors import MisconfiguredError
from everturn.local.server import listen, url_of
from everturn.local.worker import WorkerPlan
from everturn.local.workers import Workers


def _plan(directory: Path) -> WorkerPlan:
    settings = {"EVERTURN_STORE": str(directory), "EVERTURN_DERIVED_STORE": None}
    return WorkerPlan("127.0.0.1", settings, {}, directory / "everturn.log")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Workers, str]]:
    with listen("127.0.0.1", 0) as listener:
        workers = Workers(listener, _plan(tmp_path))
        try:
            workers.start(2)
            yield workers, url_of(listener)
        finally:
            workers.end()


def _append_many(url: str, writer: int, count: int, statuses: list[int]) -> None:
    with httpx.Client(base_url=url, trust_env=False, timeout=30) as client:
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
    page = httpx.get(f"{url}/v1/conversations/shared/turns?from=0&limit=100", trust_env=False)
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
            answer = httpx.get(f"{url}/v1/conversations", trust_env=False, timeout=30)
            assert answer.status_code == 200
        while first in workers.pids or len(workers.pids) < 2:
            supervisor.join(0.05)
        writer.send_bytes(b"stop")
        supervisor.join(30)
    assert not supervisor.is_alive()
    assert second in workers.pids
    assert f"a worker died, starting another pid={first}" in capfd.readouterr().err
    pids = workers.pids
    workers.end()
    assert not [pid for pid in pids if pid and Path(f"/proc/{pid}").exists()]


def test_a_worker_that_cannot_start_says_why(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    broken = WorkerPlan(plan.host, {"EVERTURN_STORE": "s3://"}, {}, None)
    with listen("127.0.0.1", 0) as listener:
        workers = Workers(listener, broken)
        try:
            with pytest.raises(MisconfiguredError, match="bucket"):
                workers.start(1)
        finally:
            workers.end()
