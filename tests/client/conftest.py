"""One store for all tests, a user of it for each, and a network between that can fail."""

import asyncio
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from client.both_clients import blocking
from client.faults import FaultyNetwork
from client.hand_time import HandClock, HandEntropy
from everturn.client import AsyncEverturn, Everturn
from everturn.local.transport import open_async_transport, open_transport


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> httpx.BaseTransport:
    return open_transport(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def new_actor() -> Callable[[], str]:
    """Return a maker of users who have nothing yet."""
    numbers = itertools.count()
    return lambda: f"user-{next(numbers)}"


@pytest.fixture
def network(store: httpx.BaseTransport) -> FaultyNetwork:
    return FaultyNetwork(store)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def memory(
    network: FaultyNetwork, clock: HandClock, new_actor: Callable[[], str]
) -> Iterator[Everturn]:
    with Everturn(
        "http://localhost",
        actor=new_actor(),
        transport=network,
        clock=clock,
        entropy=HandEntropy(),
    ) as client:
        yield client


@pytest.fixture
def bare() -> Callable[..., tuple[Everturn, FaultyNetwork, HandClock]]:
    """Return a maker of clients behind whose network there is nothing."""

    def make(**options: object) -> tuple[Everturn, FaultyNetwork, HandClock]:
        network, clock = FaultyNetwork(), HandClock()
        client = Everturn(
            "http://localhost",
            transport=network,
            clock=clock,
            entropy=HandEntropy(),
            **options,  # type: ignore[arg-type]  # whatever a test asks for
        )
        return client, network, clock

    return make


@pytest.fixture(params=["threads", "tasks"])
def client(
    request: pytest.FixtureRequest, memory: Everturn, new_actor: Callable[[], str], tmp_path: Path
) -> Iterator[Everturn]:
    if request.param == "threads":
        yield memory
        return
    with asyncio.Runner() as runner:
        asynchronous = AsyncEverturn(
            "http://localhost", actor=new_actor(), transport=open_async_transport(tmp_path)
        )
        yield blocking(asynchronous, runner)
        runner.run(asynchronous.aclose())
