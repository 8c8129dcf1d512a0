"""The house over a directory and over S3 (locked moto): import the fixtures into a conftest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from emulation.moto_server import moto_clients, moto_server
from emulation.s3_endpoint import fresh_store
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.memory_store import MemoryStore
from everturn.local.gateway import Gateway
from everturn.ports.object_store import ObjectStore
from functions.house import Door, House, Parts, client_of, open_house, real_time

__all__ = [
    "directory", "directory_house", "house", "moto_clients", "moto_server", "opened_house",
    "s3_house",
]  # fmt: skip

Opened = tuple[Gateway, Parts, Path]


@pytest.fixture(scope="session")
def opened_house(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """The gateway of all tests of this folder; loading its handlers takes a second."""
    nowhere = MemoryStore(real_time())
    parts = Parts(Door(nowhere), Door(nowhere))
    log = tmp_path_factory.mktemp("house") / "handlers.log"
    return open_house(parts, log), parts, log


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """The folder of the directory store."""
    return tmp_path / "store"


def _house(opened: Opened, store: ObjectStore) -> Iterator[House]:
    gateway, parts, log = opened
    parts.settle(store)
    with pytest.MonkeyPatch.context() as patch, client_of(gateway) as client:
        # As in Lambda; everturn.local turns these lines off for its own console.
        patch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
        # Asked for by each request, where stores are opened when handlers load.
        patch.setattr("everturn.edge.recall_function.open_recall", lambda _: parts)
        patch.setattr("everturn.edge.recall_function.open_queue", lambda _: parts.queue)
        patch.setattr("everturn.edge.api_function.open_memories", lambda _: parts.memories)
        patch.setattr("everturn.edge.append_function.open_offers", lambda _: parts.offers)
        opened_indexes = "everturn.edge.retrieve_function.open_memory_indexes"
        patch.setattr(opened_indexes, lambda _: parts.memory_indexes)
        yield House(gateway, parts, log, client)


@pytest.fixture
def directory_house(opened_house: Opened, directory: Path) -> Iterator[House]:
    yield from _house(opened_house, DirectoryStore(directory, clock=real_time()))


@pytest.fixture
def s3_house(opened_house: Opened, request: pytest.FixtureRequest) -> Iterator[House]:
    store = fresh_store(request.getfixturevalue("moto_clients"))
    yield from _house(opened_house, store)


@pytest.fixture(params=["directory", "s3"])
def house(request: pytest.FixtureRequest) -> House:
    """The API over a fresh directory, and over a fresh bucket."""
    chosen: House = request.getfixturevalue(f"{request.param}_house")
    return chosen
