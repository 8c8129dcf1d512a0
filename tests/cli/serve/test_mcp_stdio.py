"""`everturn mcp` as its own process, spoken to over stdin and stdout by a real MCP client."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import INVALID_REQUEST, PARSE_ERROR

from cli.everturn_process import clean_environment, everturn_up, run
from everturn.client import AsyncEverturn
from integrations.mcp.mcp_every_tool import every_tool
from integrations.mcp.mcp_sessions import COMMAND, answered, over_stdio, refused

pytestmark = pytest.mark.anyio

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


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
            up.process.wait(60)
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
        process.stdin.close()
        assert process.wait(60) == 0
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


def test_a_line_that_is_no_message_is_answered_and_the_next_one_is_heard(tmp_path: Path) -> None:
    """Who waits for an answer has it, by its id where the line has one."""
    call = '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"\\ud800"}}'
    lines = {
        "this is no json": (None, PARSE_ERROR),
        "[" * 100_000: (None, PARSE_ERROR),
        call: ("a", PARSE_ERROR),
        '[{"jsonrpc":"2.0","id":1,"method":"ping"}]': (None, INVALID_REQUEST),
        '{"jsonrpc":"2.0","id":2,"params":{}}': (2, INVALID_REQUEST),
        '"ping"': (None, INVALID_REQUEST),
    }
    with _process(tmp_path, "--dir", "store") as process:
        for line, (id_, code) in lines.items():
            answer = _asked(process, line)
            assert (answer["id"], answer["error"]["code"]) == (id_, code)
        assert _asked(process, PING) == {"jsonrpc": "2.0", "id": 1, "result": {}}
        process.communicate(timeout=60)


def test_a_request_with_any_part_at_fault_is_answered_by_its_own_id(tmp_path: Path) -> None:
    """An id that a part of it holds is none of its own."""
    sound: dict[str, object] = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    changes: list[dict[str, object]] = [
        {"params": "hello"},
        {"params": [1]},
        {"params": '{"id": 99}'},
        {"params": {"id": 3, "_meta": 5}, "method": 5},
        {"jsonrpc": "1.0"},
        {"jsonrpc": {"jsonrpc": "2.0", "id": 99}},
        {"method": 5},
        {"jsonrpc": 1, "method": 5, "result": {}, "error": {"code": 1, "message": ""}},
    ]
    with _process(tmp_path, "--dir", "store") as process:
        for change in changes:
            answer = _asked(process, json.dumps({**sound, **change}))
            assert (answer["id"], answer["error"]["code"]) == (7, INVALID_REQUEST), change
        for id_ in (None, True, [7], {"id": 7}):
            answer = _asked(process, json.dumps({**sound, "id": id_, "method": 5}))
            assert (answer["id"], answer["error"]["code"]) == (None, INVALID_REQUEST), id_
        process.communicate(timeout=60)


def test_lines_at_fault_that_come_at_once_are_each_answered_by_their_own_id(tmp_path: Path) -> None:
    faults = "".join(f'{{"jsonrpc":"2.0","id":{n},"method":5}}\n{PING}\n' for n in range(10, 40))
    with _process(tmp_path, "--dir", "store") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(faults)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(60)]
        process.communicate(timeout=60)
    assert [one["id"] for one in answers if "error" in one] == list(range(10, 40))


def test_it_ends_cleanly_where_nobody_reads_its_answers(tmp_path: Path) -> None:
    with _process(tmp_path, "--dir", "store") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        _asked(process, PING)
        process.stdout.close()
        process.stdin.write(f"{PING}\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stderr.read().splitlines()[-1] == "ended"


def test_a_store_that_cannot_be_used_is_said_at_the_start_while_it_serves(tmp_path: Path) -> None:
    """A server may be there later; a folder that is a file says so before anybody asks."""
    (tmp_path / "file").write_text("")
    with _process(tmp_path, "--dir", "file") as process:
        assert process.stderr is not None
        said = iter(process.stderr)
        trouble = next(line for line in said if line.startswith("trouble"))
        assert "code=misconfigured" in trouble
        assert _asked(process, PING)["id"] == 1
        process.communicate(timeout=60)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_ctrl_c_ends_it_cleanly_though_stdin_stays_open(
    tmp_path: Path, number: signal.Signals
) -> None:
    with _process(tmp_path, "--dir", "store") as process:
        _asked(process, PING)
        process.send_signal(number)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read().splitlines()[-1] == "ended"


def test_what_cannot_be_opened_is_one_line_and_exit_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for options in (["--url", "ftp://x"], ["--store", "s3://"]):
        ended = run("mcp", *options, cwd=tmp_path)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr.startswith("error: ")
        assert ended.stderr.count("\n") == 1


def _asked(process: "subprocess.Popen[str]", line: str) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


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
