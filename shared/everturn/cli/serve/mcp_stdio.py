"""Serve MCP on stdin and stdout until stdin is closed, or Ctrl-C.

While it serves, whatever else is printed goes to stderr. A line that is not a JSON-RPC message gets
an error as its response.
"""

import asyncio
import contextlib
import json
import os
import signal
import threading
from collections import deque
from collections.abc import AsyncIterable
from typing import Final, TypeAlias, cast

import anyio
from anyio.abc import ObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from everturn.cli.serve.mcp_startup_check import say_trouble
from everturn.client import AsyncEverturn
from everturn.integrations.mcp.server import memory_server

_Message: TypeAlias = SessionMessage | Exception

_STDIN: Final = 0


def serve_stdio(memory: AsyncEverturn, *, version: str) -> None:
    """Serve until stdin ends, nobody reads stdout, Ctrl-C or SIGTERM; the client is closed."""
    try:
        anyio.run(_serve, memory, version)
    except* BrokenPipeError:
        pass  # who has left wants no answer


async def _serve(memory: AsyncEverturn, version: str) -> None:
    server = memory_server(memory, version=version)
    async with memory, anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_at_signal, tasks.cancel_scope)
        # What it takes is iterated over and no more.
        lines = _StdinLines()
        stdin = cast("anyio.AsyncFile[str]", lines)
        tasks.start_soon(say_trouble, memory)
        async with stdio_server(stdin=stdin) as (reading, writing):
            handed, sound = anyio.create_memory_object_stream[_Message](0)
            tasks.start_soon(_hand_on, lines, reading, handed, writing)
            await server.run(sound, writing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _cancel_at_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return


async def _hand_on(
    lines: "_StdinLines",
    reading: AsyncIterable[_Message],
    sound: ObjectSendStream[_Message],
    writing: ObjectSendStream[SessionMessage],
) -> None:
    """Hand on what is a message; of the rest a caller would wait for an answer for ever."""
    async with sound:
        async for got in reading:
            # Each line is a message or an error, in their order.
            line = lines.taken.popleft()
            if isinstance(got, Exception):
                await writing.send(SessionMessage(fault_of(got, line)))
            else:
                await sound.send(got)


def fault_of(exc: Exception, line: str) -> JSONRPCError:
    """Return the answer to a line that could not be read; its id where it has one, else null.

    Args:
        exc: why it could not.
        line: the line itself: what an error quotes may be any part of it.

    https://www.jsonrpc.org/specification#error_object
    """
    first = exc.errors(include_url=False)[0] if isinstance(exc, ValidationError) else None
    if first is None or first["type"] == "json_invalid":
        error = ErrorData(code=PARSE_ERROR, message="this line is no json in utf-8")
    else:
        error = ErrorData(code=INVALID_REQUEST, message="this is no single message of json-rpc 2.0")
    return JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=error)


def _id_of(line: str) -> str | int | None:
    """Return the id of a line, so that its caller hears of it; None where it has none."""
    try:
        # Halves of code points are json to Python, and to no strict reader.
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if type(found) in {str, int} else None


class _StdinLines:
    """The lines of stdin. A thread reads them that nobody waits for: a read cannot be cancelled.

    `taken` has those that were given out, until they are removed from it.
    """

    def __init__(self) -> None:
        self.taken: deque[str] = deque()
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def __aiter__(self) -> "_StdinLines":
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        self.taken.append(line)
        return line

    def _read(self) -> None:
        # Of its own: Python locks and flushes sys.stdin when it ends, while this still reads.
        with os.fdopen(os.dup(_STDIN), encoding="utf-8", errors="replace") as stdin:
            for line in stdin:
                self._hand_over(line)
        self._hand_over(None)

    def _hand_over(self, line: str | None) -> None:
        # The loop may have ended: then nobody wants it.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
