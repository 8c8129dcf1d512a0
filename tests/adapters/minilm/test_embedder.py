"""The embedder in the process, on a model of random weights."""

from pathlib import Path

import numpy as np
import pytest

from adapters.minilm.tiny_bert import VOCABULARY, tiny_tensors
from everturn.adapters.minilm.embedder import LocalEmbedder, MiniLm, open_local_model
from everturn.adapters.minilm.model_files import MODEL, encode_model
from everturn.adapters.minilm.wordpiece import WordPiece
from everturn.errors import MisconfiguredError
from everturn.ports.embedder import Embedder
from ports.embedder_contract import PURPOSES, EmbedderContract

# Of rows of unit length in float32. How their sums are rounded depends on the BLAS and, within one,
# on the shape of the batch: by some 1e-7 here. Rows of different texts are 0.1 apart.
_ROUNDING, _APART = 1e-5, 0.01


def _embedder(spread: float = 0.05) -> LocalEmbedder:
    return LocalEmbedder(WordPiece(VOCABULARY), MiniLm(tiny_tensors(spread=spread)))


class TestLocalEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return _embedder()


def test_it_knows_meaning_and_says_which_model_it_is() -> None:
    embedder = _embedder()
    assert embedder.semantic is True
    assert embedder.model == "all-MiniLM-L6-v2"


def test_a_text_without_a_piece_has_a_row_of_zeros_and_the_others_theirs() -> None:
    rows = _embedder().embed(["\u200b", "the cat", "\0", "tax"], purpose="passage")
    assert rows.any(axis=1).tolist() == [False, True, False, True]


def test_what_is_stored_and_what_is_asked_have_the_same_vector() -> None:
    embedder = _embedder()
    query, passage = (embedder.embed(["the cat"], purpose=use) for use in PURPOSES)
    np.testing.assert_allclose(query, passage, rtol=0, atol=_ROUNDING)


def test_a_text_is_cut_after_254_word_pieces() -> None:
    embedder = _embedder(spread=0.4)
    rows = embedder.embed(
        ["word " * 253 + "cat", "word " * 253 + "cat mat tax", "word " * 253 + "tax"],
        purpose="passage",
    )
    np.testing.assert_allclose(rows[0], rows[1], rtol=0, atol=_ROUNDING)
    assert np.abs(rows[0] - rows[2]).max() > _APART


def test_a_vocabulary_of_another_model_is_refused(tmp_path: Path) -> None:
    others = {"vocab.txt": b"[UNK]\n[CLS]\n[SEP]\n", "README.md": b"", "LICENSE": b""}
    (tmp_path / MODEL).mkdir()
    for name, body in encode_model(tiny_tensors(), others).items():
        (tmp_path / MODEL / name).write_bytes(body)
    with pytest.raises(MisconfiguredError, match="of two models pieces=3"):
        open_local_model(tmp_path)
