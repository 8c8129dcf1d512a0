"""Fixtures of the tests that run capabilities over a store in memory."""

import pytest

from everturn.adapters.hash_embedder import HashEmbedder
from everturn.conversations.model import sealing
from everturn.ports.embedder import Embedder
from everturn.recall.index import drop_chunks, load_index
from fakes.fake_embedder import FakeEmbedder
from scenarios.sealed_world import SMALL
from scenarios.world import World


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
    for module in (load_index, drop_chunks):
        monkeypatch.setattr(module, "CHUNK_ROWS", rows)
    return rows
