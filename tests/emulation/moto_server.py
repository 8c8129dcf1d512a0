"""One locked moto server for a session of tests: import the fixtures into a conftest."""

from collections.abc import Iterator

import pytest

from emulation.s3_endpoint import emulator_clients
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.local.emulation.moto_s3 import MotoServer, serve


@pytest.fixture(scope="session")
def moto_server() -> Iterator[MotoServer]:
    server = serve("127.0.0.1", 0)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def moto_clients(moto_server: MotoServer) -> Iterator[S3Clients]:
    clients = emulator_clients(moto_server.url)
    yield clients
    clients.writes.close()
    clients.reads.close()
