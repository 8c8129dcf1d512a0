import asyncio
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from everturn.errors import MisconfiguredError
from everturn.local.in_process_store import open_store
from everturn.local.transport import open_async_transport, open_transport

TURNS = "/v1/conversations/c/turns"
CONSOLIDATE = "/v1/conversations/c/consolidate"


@pytest.fixture(autouse=True)
def _unsteered(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("EVERTURN_")]:
        monkeypatch.delenv(name)


def _client(directory: Path, **headers: str) -> httpx.Client:
    named = {f"X-Everturn-{name}": value for name, value in headers.items()}
    transport = open_transport(directory)
    return httpx.Client(transport=transport, base_url="http://localhost", headers=named)


def _said(text: str) -> dict[str, Any]:
    return {"turns": [{"role": "user", "text": text}]}


def _texts(client: httpx.Client) -> list[str]:
    return [turn["text"] for turn in client.get(TURNS, params={"last": 1_000}).json()["turns"]]


def _statements(client: httpx.Client) -> list[str]:
    memories = client.get("/v1/memories").json()["memories"]
    return [memory["statement"] for memory in memories]


def test_what_was_said_is_remembered_when_a_consolidation_is_answered(tmp_path: Path) -> None:
    with _client(tmp_path) as client:
        client.post(TURNS, json=_said("My name is Dana."))
        assert _statements(client) == []
        answer = client.post(CONSOLIDATE, json={})
        assert (answer.status_code, answer.json()) == (202, {"queued": True})
        assert len(_statements(client)) == 1
        assert "Dana" in _statements(client)[0]


def test_a_long_conversation_is_consolidated_to_its_end(tmp_path: Path) -> None:
    """A job reads 50 turns at a time."""
    with _client(tmp_path) as client:
        filler = [{"role": "user", "text": f"The weather is grey, day {n}."} for n in range(120)]
        client.post(TURNS, json={"turns": filler})
        client.post(TURNS, json=_said("My name is Dana."))
        client.post(CONSOLIDATE, json={})
        assert any("Dana" in statement for statement in _statements(client))
        assert client.post(CONSOLIDATE, json={}).status_code == 202
        assert len(_statements(client)) == 1


def test_a_consolidation_leaves_its_own_job_nowhere_and_others_where_they_are(
    tmp_path: Path,
) -> None:
    with _client(tmp_path) as client:
        for number in range(4):
            client.post(f"/v1/conversations/c{number}/turns", json=_said("My name is Dana."))
        for _ in range(7):
            for number in range(3):
                client.post(f"/v1/conversations/c{number}/consolidate", json={})
        status = client.get("/v1/status").json()["consolidation"]
    assert (status["depth"], status["dead"], status["pending"]) == (1, 0, 1)


def test_a_consolidation_is_that_of_the_user_who_asks(tmp_path: Path) -> None:
    with _client(tmp_path, Actor="ann", Tenant="t") as ann, _client(tmp_path) as local:
        ann.post(TURNS, json=_said("My name is Ann."))
        assert local.post(CONSOLIDATE, json={}).status_code == 404
        assert _statements(ann) == []
        ann.post(CONSOLIDATE, json={})
        assert len(_statements(ann)) == 1
        assert _statements(local) == []


def test_a_consolidation_that_fails_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else would try again: the caller has to know."""
    monkeypatch.setenv("EVERTURN_EXTRACT_MODEL", "m")
    monkeypatch.setenv("EVERTURN_GATEWAY_URL", "http://127.0.0.1:9/v1")
    with _client(tmp_path) as client:
        client.post(TURNS, json=_said("My name is Dana."))
        answer = client.post(CONSOLIDATE, json={})
    assert answer.status_code == 503
    assert answer.json()["error"]["retryable"] is True


def test_a_store_is_opened_once_for_each_directory_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = open_store("a")
    assert open_store(str(tmp_path / "a")) is first
    assert open_store("b") is not first
    monkeypatch.setenv("EVERTURN_IDENTITY", "You are Ada.")
    assert open_store("a") is not first


def test_a_directory_is_the_whole_store_whatever_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_STORE", str(tmp_path / "other"))
    monkeypatch.setenv("EVERTURN_DERIVED_STORE", str(tmp_path / "derived"))
    monkeypatch.setenv("EVERTURN_QUEUE_URL", "http://127.0.0.1:9/queue")
    monkeypatch.setenv("EVERTURN_DEAD_LETTERS_URL", "http://127.0.0.1:9/dead")
    with _client(tmp_path / "named") as client:
        client.post(TURNS, json=_said("hello"))
        client.get("/v1/conversations")
    assert [path.name for path in tmp_path.iterdir()] == ["named"]


def test_stores_that_threads_open_at_once_are_each_their_own(tmp_path: Path) -> None:
    """Handlers read the process's one environment while they load."""

    def fill(number: int) -> list[str]:
        with _client(tmp_path / str(number)) as client:
            client.post(TURNS, json=_said(f"in {number}"))
            return _texts(client)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fill, range(8))) == [[f"in {number}"] for number in range(8)]


def test_clients_in_threads_lose_no_turn(tmp_path: Path) -> None:
    def append(writer: int) -> None:
        with _client(tmp_path) as client:
            for number in range(10):
                client.post(TURNS, json=_said(f"{writer}-{number}")).raise_for_status()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(append, range(4)))
    with _client(tmp_path) as client:
        kept = _texts(client)
    assert sorted(kept) == sorted(f"{w}-{n}" for w in range(4) for n in range(10))


_WRITER = """
import sys
import httpx
from everturn.local.transport import open_transport
with httpx.Client(transport=open_transport(sys.argv[1]), base_url="http://localhost") as client:
    for number in range(10):
        turn = {"role": "user", "text": f"{sys.argv[2]}-{number}"}
        client.post("/v1/conversations/c/turns", json={"turns": [turn]}).raise_for_status()
"""


def test_processes_on_one_directory_lose_no_turn(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path), str(number)])
        for number in range(2)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    with _client(tmp_path) as client:
        assert sorted(_texts(client)) == sorted(f"{w}-{n}" for w in range(2) for n in range(10))


def test_tasks_lose_no_turn_and_the_loop_goes_on(tmp_path: Path) -> None:
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            beats += 1
            await asyncio.sleep(0)

    async def main() -> None:
        transport = open_async_transport(tmp_path)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            beating = asyncio.create_task(beat())
            await asyncio.gather(*(client.post(TURNS, json=_said(f"{n}")) for n in range(20)))
            beating.cancel()

    asyncio.run(main())
    assert beats > 20
    with _client(tmp_path) as client:
        assert sorted(_texts(client), key=int) == [f"{number}" for number in range(20)]


def test_a_cancelled_append_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    async def main() -> None:
        transport = open_async_transport(tmp_path)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            body = {"turns": [{"role": "user", "text": str(n)} for n in range(100)]}
            task = asyncio.create_task(client.post(TURNS, json=body))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    with _client(tmp_path) as client:
        answer = client.get(TURNS, params={"last": 1_000})
    assert answer.status_code == 404 or answer.json()["turn_count"] == 100


def test_a_thread_that_opens_does_not_hold_up_one_that_has(tmp_path: Path) -> None:
    with _client(tmp_path / "a") as client:
        thread = threading.Thread(target=open_transport, args=(tmp_path / "b",))
        thread.start()
        assert client.get("/v1/conversations").json()["conversations"] == []
        thread.join()


@pytest.mark.parametrize("address", ["", "ftp://x", "s3://"])
def test_what_is_no_store_is_refused_when_it_is_opened(address: str) -> None:
    with pytest.raises(MisconfiguredError):
        open_transport(address)


_MISSING = """
import sys
sys.modules["yaml"] = None
from everturn.errors import MisconfiguredError
from everturn.local.transport import open_transport
try:
    open_transport("d")
except MisconfiguredError as error:
    print(error)
"""


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MISSING], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "packages are missing, install everturn[local] missing=yaml\n"
