"""One client in several event loops, each with connections of its own, none left open."""

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from client.raw_server import lists, raw_server
from everturn.client import AsyncEverturn, Everturn
from everturn.errors import InvalidRequestError


def test_a_client_is_used_in_one_event_loop_after_the_other() -> None:
    """`asyncio.run` makes a loop for each call; what it leaves open would be warned of."""
    with raw_server(lists) as server:
        memory = AsyncEverturn(server.url)

        async def twice() -> None:
            await memory.list_conversations()
            await memory.list_conversations()

        for number in range(1, 4):
            asyncio.run(twice())
            assert server.all_closed()
            assert server.opened == number
        gc.collect()


def test_a_client_is_used_in_event_loops_of_several_threads() -> None:
    with raw_server(lists) as server:
        memory = AsyncEverturn(server.url)

        async def many() -> int:
            done = await asyncio.gather(*(memory.list_conversations() for _ in range(5)))
            return len(done)

        with ThreadPoolExecutor(4) as threads:
            done = list(threads.map(lambda _: asyncio.run(many()), range(8)))
        assert done == [5] * 8
        assert server.all_closed()
    gc.collect()


def test_what_a_client_holds_for_a_loop_goes_with_it() -> None:
    with raw_server(lists) as server:
        memory = AsyncEverturn(server.url)
        for _ in range(5):
            asyncio.run(_listed(memory))
        assert len(memory._clients._held) == 1


def test_a_closed_client_holds_no_connection_and_is_closed_for_good() -> None:
    async def run(url: str) -> None:
        async with AsyncEverturn(url) as memory:
            await memory.list_conversations()
        assert server.all_closed()
        with pytest.raises(InvalidRequestError, match="closed"):
            await memory.list_conversations()
        await memory.aclose()

    with raw_server(lists) as server:
        asyncio.run(run(server.url))
        assert server.opened == 1


def test_a_client_that_is_closed_before_it_was_used_is_closed() -> None:
    async def run() -> None:
        memory = AsyncEverturn("http://127.0.0.1:9")
        await memory.aclose()
        with pytest.raises(InvalidRequestError, match="closed"):
            await memory.list_conversations()

    asyncio.run(run())


def test_a_client_for_threads_closes_its_connections() -> None:
    with raw_server(lists) as server:
        memory = Everturn(server.url)
        memory.list_conversations()
        memory.close()
        assert server.all_closed()
        with pytest.raises(InvalidRequestError, match="closed"):
            memory.list_conversations()
        assert server.opened == 1


async def _listed(memory: AsyncEverturn) -> None:
    await memory.list_conversations()
