"""Embed texts in this process with a small English BERT model: numpy alone, no service.

The encoder takes word pieces and returns one vector of unit length a text. It computes what torch
does, to 1e-5.

Source: https://arxiv.org/abs/1908.10084 (the mean over a text's pieces as its vector)
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from everturn.adapters.minilm.bert_layer import Floats, Layer, read_layer, read_norm
from everturn.adapters.minilm.model_files import MODEL, read_model
from everturn.adapters.minilm.safetensors_file import Tensors
from everturn.adapters.minilm.wordpiece import WordPiece
from everturn.errors import MisconfiguredError
from everturn.ports.embedder import Embedder, Purpose, Vectors

# all-MiniLM-L6-v2 has 12; the only size that its tensors do not tell.
HEADS: Final = 12
# Pieces computed together: more is not faster, and needs more memory (some 15 KiB a piece).
_PACK_PIECES: Final = 512
# More layers than any model that this is made for has.
_MAX_LAYERS: Final = 48


class MiniLm:
    """The encoder; holds float32 weights, none of them changed after construction."""

    def __init__(self, tensors: Tensors, *, heads: int = HEADS) -> None:
        """Take the tensors of a BERT model by their usual names; all sizes are theirs.

        Raises:
            MisconfiguredError: a tensor is missing, or has a shape that does not fit the others.
        """
        self._heads = heads
        try:
            kinds = tensors["embeddings.token_type_embeddings.weight"]
            self._words = tensors["embeddings.word_embeddings.weight"]
            self._places = tensors["embeddings.position_embeddings.weight"] + kinds[0]
            self._norm = read_norm(tensors, "embeddings.LayerNorm")
            self._layers = list(_layers(tensors, heads))
            # Shapes that do not fit show here, not at the first text.
            self.encode([[0, 0], [0]])
        except KeyError as exc:
            raise MisconfiguredError(f"the model lacks a tensor tensor={exc.args[0]}") from exc
        except (ValueError, IndexError, ZeroDivisionError) as exc:
            raise MisconfiguredError("the model's tensors do not fit one another") from exc

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return int(self._words.shape[1])

    @property
    def max_pieces(self) -> int:
        """How many pieces a text may have."""
        return int(self._places.shape[0])

    @property
    def vocabulary_size(self) -> int:
        """How many pieces the model knows: each is a number below it."""
        return int(self._words.shape[0])

    def encode(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return one vector of unit length a text, in the order given.

        Texts are packed one behind another without padding, the shortest first; so a vector does
        not depend on what else is in the call, but for the last bits of a float32.

        Args:
            texts: n texts of 1 to `max_pieces` pieces each.

        Returns:
            float32[n, d].
        """
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for pack in _packs([len(text) for text in texts]):
            vectors[pack] = self._pack([texts[at] for at in pack])
        return vectors

    def _pack(self, texts: Sequence[Sequence[int]]) -> Floats:
        lengths = [len(text) for text in texts]
        places = np.concatenate([np.arange(length) for length in lengths])
        x = self._norm(self._words[np.concatenate(texts)] + self._places[places])
        for layer in self._layers:
            x = layer(x, lengths, self._heads)
        # A sum has the direction of the mean, and only the direction stays.
        sums: Floats = np.add.reduceat(x, np.cumsum([0, *lengths[:-1]]), axis=0)
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums


def _layers(tensors: Tensors, heads: int) -> Iterator[Layer]:
    for number in range(_MAX_LAYERS):
        prefix = f"encoder.layer.{number}."
        if number and not any(name.startswith(prefix) for name in tensors):
            return
        yield read_layer(tensors, prefix, heads=heads)


def _packs(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of texts, the shortest first, in packs of a bounded number of pieces."""
    pack: list[int] = []
    pieces = 0
    for at in sorted(range(len(lengths)), key=lengths.__getitem__):
        if pack and pieces + lengths[at] > _PACK_PIECES:
            yield pack
            pack, pieces = [], 0
        pack.append(at)
        pieces += lengths[at]
    if pack:
        yield pack


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
