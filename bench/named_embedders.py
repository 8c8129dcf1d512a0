"""The embedders that a bench is asked to measure with, by their names."""

import hashlib
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from recall_sets import Talk

from everturn.adapters.hash_embedder import HashEmbedder
from everturn.bootstrap.components import open_embedders
from everturn.ports.embedder import Embedder, Purpose, Vectors
from everturn.recall.language.terms import matchable_text
from everturn.settings.process import read_settings

EMBEDDERS = ("terms", "vectors", "gateway", "provider", "bedrock", "local", "hash")

_KEY_BYTES = 8


class StoredVectors:
    """Vectors that a model gave once, by the text; zeros for a text that it was not given.

    The file holds `keys` uint64[n] (blake2b of the text), `vecs` int8[n, d] and `scale` float32[n].
    """

    semantic = True
    max_batch = 1_024

    def __init__(self, path: Path, texts: Iterable[str]) -> None:
        """Take a file, and the texts as they were before white space was collapsed."""
        with np.load(path) as held:
            self._vectors = held["vecs"].astype(np.float32) * held["scale"][:, None]
            self._at = {int(key): at for at, key in enumerate(held["keys"])}
        for text in texts:
            if (at := self._at.get(_key(text))) is not None:
                self._at.setdefault(_key(matchable_text(text)), at)
        self._vectors /= np.linalg.norm(self._vectors, axis=1, keepdims=True)
        self.model = path.stem
        self.unknown: list[str] = []

    @property
    def dimensions(self) -> int:
        return int(self._vectors.shape[1])

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        del purpose
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            at = self._at.get(_key(text))
            if at is None:
                self.unknown.append(text)
            else:
                rows[row] = self._vectors[at]
        return rows


class TimedEmbedder:
    """Hands every call on, and adds up turns and the seconds that they took."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.model, self.dimensions = inner.model, inner.dimensions
        self.semantic, self.max_batch = inner.semantic, inner.max_batch
        self.passages = 0
        self.passages_s = 0.0

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        began_s = time.perf_counter()
        vectors = self._inner.embed(texts, purpose=purpose)
        if purpose == "passage":
            self.passages += len(texts)
            self.passages_s += time.perf_counter() - began_s
        return vectors


def open_embedder(asked: str, name: str, folder: Path, talks: Sequence[Talk]) -> Embedder:
    """Return an embedder by its name, for a set of conversations; end where it cannot be used.

    `terms` is a process without a model, `vectors` are those in the folder of the data, all others
    are the product's own, with its settings.
    """
    if asked == "terms":
        return HashEmbedder()
    if asked == "vectors":
        said = (turn.text or "" for talk in talks for turn in talk.turns)
        return StoredVectors(folder / "vectors" / f"minilm.{name}.npz", said)
    named = {**os.environ, "EVERTURN_STORE": str(folder), "EVERTURN_EMBEDDER": asked}
    choice = open_embedders(read_settings(named)).live()
    if choice.fell_back:
        sys.exit(f"no embedder {asked}: {choice.reason}")
    return choice.embedder


def tell_unknown(embedder: Embedder) -> None:
    """Say for how many texts there was no vector."""
    if isinstance(embedder, StoredVectors) and embedder.unknown:
        unknown = len(set(embedder.unknown))
        print(f"{embedder.model} has no vector for {unknown} texts, which are ranked by words")


def _key(text: str) -> int:
    digest = hashlib.blake2b(text.encode(), digest_size=_KEY_BYTES).digest()
    return int.from_bytes(digest, "little")
