"""Recall over HTTP: what an answer holds, what is left out of it, and what is never found again."""

import json

import pytest

from fakes.fake_embedder import FakeEmbedder
from functions.house import House, embedders_of
from functions.recalled import at, say, texts, travel

ONE, ALL = "c1", None
everywhere = pytest.mark.parametrize("id_", [ONE, ALL], ids=["one", "all"])


@everywhere
def test_a_hit_is_the_turn_verbatim_with_its_number_conversation_and_score(
    house: House, id_: str | None
) -> None:
    turn = {
        "role": "user", "text": "The gate is B12.\n\t<b>ä & é</b>", "ts": "2025-06-01T12:00:00Z",
        "intent_id": "i", "name": "Ann", "content": [{"type": "text", "text": "B12"}],
        "metadata": {"k": 1},
    }  # fmt: skip
    house.append_turns("c1", [turn])

    answer = house.recall("gate", id_)

    [hit] = answer["hits"]
    assert 0 < hit.pop("score") <= 1
    assert hit == {"conversation_id": "c1", "index": 0, **turn}
    assert (answer["filtered"], answer["degraded"]) == (0, False)
    searched = {"searched": {"conversations": 1, "turns": 1, "complete": True}}
    answer.get("searched", {}).pop("oldest", None)
    assert answer == {"hits": [hit], "filtered": 0, "degraded": False} | (
        searched if id_ is None else {}
    )


def test_the_best_come_first_and_scores_fall_from_one_to_nought(house: House) -> None:
    travel(house)
    answer = house.recall("hotel Aurora")
    scores = [hit["score"] for hit in answer["hits"]]
    assert texts(answer)[0] == "At the hotel Aurora, Rua das Flores 7."
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 and score == round(score, 6) for score in scores)


@everywhere
def test_an_exact_repeat_of_an_old_turn_is_found_first(house: House, id_: str | None) -> None:
    travel(house)
    say(house, *[f"Where do I stay on day {day}? And when do I fly?" for day in range(40)])
    assert texts(house.recall("And where do I stay?", id_))[0] == "And where do I stay?"


@everywhere
def test_a_turn_appended_a_moment_ago_is_found(house: House, id_: str | None) -> None:
    travel(house)
    assert texts(house.recall("passport", id_)) == []
    say(house, "My passport ends in May.")
    assert texts(house.recall("passport", id_))[0] == "My passport ends in May."
    say(house, "The new passport came.", id_="c2")
    assert len(texts(house.recall("passport", id_))) == (1 if id_ else 2)


def test_a_turn_that_was_sealed_long_ago_is_found(house: House) -> None:
    """A conversation above 256 KiB keeps its oldest turns in segments."""
    say(house, "My blood group is AB negative.")
    for _ in range(4):
        say(house, *[f"{'filler ' * 400}{number}" for number in range(40)])
    assert "sealed" in house.stored_json()
    assert texts(house.recall("blood group"))[0] == "My blood group is AB negative."


@pytest.mark.parametrize("top_k", [1, 2, 10**9])
def test_top_k_is_how_many_come_at_most(house: House, top_k: int) -> None:
    say(house, "one fish", "two fish", "red fish")
    assert len(house.recall("fish", top_k=top_k)["hits"]) == min(top_k, 3)


def test_six_come_if_nothing_is_said_and_equal_texts_once_the_newest(house: House) -> None:
    say(house, *[f"fish number {number}" for number in range(9)])
    assert len(house.recall("fish")["hits"]) == 6
    say(house, "a whale", "a whale", id_="c2")
    assert [hit["index"] for hit in house.recall("whale", "c2")["hits"]] == [1]


def test_the_newest_turns_are_left_out_if_asked(house: House) -> None:
    """They are in the prompt already."""
    say(house, "a red fish", "a blue fish", "hello", "a green fish")
    assert set(texts(house.recall("fish", exclude_last=2))) == {"a red fish", "a blue fish"}
    assert house.recall("fish", exclude_last=10**30)["hits"] == []


@everywhere
def test_roles_and_times_choose_turns(house: House, id_: str | None) -> None:
    travel(house)
    hits = house.recall("fly Friday stay", id_, roles=["assistant"])["hits"]
    assert {hit["role"] for hit in hits} == {"assistant"}
    assert house.recall("fly", id_, roles=["tool"])["hits"] == []
    window = {"since": at(1), "until": "2025-06-01T05:00:00+02:00"}
    hits = house.recall("fly Friday stay dinner", id_, **window)["hits"]
    assert {hit["ts"] for hit in hits} == {at(1), at(2)}


@everywhere
def test_neighbours_are_the_turns_around_a_hit_oldest_first(house: House, id_: str | None) -> None:
    travel(house)
    say(house, "Something else.", id_="c2")
    [hit] = house.recall("Aurora", id_, neighbours=2, top_k=1)["hits"]
    assert [turn["index"] for turn in hit["neighbours"]] == [1, 2, 4, 5]
    assert hit["neighbours"][0]["text"] == "On Friday at 09:40, gate B12."
    [first] = house.recall("Lisbon", id_, neighbours=99, top_k=1)["hits"]
    assert [turn["index"] for turn in first["neighbours"]] == [1, 2, 3, 4, 5]
    assert "neighbours" not in house.recall("Aurora", id_)["hits"][0]


def test_a_hit_too_big_for_the_budget_is_passed_over_for_the_next(house: House) -> None:
    say(house, "fish " * 400, "a fish on a plate")
    answer = house.recall("fish", budget_tokens=10)
    assert texts(answer) == ["a fish on a plate"]
    assert "over_budget" not in answer


def test_where_none_fits_the_best_comes_alone(house: House) -> None:
    say(house, "a fish on a plate of gold", "another fish on a plate of silver")
    answer = house.recall("gold", budget_tokens=1)
    assert (texts(answer), answer["over_budget"]) == (["a fish on a plate of gold"], True)


def test_a_query_of_which_nothing_is_there_finds_nothing(house: House) -> None:
    travel(house)
    assert house.recall("quantum chromodynamics") == {"hits": [], "filtered": 0, "degraded": False}


def test_min_score_cuts_and_the_answer_says_how_many(house: House) -> None:
    say(house, "a red fish", "the boat of Ann")
    query = "a fish with nineteen unknown wonderful properties"
    weak = house.recall(query)["hits"]
    cut = house.recall(query, min_score=0.9)
    assert weak
    assert weak[0]["score"] < 0.9
    assert (cut["hits"], cut["filtered"]) == ([], len(weak))
    assert house.recall("a red fish", min_score=0.9)["hits"][0]["score"] >= 0.9


@everywhere
def test_explain_gives_the_lanes_as_numbers(house: House, id_: str | None) -> None:
    travel(house)
    for hit in house.recall("hotel Aurora", id_, explain=True)["hits"]:
        assert hit["explain"]
        assert all(isinstance(value, float) for value in hit["explain"].values())
    assert "explain" not in house.recall("hotel Aurora", id_)["hits"][0]


@everywhere
@pytest.mark.parametrize("query", ["", " \n", "\u200b"])
def test_a_blank_query_finds_nothing_and_is_never_embedded(
    house: House, query: str, id_: str | None
) -> None:
    embedder = FakeEmbedder()
    house.parts.embedders = embedders_of(embedder)
    travel(house)
    answer = house.recall(query, id_)
    assert (answer["hits"], answer["degraded"], answer["reason"]) == ([], True, "blank_query")
    assert embedder.calls == []


def test_a_conversation_without_turns_has_no_hits(house: House) -> None:
    house.client.post("/v1/conversations", json={"conversation_id": "c1"})
    assert house.recall("fish") == {"hits": [], "filtered": 0, "degraded": False}
    assert house.recall("fish", ALL)["hits"] == []


def test_without_conversations_there_is_nothing_and_it_is_all(house: House) -> None:
    answer = house.recall("fish", ALL)
    assert answer["searched"] == {"conversations": 0, "turns": 0, "complete": True}


def test_blocks_of_recalled_memory_are_not_matched(house: House) -> None:
    say(house, "<recalled_memory>zanzibar</recalled_memory> What now?", "A plain turn.")
    assert house.recall("zanzibar")["hits"] == []
    assert house.recall("plain")["hits"]


def test_an_unreadable_conversation_hides_no_other(house: House) -> None:
    travel(house)
    house.place(b"{", "broken")
    assert texts(house.recall("Aurora", ALL))[0].startswith("At the hotel")


def test_an_answer_has_three_mebibytes_at_most(directory_house: House) -> None:
    """A turn may carry a framework's own message beside a text of one word."""
    house = directory_house
    for number in range(5):
        content = {"image": f"{number}" * 900_000}
        say(house, f"fish {number}", content=content)
    response = house.ask("fish")
    answer = response.json()
    assert len(response.content) <= 3 * 1_048_576
    assert (len(answer["hits"]), answer["degraded"], answer["reason"]) == (3, True, "answer_full")


STRANGE = [
    "\ud800 fish",
    "fish\x00",
    "\u202efish",
    "🐟 fish",
    "魚 fish",
    "fish " * 500_000,
    "fish" * 9_999,
]


@everywhere
@pytest.mark.parametrize("semantic", [False, True])
@pytest.mark.parametrize("query", STRANGE, ids=range(len(STRANGE)))
def test_any_text_can_be_asked(
    directory_house: House, query: str, id_: str | None, *, semantic: bool
) -> None:
    house = directory_house
    house.parts.embedders = embedders_of(FakeEmbedder(semantic=semantic))
    say(house, "a fish", "\x00\u202e🐟 魚")
    content = f'{{"query":{json.dumps(query)},"explain":true}}'
    path = "/v1/recall" if id_ is None else "/v1/conversations/c1/recall"
    headers = {"content-type": "application/json"}
    answer = house.client.post(path, content=content, headers=headers)
    assert answer.status_code == 200
    assert "NaN" not in answer.text


def test_an_id_that_is_a_text_is_the_id_of_its_hits(house: House) -> None:
    say(house, "a fish", id_="über uns / größe?")
    for id_ in ("über uns / größe?", ALL):
        [hit] = house.recall("fish", id_)["hits"]
        assert hit["conversation_id"] == "über uns / größe?"
