"""`everturn mcp` as its own process, spoken to over stdin and stdout by a real MCP client."""

import json
import signal
import subprocess
from pathlib import Path

import anyio
import pytest

from cli.everturn_process import clean_environment, everturn_up, run
from everturn.client import AsyncEverturn
from integrations.mcp_every_tool import every_tool
from integrations.mcp_sessions import COMMAND, answered, over_stdio, refused

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("era", [pytest.param("legacy", marks=pytest.mark.slow), "auto"])
async def test_every_tool_works_on_the_store_and_the_user_that_the_options_name(
    tmp_path: Path, era: str
) -> None:
    options = ("--dir", "store", "--actor", "ann", "--tenant", "t")
    async with (
        AsyncEverturn.local(tmp_path / "store", actor="ann", tenant="t") as memory,
        over_stdio(tmp_path, *options, mode=era) as client,
    ):
        assert "code=invalid_request" in await refused(client, "recent_turns", actor="bob")
        await every_tool(client, memory)


@pytest.mark.slow
async def test_ten_calls_at_once_are_all_answered(tmp_path: Path) -> None:
    async with over_stdio(tmp_path, "--dir", "store") as client, anyio.create_task_group() as tasks:
        for number in range(10):
            tasks.start_soon(
                lambda n: answered(client, "add_memory", kind="fact", statement=f"Box {n}."), number
            )
    async with AsyncEverturn.local(tmp_path / "store") as memory:
        assert len((await memory.list_memories()).memories) == 10


@pytest.mark.slow
async def test_a_server_that_is_down_is_an_error_and_the_process_goes_on(tmp_path: Path) -> None:
    """It answers again when the server is there."""
    with everturn_up("--dir", "store", cwd=tmp_path) as up:
        async with over_stdio(tmp_path, "--url", up.url) as client:
            await answered(client, "add_memory", kind="fact", statement="Box 1.")
            up.process.send_signal(signal.SIGINT)
            up.process.wait(30)
            line = await refused(client, "list_memories")
            assert "code=unavailable" in line
            port = up.url.rpartition(":")[2]
            with everturn_up("--dir", "store", "--port", port, cwd=tmp_path):
                assert len((await answered(client, "list_memories"))["memories"]) == 1


def test_stdout_holds_the_protocol_alone_and_stderr_says_what_is_served(tmp_path: Path) -> None:
    initialize = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": initialize},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "list_memories"}},
        {"id": 3, "method": "no/such", "params": {}},
    ]
    with _process(tmp_path, "--dir", "store", "--actor", "ann", "--verbose") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
            if "id" in message:
                answers.append(json.loads(process.stdout.readline()))
        process.stdin.write("this is no json\n")
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stdout.read() == ""
        assert process.stderr is not None
        said = process.stderr.read().splitlines()
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert "error" in answers[2]
    assert said == [
        f"store  {tmp_path / 'store'} (--dir)",
        "user   local/ann",
        "mcp    on stdin and stdout: an MCP client starts this command by itself",
        "ended",
    ]


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_ctrl_c_ends_it_cleanly_though_stdin_stays_open(
    tmp_path: Path, number: signal.Signals
) -> None:
    with _process(tmp_path, "--dir", "store") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read().splitlines()[-1] == "ended"


def test_what_cannot_be_opened_is_one_line_and_exit_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for options in (["--url", "ftp://x"], ["--store", "s3://"]):
        ended = run("mcp", *options, cwd=tmp_path)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("error: ")
        assert ended.stderr.count("\n") == 1


def _process(folder: Path, *options: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*COMMAND, "mcp", *options],
        cwd=folder,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
