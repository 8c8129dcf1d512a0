"""The fake that the services are tested with keeps the rules of the real ones."""

from collections.abc import Callable

import numpy as np
import pytest

from everturn.errors import UnavailableError
from fakes.fake_embedder import FakeEmbedder
from ports.embedder_contract import EmbedderContract


class TestFakeEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> FakeEmbedder:
        return FakeEmbedder()

    @pytest.fixture
    def asked(self, embedder: FakeEmbedder) -> Callable[[], int]:
        return lambda: len(embedder.calls)


def test_it_writes_down_what_it_was_asked() -> None:
    embedder = FakeEmbedder()
    embedder.embed(["a", "b"], purpose="passage")
    embedder.embed(["c"], purpose="query")
    assert embedder.calls == [("a", "b"), ("c",)]
    assert embedder.texts == ["a", "b", "c"]
    assert embedder.purposes == ["passage", "query"]


def test_it_fails_as_it_is_told() -> None:
    failing = FakeEmbedder(failing=UnavailableError("no answer in time"))
    with pytest.raises(UnavailableError):
        failing.embed(["a"], purpose="query")
    assert FakeEmbedder(fault="short").embed(["a", "b"], purpose="passage").shape == (1, 64)
    assert FakeEmbedder(fault="wrong-sized").embed(["a"], purpose="passage").shape == (1, 65)
    assert not FakeEmbedder(fault="zeros").embed(["a"], purpose="passage").any()
    one = FakeEmbedder(unusable=frozenset({"b"})).embed(["a", "b"], purpose="passage")
    assert one.any(axis=1).tolist() == [True, False]


def test_two_models_see_the_same_text_differently() -> None:
    one, other = (FakeEmbedder(model=name).embed(["a"], purpose="query") for name in ("m", "n"))
    assert not np.allclose(one, other)
