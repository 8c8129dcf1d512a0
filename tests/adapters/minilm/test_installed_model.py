"""The real model where `everturn model install` has put it, against vectors made with torch."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from everturn.adapters.minilm.embedder import open_local_model
from everturn.adapters.minilm.model_install import find_model
from everturn.ports.embedder import Embedder
from everturn.settings.models import read_embedder_settings
from ports.embedder_contract import EmbedderContract
from repository import REPOSITORY

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """Return the installed model."""
    directory = read_embedder_settings().model_dir
    if directory is None or find_model(directory) is None:
        pytest.skip("no model is installed: everturn model install")
    return open_local_model(directory)


@pytest.fixture
def data() -> Path:
    """Return the folder of the public data."""
    beside = REPOSITORY.parent / "shared" / "data"
    folder = Path(os.environ.get("EVERTURN_DATA") or beside)
    if not (folder / "vectors" / "minilm.locomo.npz").is_file():
        pytest.skip("the public data are missing: set EVERTURN_DATA")
    return folder


class TestInstalledModel(EmbedderContract):
    @pytest.fixture
    def embedder(self, embedder: Embedder) -> Embedder:
        return embedder


def test_its_vectors_are_those_of_the_published_model(embedder: Embedder, data: Path) -> None:
    """Rounded weights against rounded vectors: a cosine of 0.99 is what is left of it."""
    with np.load(data / "vectors" / "minilm.locomo.npz") as given:
        rows = given["vecs"] * given["scale"][:, None]
        row_of = dict(zip(given["keys"].tolist(), rows, strict=True))
    texts = [text for text in _texts(data / "locomo10.json") if _key(text) in row_of][::23][:200]
    assert len(texts) == 200
    expected = np.array([row_of[_key(text)] for text in texts])
    batches = [texts[at : at + embedder.max_batch] for at in range(0, 200, embedder.max_batch)]
    vectors = np.concatenate([embedder.embed(batch, purpose="passage") for batch in batches])
    cosines = (vectors * expected).sum(axis=1) / np.linalg.norm(expected, axis=1)
    assert cosines.min() >= 0.99


def test_sentences_of_one_meaning_are_nearer_than_those_that_share_words(
    embedder: Embedder,
) -> None:
    asked, meant, spelled = embedder.embed(
        ["How do I get my money back?", "Our refund policy", "How do I get to the station?"],
        purpose="passage",
    )
    assert asked @ meant > asked @ spelled


def _texts(path: Path) -> Iterator[str]:
    for chat in json.loads(path.read_text("utf-8")):
        for name, session in chat["conversation"].items():
            if name.startswith("session_") and isinstance(session, list):
                yield from (turn["text"] for turn in session)


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
