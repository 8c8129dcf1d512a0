"""The embedder that runs in the process: a small English model, numpy alone, no service."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from everturn.adapters.minilm.encoder import MiniLm
from everturn.adapters.minilm.model_files import MODEL, read_model
from everturn.adapters.minilm.wordpiece import WordPiece
from everturn.errors import MisconfiguredError
from everturn.ports.embedder import Embedder, Purpose, Vectors

# What the model was trained on: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
_MAX_PIECES: Final = 256
# The markers that stand around every text.
_MARKERS: Final = 2


class LocalEmbedder:
    """The model all-MiniLM-L6-v2 in this process; stored and asked texts are treated alike."""

    model: Final = MODEL
    semantic: Final = True
    # A second on one core where all are long: a recall that is out of time ends between batches.
    # More at once is hardly faster.
    max_batch: Final = 16

    def __init__(self, words: WordPiece, encoder: MiniLm) -> None:
        """Take the parts; the encoder knows every piece of the words."""
        self._words = words
        self._encoder = encoder
        self._limit = min(_MAX_PIECES, encoder.max_pieces)

    @property
    def dimensions(self) -> int:
        """384, with the weights that are published."""
        return self._encoder.dimensions

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Embed texts in the order given; see ports/embedder.py. Asks nobody and never fails.

        A text is cut after 254 word pieces. One without any, such as control characters alone,
        has a row of zeros.
        """
        del purpose
        pieces = [self._words.pieces(text, limit=self._limit) for text in texts]
        known = [at for at, numbers in enumerate(pieces) if len(numbers) > _MARKERS]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        vectors[known] = self._encoder.encode([pieces[at] for at in known])
        return vectors


def open_local_model(directory: Path) -> Embedder:
    """Return the embedder of the model below a directory of models.

    Reads 23 MB and keeps 91 MB of weights.

    Raises:
        MisconfiguredError: the model is not installed, or is broken.
    """
    files = read_model(directory)
    encoder = MiniLm(files.tensors)
    if len(files.vocabulary) != encoder.vocabulary_size:
        raise MisconfiguredError(
            f"vocabulary and weights are of two models pieces={len(files.vocabulary)}"
        )
    return LocalEmbedder(WordPiece(files.vocabulary), encoder)
