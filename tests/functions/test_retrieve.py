"""Retrieve, pinned, procedural and context over HTTP: what is found, and in which form."""

import pytest

from everturn.errors import UnavailableError
from fakes.fake_embedder import FakeEmbedder
from functions.house import House, Json, embedders_of
from functions.remembered import SPEC, at, found, post, prove, remember, retrieve, send

PINNED, PROCEDURAL, CONTEXT = "/v1/memories/pinned", "/v1/memories/procedural", "/v1/context"
PORT, NEW_PORT = "The deploy port is 8080.", "The deploy port is 9090."
HEAD = "<recalled_memory>\n"


def _tokens(text: str) -> int:
    return (len(text.encode()) + 3) // 4


def test_what_is_remembered_is_found_by_the_next_request(house: House) -> None:
    memory = remember(house, PORT)
    answer = retrieve(house, "which deploy port")
    [snippet] = answer["snippets"]
    assert snippet == {
        "text": PORT, "uri": memory["uri"], "kind": "fact", "score": snippet["score"],
    }  # fmt: skip
    assert 0 < snippet["score"] <= 1
    assert set(answer) == {"snippets", "pending_turns", "filtered", "degraded"}
    assert (answer["pending_turns"], answer["filtered"], answer["degraded"]) == (0, 0, False)


def test_what_was_said_in_another_conversation_is_found_before_it_is_consolidated(
    house: House,
) -> None:
    house.append("c1", "By the way, my cat is called Miezi.")
    answer = retrieve(house, "what is the cat called")
    [snippet] = answer["snippets"]
    assert (snippet["kind"], snippet["uri"]) == ("turn", "everturn://turn/c1/0")
    assert "Miezi" in snippet["text"]
    assert answer["pending_turns"] == 1


@pytest.mark.parametrize("semantic", [True, False])
def test_a_model_that_fails_costs_no_memory_and_the_answer_says_so(
    house: House, *, semantic: bool
) -> None:
    failing = FakeEmbedder(semantic=semantic, failing=UnavailableError("no answer"))
    house.parts.embedders = embedders_of(failing)
    remember(house, PORT)
    answer = retrieve(house, "which deploy port")
    assert found(answer) == [PORT]
    if semantic:
        assert (answer["degraded"], answer["reason"]) == (True, "embedder_failed")


def test_a_score_cuts_and_the_answer_says_how_much(house: House) -> None:
    remember(house, PORT)
    remember(house, "The cat is called Miezi.")
    assert found(retrieve(house, "deploy in the harbour", min_score=0))[0] == PORT
    answer = retrieve(house, "deploy in the harbour", min_score=1)
    assert (answer["snippets"], answer["filtered"] > 0) == ([], True)


def test_scores_fall_and_lanes_are_shown_if_they_are_asked_for(house: House) -> None:
    for number in range(5):
        remember(house, f"The deploy port of service {number} is 80{number}.")
    snippets = retrieve(house, "deploy port of service 3", explain=True)["snippets"]
    scores = [snippet["score"] for snippet in snippets]
    assert scores == sorted(scores, reverse=True)
    assert all(snippet["explain"] for snippet in snippets)


def test_kinds_choose_and_turns_are_no_memory_of_a_kind(house: House) -> None:
    remember(house, "Tea is what I drink.", "preference")
    remember(house, "Tea is a plant.")
    assert found(retrieve(house, "tea", kinds=["fact"])) == ["Tea is a plant."]
    both = retrieve(house, "tea", kinds=["fact", "preference", "fact"])
    assert len(both["snippets"]) == 2


def test_what_was_replaced_is_hidden_but_from_who_asks_for_then(house: House) -> None:
    old = remember(house, PORT)
    house.clock.sleep(3_600)
    house.client.patch(at(old["id"]), json={"statement": NEW_PORT})
    house.clock.sleep(3_600)
    assert found(retrieve(house, "deploy port")) != found(
        retrieve(house, "deploy port", as_of="2026-01-01T00:30:00Z")
    )
    assert len(found(retrieve(house, "deploy port"))) == 1


def test_a_blank_query_gives_what_matters_most(house: House) -> None:
    remember(house, "Of little weight.", importance=1)
    remember(house, "Of great weight.", importance=10)
    assert found(retrieve(house, " "))[0] == "Of great weight."


def test_a_budget_bounds_the_snippets(house: House) -> None:
    for number in range(10):
        remember(house, f"The deploy port of service {number} is 80{number}.")
    answer = retrieve(house, "deploy port", budget_tokens=30)
    assert 1 <= len(answer["snippets"]) < 8
    assert sum(_tokens(text) for text in found(answer)) <= 30
    assert len(retrieve(house, "deploy port", top_k=3)["snippets"]) == 3


def test_what_was_forgotten_or_lost_its_source_is_not_found(house: House) -> None:
    memory = remember(house, PORT)
    house.append("c1", "x")
    remember(house, "The deploy key is Lima.", source={"conversation_id": "c1"})
    assert len(found(retrieve(house, "deploy", kinds=["fact"]))) == 2
    house.client.delete(at(memory["id"]))
    house.send("DELETE", "c1")
    assert retrieve(house, "deploy")["snippets"] == []


def test_a_pinned_block_has_the_constraints_the_profile_and_the_goal(house: House) -> None:
    remember(house, "Never deploy on Fridays.", "constraint", hard=True)
    remember(house, "Perhaps no jokes.", "constraint")
    remember(house, "My name is Ada.", subject="user")
    remember(house, "Tea, no coffee.", "preference")
    remember(house, PORT)
    answer = post(house, PINNED, goal="Book a flight.")
    assert set(answer) == {"text", "tokens", "parts", "cut"}
    parts = answer["parts"]
    assert list(parts) == ["identity", "rules", "constraints", "profile", "goal"]
    assert parts["identity"] == parts["rules"] == []
    assert parts["constraints"] == ["Never deploy on Fridays."]
    assert set(parts["profile"]) == {"My name is Ada.", "Tea, no coffee."}
    assert parts["goal"] == ["Book a flight."]
    assert answer["text"].startswith(HEAD)
    assert (answer["tokens"], answer["cut"]) == (_tokens(answer["text"]), 0)
    assert post(house, PINNED, goal="Book a flight.") == answer


def test_a_pinned_block_is_never_above_its_budget_and_says_what_it_cut(house: House) -> None:
    for number in range(12):
        remember(house, f"I have been to city number {number}.", subject="user")
    answer = post(house, PINNED, budget_tokens=80)
    assert 0 < answer["tokens"] <= 80
    assert answer["cut"] == 12 - len(answer["parts"]["profile"])


def test_of_nothing_there_is_an_empty_block(house: House) -> None:
    nothing: Json = {"text": "", "tokens": 0, "cut": 0}
    assert post(house, PINNED).items() >= nothing.items()
    assert post(house, PROCEDURAL) == {"patterns": []}
    answer = post(house, CONTEXT, query="fish")
    assert (answer["text"], answer["tokens"]) == ("", 0)


def test_a_pattern_is_a_procedure_once_three_sources_speak_for_it(house: House) -> None:
    for _ in range(3):
        send(house, kind="pattern", spec={**SPEC, "name": "Thrice from one"})
    assert post(house, PROCEDURAL)["patterns"] == []
    memory = prove(house)
    [pattern] = post(house, PROCEDURAL, goal="make a release")["patterns"]
    assert pattern == {
        "spec": SPEC, "confidence": memory["strength"], "coverage": 3, "uri": memory["uri"],
        "text": pattern["text"],
    }  # fmt: skip
    assert "run the tests" in pattern["text"]


def test_a_context_holds_all_of_it_once_under_one_budget(house: House) -> None:
    remember(house, "My name is Ada.", subject="user")
    remember(house, PORT)
    prove(house)
    house.append("c1", "We spoke of the deploy port.", "And of the weather.")
    asked: Json = {"query": "deploy port", "conversation_id": "c1", "goal": "Deploy."}
    answer = post(house, CONTEXT, **asked)
    parts = {"pinned", "memories", "patterns", "recalled", "recent"}
    assert set(answer) - {"reason"} == {"text", "tokens", "parts", "pending_turns", "degraded"}
    assert set(answer["parts"]) == parts
    assert answer["text"].startswith(HEAD)
    assert answer["tokens"] == _tokens(answer["text"])
    for said in ("My name is Ada.", PORT, "run the tests", "of the weather", "Deploy."):
        assert answer["text"].count(said) == 1, said
    small = post(house, CONTEXT, **asked, budget_tokens=60)
    assert small["tokens"] <= 60


def test_a_context_leaves_out_the_turns_that_the_caller_has(house: House) -> None:
    house.append("c1", "We spoke of the harbour.", "And of the weather.")
    asked: Json = {"query": "weather", "conversation_id": "c1"}
    assert "weather" in post(house, CONTEXT, **asked)["text"]
    assert "of the weather" not in post(house, CONTEXT, **asked, exclude_last=1)["text"]
