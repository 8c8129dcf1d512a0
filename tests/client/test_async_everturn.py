import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from client.faults import answers, lost_request
from client.hand_time import AsyncHandClock, HandEntropy, LongestWaits
from everturn.client import AsyncEverturn
from everturn.errors import OutcomeUnknownError, UnavailableError
from everturn.local.transport import open_async_transport


def _nobody(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


def test_tasks_may_share_a_client(tmp_path: Path) -> None:
    """Nothing is lost, nothing doubled."""

    async def run() -> list[str]:
        async with AsyncEverturn.local(tmp_path) as memory:
            async with asyncio.TaskGroup() as tasks:
                for n in range(20):
                    tasks.create_task(memory.append_user("c", f"{n}"))
            return [turn.text async for turn in memory.all_turns("c")]

    assert sorted(asyncio.run(run())) == sorted(map(str, range(20)))


def test_tries_wait_without_holding_up_others() -> None:
    clock = AsyncHandClock()
    faults = [lost_request, answers(503), answers(200, {"conversations": [], "skipped": 0})]

    async def run() -> None:
        transport = httpx.MockTransport(lambda request: faults.pop(0)(request, _nobody))
        client = AsyncEverturn(
            "http://localhost", transport=transport, clock=clock, entropy=HandEntropy()
        )
        async with client as memory:
            assert (await memory.list_conversations()).conversations == ()

    asyncio.run(run())
    assert len(clock.waits) == 2


def test_a_failure_is_borne_where_that_was_asked_for() -> None:
    async def run() -> str | None:
        transport = httpx.MockTransport(lambda request: answers(503)(request, _nobody))
        client = AsyncEverturn(
            "http://localhost",
            transport=transport,
            clock=AsyncHandClock(),
            entropy=HandEntropy(),
            best_effort=True,
        )
        async with client as memory:
            assert [turn async for turn in memory.all_turns("c")] == []
            with pytest.raises(UnavailableError):
                await memory.export_conversation("c")
            return (await memory.get_turns("c")).failed

    assert asyncio.run(run()) == "unavailable"


@contextmanager
def _unreachable() -> Iterator[str]:
    """Give the address of who lets nobody in: those who wait at the door are too many."""
    with ExitStack() as held:
        listening = held.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(8):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)  # noqa: FBT003 - it takes no name
            waiting.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_what_reached_nobody_surely_did_not_happen() -> None:
    """Where the time of the whole call is over as well: a fifth of a second after that to connect.

    A wait of the longest kind leaves no time for a second try, whose two ends are nearer.
    """

    async def run(url: str) -> None:
        async with AsyncEverturn(url, timeout_s=2, entropy=LongestWaits()) as memory:
            await memory.pop_turn("c", expected_turn_count=1)

    with _unreachable() as url, pytest.raises(UnavailableError, match="nothing answers") as raised:
        asyncio.run(run(url))
    assert not isinstance(raised.value, OutcomeUnknownError)


def test_a_cancelled_append_is_whole_or_not_at_all(
    tmp_path: Path, new_actor: Callable[[], str]
) -> None:
    """A request of this process is worked on to its end, whoever waits for it."""

    async def run() -> int:
        transport = open_async_transport(tmp_path)
        async with AsyncEverturn(
            "http://localhost", actor=new_actor(), transport=transport
        ) as memory:
            task = asyncio.create_task(
                memory.append("c", [{"role": "user", "text": f"{n}"} for n in range(100)])
            )
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await memory.append_user("c", "last")
            return (await memory.get_turns("c")).turn_count

    assert asyncio.run(run()) in {1, 101}
