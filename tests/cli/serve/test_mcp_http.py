"""`everturn mcp --http` as its own process, spoken to over streamable HTTP."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client

from cli.everturn_process import clean_environment, run
from everturn.client import AsyncEverturn
from integrations.mcp.mcp_every_tool import every_tool
from integrations.mcp.mcp_sessions import COMMAND, answered

pytestmark = pytest.mark.anyio

_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@dataclass(frozen=True)
class Served:
    """A server in a process, its address, and what it said until it served."""

    process: "subprocess.Popen[str]"
    url: str
    said: str


@contextmanager
def _serving(folder: Path, *options: str) -> Iterator[Served]:
    process = subprocess.Popen(
        [*COMMAND, "mcp", "--http", "--port", "0", "--dir", "store", *options],
        cwd=folder,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = ""
    try:
        for line in process.stderr:
            said += line
            if line.startswith("mcp "):
                break
        yield Served(process, said.split()[-1], said)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server that the tests share which do not end it."""
    with _serving(tmp_path_factory.mktemp("http")) as served:
        yield served


@pytest.mark.parametrize("era", ["legacy", pytest.param("auto", marks=pytest.mark.slow)])
async def test_every_tool_works_and_ctrl_c_ends_it_cleanly(tmp_path: Path, era: str) -> None:
    with _serving(tmp_path, "--actor", "ann") as served:
        async with (
            AsyncEverturn.local(tmp_path / "store", actor="ann") as memory,
            Client(served.url, mode=era) as client,
        ):
            await every_tool(client, memory)
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(60) == 0
        assert served.process.stdout is not None
        assert served.process.stdout.read() == ""
        assert served.process.stderr is not None
        assert served.process.stderr.read() == "ended\n"
    store = f"store  {tmp_path / 'store'} (--dir)\nuser   local/ann\n"
    assert served.said == f"{store}mcp    {served.url}\n"
    assert served.url.startswith("http://127.0.0.1:")


async def test_many_clients_at_once_are_all_answered(served: Served) -> None:
    async def add(number: int) -> None:
        async with Client(served.url) as client:
            await answered(client, "add_memory", kind="event", statement=f"Call {number} came.")

    async with anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(add, number)
    async with Client(served.url) as client:
        page = await answered(client, "list_memories", kind="event")
        assert len(page["memories"]) == 10


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"X-Everturn-Actor": "bob"}, 403),
        ({"X-Everturn-Tenant": "t", "X-Everturn-Actor": "bob"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_foreign_page_or_another_user_is_not_let_in(
    served: Served, headers: dict[str, str], status: int
) -> None:
    with httpx.Client(trust_env=False, timeout=60) as http:
        answer = http.post(served.url, json=_PING, headers=headers)
    assert answer.status_code == status
    assert ("error" in answer.json()) is (status != 200)


def test_what_is_too_large_or_no_post_is_refused(served: Served) -> None:
    with httpx.Client(trust_env=False, timeout=60) as http:
        assert http.get(served.url).status_code == 405
        assert http.post(served.url, json={"x": "x" * 3_200_000}).status_code == 413
        chunked = {"Content-Type": "application/json"}
        assert http.post(served.url, content=iter([b"{}"]), headers=chunked).status_code == 411
        assert http.post(served.url, json=_PING).status_code == 200


def test_a_taken_port_is_one_line_and_exit_one(served: Served, tmp_path: Path) -> None:
    port = served.url.rpartition(":")[2].partition("/")[0]
    ended = run("mcp", "--http", "--port", port, "--dir", "d", cwd=tmp_path)
    where = f"host=127.0.0.1 port={port} code=misconfigured"
    assert ended.stderr == f"error: cannot listen: address already in use {where}\n"
    assert (ended.returncode, ended.stdout) == (1, "")
