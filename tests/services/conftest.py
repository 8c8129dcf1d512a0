"""What the tests of the services share."""

import pytest

from emulation.moto_server import moto_clients, moto_server
from services.world import World

__all__ = ["moto_clients", "moto_server"]


@pytest.fixture
def world() -> World:
    return World()
