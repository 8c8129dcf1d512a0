"""Patterns over HTTP: their specs, how they went, the skills that they become."""

import pytest

from functions.house import House, fault
from functions.remembered import SPEC, at, prove, remember, send


def test_a_pattern_is_shown_by_its_spec(house: House) -> None:
    for said in ({"spec": SPEC}, {"statement": "Run the tests, then push."}):
        memory = send(house, kind="pattern", **said).json()["memory"]
        assert "statement" not in memory
    assert memory["spec"] == {"steps": ["Run the tests, then push."]}


@pytest.mark.parametrize(
    ("status", "strength"), [("success", 0.6), ("partial", 0.5), ("failure", 0.3)]
)
def test_how_a_pattern_went_changes_its_strength(
    house: House, status: str, strength: float
) -> None:
    memory = send(house, kind="pattern", spec=SPEC).json()["memory"]
    for _ in range(2):
        body = {"status": status, "source": {"conversation_id": "c9"}}
        response = house.client.post(at(memory["id"], "/outcomes"), json=body)
        assert response.status_code == 200, response.text
        assert response.json()["memory"]["strength"] == strength


def test_a_proven_pattern_becomes_a_skill_and_remembers_it(house: House) -> None:
    memory = prove(house)
    response = house.client.post(at(memory["id"], "/promote"), json={})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert answer["name"] == "deploy"
    assert set(answer["files"]) == {"SKILL.md"}
    assert "run the tests" in answer["files"]["SKILL.md"]
    assert answer["memory"]["promoted"]["name"] == "deploy"
    assert house.read(at(memory["id"]))["memory"] == answer["memory"]


@pytest.mark.parametrize("kind", ["fact", "pattern"])
def test_what_is_no_proven_pattern_is_not_promoted(house: House, kind: str) -> None:
    memory = remember(house, "Test, then push.", kind)
    error = fault(house.client.post(at(memory["id"], "/promote"), json={}), 409)
    assert (error["code"], error["retryable"]) == ("conflict", False)
