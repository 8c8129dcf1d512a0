"""A server on the echoing gateway."""

import threading
from collections.abc import Iterator

import pytest

from everturn.local.server import FrontServer, listen
from local.echo import echo_gateway


@pytest.fixture
def server() -> Iterator[FrontServer]:
    with FrontServer(listen("127.0.0.1", 0), echo_gateway(), host="127.0.0.1") as front:
        thread = threading.Thread(target=front.serve_forever, args=(0.02,))
        thread.start()
        yield front
        front.shutdown()
        thread.join()
