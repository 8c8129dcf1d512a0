"""What the tests of the services share."""

import pytest

from emulation.moto_server import moto_clients, moto_server
from emulation.seaweed import seaweed_clients, seaweed_url
from everturn.adapters.hash_embedder import HashEmbedder
from everturn.domain import sealing
from everturn.ports.embedder import Embedder
from everturn.services import drop_rows, load_index
from services.fake_embedder import FakeEmbedder
from services.sealed_world import SMALL
from services.world import World

__all__ = ["moto_clients", "moto_server", "seaweed_clients", "seaweed_url"]


@pytest.fixture(params=[HashEmbedder, FakeEmbedder], ids=["words", "vectors"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    """One without meaning, and one with."""
    made: Embedder = request.param()
    return made


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let conversations be sealed at some 15 turns."""
    monkeypatch.setattr(sealing, "LIMITS", SMALL)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let a chunk of the side index hold 16 turns."""
    rows = 16
    for module in (load_index, drop_rows):
        monkeypatch.setattr(module, "CHUNK_ROWS", rows)
    return rows
