"""What vectors do to a recall: their directions, their faults, a model in the place of another."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from everturn.errors import UnavailableError
from everturn.ports.embedder import Purpose
from fakes.fake_embedder import FakeEmbedder
from fakes.planned_embedder import PlannedEmbedder
from functions.house import House, Json, embedders_of

# Shares no word with any text: vectors alone decide.
WORDLESS = "???"


def _told(house: House, similar: dict[str, float], **fields: Any) -> PlannedEmbedder:  # noqa: ANN401 - any field
    """Append texts whose cosines with every query are these."""
    asked: Sequence[float] = fields.get("query", [1.0, 0.0])

    def plan(text: str, purpose: Purpose) -> Sequence[float] | None:
        cosine = similar.get(text)
        if purpose == "query" or cosine is None:
            return asked if purpose == "query" else None
        return [cosine, math.sqrt(1.0 - cosine**2)]

    embedder = PlannedEmbedder(plan=plan)
    house.parts.embedders = embedders_of(embedder)
    assert house.append("c1", *similar).is_success
    return embedder


def _texts(answer: Json) -> list[str]:
    return [hit["text"] for hit in answer["hits"]]


def _scores(answer: Json) -> list[float]:
    return [hit["score"] for hit in answer["hits"]]


def test_the_nearer_comes_first_and_more_is_better(directory_house: House) -> None:
    _told(directory_house, {"far": 0.2, "near": 0.9, "between": 0.5})
    answer = directory_house.recall(WORDLESS)
    assert _texts(answer)[0] == "near"
    assert _scores(answer) == sorted(_scores(answer), reverse=True)
    assert 0.0 < max(_scores(answer)) <= 1.0


def test_a_turn_alone_is_found_by_its_meaning(directory_house: House) -> None:
    """There is nothing to compare it with, and its score says how near it is."""
    scores: list[float] = []
    for number, cosine in enumerate((1.0, 0.9, 0.6, 0.3)):
        user = directory_house.acting_as(f"user-{number}")
        _told(user, {"the only one": cosine})
        scores += _scores(user.recall(WORDLESS))
    assert len(set(scores)) == 4
    assert scores == sorted(scores, reverse=True)
    assert scores[0] >= 0.9


def test_turns_equally_near_are_all_found(directory_house: House) -> None:
    _told(directory_house, {f"item {number}": 0.6 for number in range(5)})
    assert len(_texts(directory_house.recall(WORDLESS, top_k=5))) == 5


def test_the_second_best_is_found_too(directory_house: House) -> None:
    _told(directory_house, {"best": 0.8, "nearly": 0.7})
    assert _texts(directory_house.recall(WORDLESS)) == ["best", "nearly"]


def test_what_points_the_other_way_is_not_found(directory_house: House) -> None:
    """A cosine below nought is no evidence, whatever the others have."""
    _told(directory_house, {"against": -0.9, "more against": -1.0})
    assert _texts(directory_house.recall(WORDLESS)) == []


def test_vectors_take_no_hit_away_that_words_have_found(directory_house: House) -> None:
    near = {f"filler {number}": 0.9 for number in range(40)}
    _told(directory_house, {**near, "Rita plays the oboe": -0.8})
    assert "Rita plays the oboe" in _texts(directory_house.recall("oboe"))


def test_copies_of_one_text_hide_no_other_text(directory_house: House) -> None:
    _told(directory_house, {"Rita met Omar on Monday": 0.9, "Rita plays the oboe": 0.7})
    assert directory_house.append("c1", *["Rita met Omar on Monday"] * 40).is_success
    assert set(_texts(directory_house.recall("Rita", top_k=3))) == {
        "Rita met Omar on Monday",
        "Rita plays the oboe",
    }


def test_a_query_without_a_usable_vector_is_answered_by_words_and_flagged(
    directory_house: House,
) -> None:
    _told(directory_house, {"alpha": 0.9, "beta": 0.5}, query=[0.0, 0.0])
    answer = directory_house.recall("beta")
    assert (_texts(answer)[0], answer["degraded"]) == ("beta", True)
    assert answer["reason"] == "embedder_failed"


@pytest.mark.parametrize(
    "vector",
    [[], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [1e308, 1e308], [1e-320, 0.0]],
    ids=["empty", "zero", "nan", "infinite", "huge", "tiny"],
)
def test_no_vector_of_a_model_costs_its_turn_or_breaks_the_answer(
    directory_house: House, vector: list[float]
) -> None:
    """Neither where it is a turn's nor where it is the query's."""

    def plan(text: str, purpose: Purpose) -> Sequence[float] | None:
        return vector if purpose == "query" or text.startswith("odd") else None

    directory_house.parts.embedders = embedders_of(PlannedEmbedder(plan=plan, dimensions=2))
    directory_house.append("c1", "odd but true", "plain and true")
    answer = directory_house.recall("odd")
    assert _texts(answer)[0] == "odd but true"
    assert all(0.0 <= score <= 1.0 for score in _scores(answer))


@pytest.mark.parametrize("fault", ["short", "wrong-sized", "zeros"])
def test_a_batch_that_comes_back_wrong_costs_no_hit_of_words(
    directory_house: House,
    fault: Any,  # noqa: ANN401 - the fake's own type
) -> None:
    embedder = FakeEmbedder(fault=fault)
    directory_house.parts.embedders = embedders_of(embedder)
    directory_house.append("c1", "alpha is first", "beta is second")
    answer = directory_house.recall("beta")
    assert (_texts(answer)[0], answer["degraded"]) == ("beta is second", True)
    embedder.fault = None
    directory_house.append("c1", "gamma is third")
    assert directory_house.recall("beta")["degraded"] is False


def test_a_model_that_changes_its_length_is_another_model(directory_house: House) -> None:
    """The same name, other vectors: those of the old length are never read."""
    for dimensions in (48, 64, 16, 48):
        embedder = PlannedEmbedder(dimensions=dimensions)
        directory_house.parts.embedders = embedders_of(embedder)
        directory_house.append("c1", f"fact of {dimensions}")
        for _ in range(2):
            answer = directory_house.recall(f"fact of {dimensions}")
            assert answer["degraded"] is False
            assert _texts(answer)[0] == f"fact of {dimensions}"
            directory_house.parts.forget()


def test_a_model_that_is_back_finds_the_vectors_that_it_made(directory_house: House) -> None:
    first, second = PlannedEmbedder(model="m1"), PlannedEmbedder(model="m2", dimensions=32)
    directory_house.append("c1", "alpha", "beta")
    for embedder in (first, second, first):
        directory_house.parts.embedders = embedders_of(embedder)
        directory_house.recall("alpha")
        directory_house.parts.forget()
    assert first.inputs == second.inputs == ["alpha", "beta"]


def test_an_append_is_not_held_up_by_a_model_that_is_away(directory_house: House) -> None:
    embedder = FakeEmbedder(failing=UnavailableError("no answer in time"))
    directory_house.parts.embedders = embedders_of(embedder)
    assert directory_house.append("c1", "keep me").is_success
    assert embedder.calls == []
    away = directory_house.recall("keep")
    assert (_texts(away), away["degraded"]) == (["keep me"], True)
    embedder.failing = None
    back = directory_house.recall("keep")
    assert (_texts(back), back["degraded"]) == (["keep me"], False)


@pytest.mark.parametrize("failing", [{1}, {2}, {3}, {1, 2}, {2, 3, 4}], ids=str)
def test_whichever_call_of_a_model_fails_the_turn_is_found_and_made_up_for(
    directory_house: House, failing: set[int]
) -> None:
    """100 turns are four calls; each is made again only where it failed."""
    embedder = PlannedEmbedder(failing=failing)
    directory_house.parts.embedders = embedders_of(embedder)
    directory_house.append("c1", *[f"turn number {number}" for number in range(100)])
    answers = [directory_house.recall("turn number 3") for _ in range(len(failing) + 2)]
    assert all(_texts(answer)[0] == "turn number 3" for answer in answers)
    assert [answer["degraded"] for answer in answers][-1] is False
    assert answers[0]["degraded"] is True
    assert set(embedder.inputs) == {f"turn number {number}" for number in range(100)}


def test_what_a_model_never_sees(directory_house: House) -> None:
    """Blank turns, blocks of recalled memory, images in base64; a huge text is handed over once."""
    embedder = PlannedEmbedder()
    directory_house.parts.embedders = embedders_of(embedder)
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 40_000}}
    texts: list[object] = [
        [{"type": "text", "text": "see the screenshot"}, image],
        [image],
        [{"type": "text", "text": "\u200b"}],
    ]
    turns = [{"role": "user", "content": content} for content in texts]
    block = "<recalled_memory>\n- The port is 8081.\n</recalled_memory>"
    turns += [{"role": "user", "text": f"{block}\nWhat is the port?"}]
    turns += [{"role": "user", "text": text} for text in (block, block[:30], f"a {block} b")]
    assert directory_house.append_turns("c1", turns).is_success
    directory_house.recall(f"port {block}")
    directory_house.recall(block)
    assert sorted(embedder.inputs) == ["What is the port?", "a b", "see the screenshot"]
    assert embedder.queries == ["port"]
