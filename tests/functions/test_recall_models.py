"""Recall with an embedding model.

What it is asked, what its failure costs, whose vectors are used.
"""

import pytest

from everturn.errors import UnavailableError
from everturn.recall.index.index_cache import IndexCache
from fakes.fake_embedder import FakeEmbedder
from functions.house import House, embedders_of
from functions.recalled import say, texts, travel

ONE, ALL = "c1", None
everywhere = pytest.mark.parametrize("id_", [ONE, ALL], ids=["one", "all"])


@everywhere
def test_each_turn_is_embedded_once(house: House, id_: str | None) -> None:
    embedder = FakeEmbedder()
    house.parts.embedders = embedders_of(embedder)
    travel(house)
    house.recall("Aurora", id_)
    assert embedder.purposes.count("passage") == 1
    assert len(embedder.texts) == 6 + 1
    say(house, "One more.")
    house.recall("Aurora", id_)
    assert [text for text in embedder.texts[7:] if text != "Aurora"] == ["One more."]


def test_a_turn_is_embedded_once_for_all_processes(house: House) -> None:
    embedder = FakeEmbedder()
    house.parts.embedders = embedders_of(embedder)
    travel(house)
    house.recall("Aurora")
    house.parts.forget()
    house.recall("Aurora")
    assert embedder.purposes == ["passage", "query", "query"]


def test_a_model_that_fails_costs_no_hit_that_words_can_find(house: House) -> None:
    travel(house)
    plain = texts(house.recall("hotel Aurora"))
    house.parts.embedders = embedders_of(FakeEmbedder(failing=UnavailableError("no answer")))
    answer = house.recall("hotel Aurora")
    assert texts(answer) == plain
    assert (answer["degraded"], answer["reason"]) == (True, "embedder_failed")
    house.parts.embedders = embedders_of(FakeEmbedder())
    assert house.recall("hotel Aurora")["degraded"] is False


def test_another_model_has_vectors_of_its_own(house: House) -> None:
    travel(house)
    for model, dimensions in (("one", 64), ("two", 32), ("one", 64)):
        embedder = FakeEmbedder(model=model, dimensions=dimensions)
        house.parts.embedders = embedders_of(embedder)
        assert "At the hotel Aurora, Rua das Flores 7." in texts(house.recall("Aurora"))
    assert embedder.purposes == ["query"]


def test_the_order_is_the_same_in_another_process(house: House) -> None:
    house.parts.embedders = embedders_of(FakeEmbedder())
    travel(house)
    warm = [house.recall("fly stay dinner")["hits"] for _ in range(2)]
    house.parts.indexes = IndexCache()
    assert [*warm, house.recall("fly stay dinner")["hits"]] == [warm[0]] * 3
