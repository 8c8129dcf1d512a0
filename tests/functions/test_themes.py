"""POST /v1/themes: what an answer holds, which times it looks at, whose turns."""

from typing import Any

import pytest

from fakes.fake_embedder import FakeEmbedder
from functions.house import House, Json, embedders_of

THEMES = "/v1/themes"
FLIGHT = ("flight to Lisbon", "gate of the flight", "flight at noon", "flight number to Lisbon")
GARDEN = ("roses in the garden", "garden soil for roses", "watering roses", "garden roses bloom")


@pytest.fixture(params=[False, True], ids=["words", "semantic"])
def full(house: House, request: pytest.FixtureRequest) -> House:
    """Two conversations about two things, with and without a model."""
    house.parts.embedders = embedders_of(FakeEmbedder(semantic=request.param))
    for id_, month, texts in (("trip", 5, FLIGHT), ("home", 6, GARDEN)):
        turns = [
            {"role": "user", "text": text, "ts": f"2025-0{month}-0{day}T12:00:00Z"}
            for day, text in enumerate(texts, start=1)
        ]
        assert house.append_turns(id_, turns).is_success
    return house


def _themes(house: House, **body: Any) -> Json:  # noqa: ANN401 - any field
    response = house.client.post(THEMES, json=body)
    assert response.status_code == 200, response.text
    answer: Json = response.json()
    return answer


def test_a_theme_has_terms_a_share_a_time_span_and_turns_that_stand_for_it(full: House) -> None:
    answer = _themes(full, k=2)

    assert answer["degraded"] is False
    searched = answer["searched"]
    assert (searched["conversations"], searched["turns"], searched["complete"]) == (2, 8, True)
    themes = answer["themes"]
    assert 1 <= len(themes) <= 2
    assert sum(theme["share"] for theme in themes) == pytest.approx(1, abs=1e-5)
    for theme in themes:
        assert set(theme) == {"terms", "share", "since", "until", "turns"}
        assert theme["terms"]
        assert theme["since"] <= theme["until"]
        for turn in theme["turns"]:
            assert turn["text"] in (FLIGHT if turn["conversation_id"] == "trip" else GARDEN)
            assert theme["since"] <= turn["ts"] <= theme["until"]


def test_a_window_chooses_the_turns(full: House) -> None:
    answer = _themes(full, since="2025-06-01T00:00:00Z", k=1)
    [theme] = answer["themes"]
    assert {turn["conversation_id"] for turn in theme["turns"]} == {"home"}
    assert theme["since"] >= "2025-06-01"


def test_without_k_there_are_as_many_as_suit_the_turns(full: House) -> None:
    assert 2 <= len(_themes(full)["themes"]) <= 8


def test_k_is_how_many_come_at_most(full: House) -> None:
    assert len(_themes(full, k=1)["themes"]) == 1
    assert len(_themes(full, k=10**6)["themes"]) <= 8


def test_without_turns_there_are_no_themes(house: House) -> None:
    answer = _themes(house)
    assert answer["themes"] == []
    assert answer["searched"] == {"conversations": 0, "turns": 0, "complete": True}


def test_users_see_their_own_themes_alone(house: House) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("c", *FLIGHT)
    bob.append("c", *GARDEN)
    assert "roses" not in str(_themes(alice))
    assert "flight" not in str(_themes(bob))
    assert _themes(house.acting_as("alice", tenant="other"))["themes"] == []


def test_what_was_taken_back_is_in_no_theme(full: House) -> None:
    _themes(full)
    full.send("DELETE", "trip")
    full.send("PATCH", "home", "/turns/0", json={})
    told = str(_themes(full))
    assert "flight" not in told
    assert "Lisbon" not in told
    assert GARDEN[0] not in told
