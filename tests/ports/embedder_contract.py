"""The rules of ports/embedder.py, for every adapter: inherit the class and give an `embedder`.

One that asks a service overrides `asked` too.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from everturn.ports.embedder import Embedder, Purpose, Vectors

PURPOSES: tuple[Purpose, Purpose] = ("passage", "query")
TEXTS = ["the cat sat on the mat", "a quarterly report on tax", "Where did the cat sit?"]
HARD_TEXTS = [
    "half a pair \ud83d",
    "the other half \ude00 of it",
    "nul \0 inside",
    "\0\0",
    "\x1b[31m red \r\n \x7f",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "\u0645\u0631\u062d\u0628\u0627 \u202e abc",
    "\u4f60\u597d\u4e16\u754c",
    "e\u0301" * 40,
    "\ufdfa\ufeff\u200b",
    "<|endoftext|> [CLS] </s>",
    "\uffff\U0010ffff",
    "0",
]


def checked(vectors: Vectors, count: int, embedder: Embedder) -> Vectors:
    """Hold an answer against the shape that the port promises."""
    assert vectors.shape == (count, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert (np.isclose(lengths, 1.0, atol=1e-5) | (lengths == 0.0)).all()
    return vectors


class EmbedderContract:
    @pytest.fixture
    def asked(self) -> Callable[[], int]:
        """How many requests were sent so far; an adapter without a service sends none."""
        return lambda: 0

    def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        assert embedder.model.strip() == embedder.model != ""
        assert isinstance(embedder.semantic, bool)
        assert embedder.dimensions > 0
        assert embedder.max_batch > 0

    @pytest.mark.parametrize("purpose", PURPOSES)
    def test_every_text_has_a_row_of_unit_length(
        self, embedder: Embedder, purpose: Purpose
    ) -> None:
        vectors = checked(embedder.embed(TEXTS, purpose=purpose), len(TEXTS), embedder)
        assert vectors.any(axis=1).all()

    def test_no_texts_are_no_rows_and_no_request(
        self, embedder: Embedder, asked: Callable[[], int]
    ) -> None:
        before = asked()
        for purpose in PURPOSES:
            checked(embedder.embed([], purpose=purpose), 0, embedder)
        assert asked() == before

    def test_rows_are_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forth = embedder.embed(TEXTS, purpose="passage")
        back = embedder.embed(TEXTS[::-1], purpose="passage")
        np.testing.assert_allclose(forth, back[::-1], atol=1e-5)

    def test_a_text_has_one_vector_alone_and_among_others(self, embedder: Embedder) -> None:
        together = embedder.embed([*TEXTS, TEXTS[0]], purpose="passage")
        np.testing.assert_allclose(together[0], together[-1], atol=1e-5)
        for text, row in zip(TEXTS, together, strict=False):
            [alone] = embedder.embed([text], purpose="passage")
            np.testing.assert_allclose(alone, row, atol=1e-5)

    def test_texts_that_share_words_are_nearer_than_others(self, embedder: Embedder) -> None:
        near, far, asking = embedder.embed(TEXTS, purpose="passage")
        assert near @ asking > far @ asking

    def test_a_full_batch_is_taken(self, embedder: Embedder) -> None:
        count = min(embedder.max_batch, 128)
        texts = [f"turn number {number}" for number in range(count)]
        vectors = checked(embedder.embed(texts, purpose="passage"), count, embedder)
        assert vectors.any(axis=1).all()

    @pytest.mark.parametrize("purpose", PURPOSES)
    def test_no_text_breaks_it(self, embedder: Embedder, purpose: Purpose) -> None:
        """Half a pair of surrogates, NUL, controls, other scripts, marks of other programs."""
        texts = [*HARD_TEXTS, TEXTS[0]][: embedder.max_batch]
        vectors = checked(embedder.embed(texts, purpose=purpose), len(texts), embedder)
        [alone] = embedder.embed([TEXTS[0]], purpose=purpose)
        np.testing.assert_allclose(vectors[-1], alone, atol=1e-5)

    @pytest.mark.parametrize("word", ["word ", "\u4f60", "\U0001f600 "])
    def test_a_text_that_is_too_long_is_cut(self, embedder: Embedder, word: str) -> None:
        texts = [word * 100_000, TEXTS[0]]
        vectors = checked(embedder.embed(texts, purpose="passage"), 2, embedder)
        assert vectors.any(axis=1).all()

    def test_texts_are_left_as_they_are(self, embedder: Embedder) -> None:
        texts = [*TEXTS, "\ud83d"]
        embedder.embed(texts, purpose="passage")
        assert texts == [*TEXTS, "\ud83d"]

    def test_threads_may_share_it(self, embedder: Embedder) -> None:
        alone = embedder.embed(TEXTS, purpose="passage")
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(embedder.embed, TEXTS, purpose="passage") for _ in range(8)]
        for future in asked:
            np.testing.assert_allclose(future.result(), alone, atol=1e-5)
