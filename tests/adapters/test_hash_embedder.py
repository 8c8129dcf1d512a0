"""The embedder without a model: the same everywhere, and honest about what it is."""

import hashlib

import numpy as np
import pytest

from everturn.adapters.hash_embedder import HashEmbedder
from everturn.ports.embedder import Embedder
from ports.embedder_contract import EmbedderContract


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()


def test_it_does_not_claim_to_know_meaning() -> None:
    assert HashEmbedder().semantic is False


def test_its_vectors_are_the_same_in_every_release_under_one_name() -> None:
    """Vectors of two releases would meet in one index otherwise: change `model` with these."""
    # Exact on every machine: sums of quarters, of whose squares float64 drops no digit.
    texts = ["the cat sat on the mat", "\u4f60\u597d", "Stra\u00dfe 12, 0xdeadBEEF"]
    vectors = HashEmbedder().embed(texts, purpose="passage")
    digest = hashlib.sha256(np.round(vectors * 1_000).astype("<i2").tobytes()).hexdigest()
    assert (HashEmbedder.model, digest[:16]) == ("hash-256.1", "3655e0159508224c")


def test_case_and_form_of_a_letter_do_not_matter() -> None:
    one, other = HashEmbedder().embed(["STRASSE \uff21", "stra\u00dfe a"], purpose="query")
    np.testing.assert_array_equal(one, other)


def test_parts_of_words_count_where_no_word_is_shared() -> None:
    """Endings, and scripts without spaces."""
    embedder = HashEmbedder()
    for near, text, far in (
        ("deployments", "deployment", "bananas"),
        ("\u6771\u4eac\u90fd\u5e81", "\u6771\u4eac\u90fd", "\u5927\u962a\u5e9c\u5e81\u820e"),
    ):
        rows = embedder.embed([near, text, far], purpose="passage")
        assert rows[0] @ rows[1] > rows[2] @ rows[1]


def test_a_text_without_a_word_has_a_vector_or_none_but_no_error() -> None:
    rows = HashEmbedder().embed(["!!!", "\0", "-"], purpose="passage")
    assert np.isfinite(rows).all()
