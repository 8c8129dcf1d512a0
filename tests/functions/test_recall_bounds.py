"""What bounds a recall: tokens, copies of a text, times in any zone, turns without a time."""

import json

import pytest

from everturn.values.token_estimate import count_tokens
from functions.house import House, Json

HUGE = 10**15


def _texts(answer: Json) -> list[str]:
    return [hit["text"] for hit in answer["hits"]]


@pytest.mark.parametrize("budget", [1, 2, 7, 25, 60, 99, 100, 500, 2_500])
@pytest.mark.parametrize("neighbours", [0, 2])
def test_all_that_is_returned_is_within_the_budget_or_the_best_alone(
    directory_house: House, budget: int, neighbours: int
) -> None:
    """Neighbours count; other scripts count by their bytes."""
    sizes = [1, 3, 40, 200, 396, 900, 10, 77]
    texts = [f"port {'w' * size}{size}" for size in sizes]
    directory_house.append("c1", *texts, "port \u4f60\u597d\u4e16\u754c" * 9, "port \u20ac")
    answer = directory_house.recall("port", budget_tokens=budget, neighbours=neighbours, top_k=50)
    shown = [
        *answer["hits"],
        *[near for hit in answer["hits"] for near in hit.get("neighbours", ())],
    ]
    total = sum(count_tokens(turn["text"]) for turn in shown)
    assert len(answer["hits"]) >= 1
    assert total <= budget or (answer["over_budget"] is True and len(shown) == 1)


@pytest.mark.parametrize("field", ["budget_tokens", "top_k", "neighbours", "exclude_last"])
def test_a_number_beyond_all_bounds_is_clamped(directory_house: House, field: str) -> None:
    directory_house.append("c1", "alpha one", "alpha two")
    answer = directory_house.recall("alpha", "c1", **{field: HUGE})
    assert len(answer["hits"]) == (0 if field == "exclude_last" else 2)


def test_copies_of_a_text_take_its_tokens_once(directory_house: House) -> None:
    """White space tells no text from another; the newest copy is the one that comes."""
    copies = ["Deploys happen on  Tuesdays.", "Deploys happen on Tuesdays. "] * 20
    directory_house.append("c1", *copies, "Deploys roll back with make revert.")
    answer = directory_house.recall("deploys", budget_tokens=16, top_k=5)
    assert set(_texts(answer)) == {copies[-1], "Deploys roll back with make revert."}
    assert {hit["index"] for hit in answer["hits"]} == {39, 40}


def test_copies_in_other_conversations_are_copies_too(directory_house: House) -> None:
    for number in range(5):
        directory_house.append(f"c{number}", "Rita met Omar on Monday")
    directory_house.append("c0", "Rita plays the oboe")
    answer = directory_house.recall("Rita", None, top_k=3)
    assert sorted(_texts(answer)) == ["Rita met Omar on Monday", "Rita plays the oboe"]


@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        ("2025-06-01T12:00:00Z", None, ["noon", "later"]),
        ("2025-06-01T14:00:00+02:00", None, ["noon", "later"]),
        ("2025-06-01T17:45:00+05:45", "2025-06-01T12:00:00.000000001Z", ["noon"]),
        ("2025-06-02T02:00:00+14:00", "2025-06-01T00:30:00-12:00", ["noon"]),
        (None, "2025-06-01T12:00:00-00:00", ["early"]),
        ("2025-06-01t12:00:00z", None, ["noon", "later"]),
        ("1970-01-01T00:00:00Z", "2100-12-31T23:59:59.999999999+23:59", ["early", "noon", "later"]),
    ],
)
def test_a_bound_of_time_is_an_instant_in_whatever_zone(
    directory_house: House, since: str | None, until: str | None, found: list[str]
) -> None:
    """`since` is inside, `until` is outside."""
    times = ["2025-06-01T11:59:59.999999999Z", "2025-06-01T15:00:00+03:00", "2025-06-01T13:00:00Z"]
    turns = [
        {"role": "user", "text": f"walk {name}", "ts": time}
        for name, time in zip(("early", "noon", "later"), times, strict=True)
    ]
    assert directory_house.append_turns("c1", turns).is_success
    for id_ in ("c1", None):
        answer = directory_house.recall("walk", id_, since=since, until=until)
        assert sorted(_texts(answer)) == sorted(f"walk {name}" for name in found)


def test_a_turn_without_a_time_is_found_and_is_in_no_window(directory_house: House) -> None:
    """Other programs write such files, and times that are none."""
    times: list[Json] = [
        {},
        {"ts": ""},
        {"ts": "yesterday"},
        {"ts": 5},
        {"ts": "2025-06-01T12:00:00Z"},
    ]
    turns = [{"role": "user", "text": f"walk {n}", **time} for n, time in enumerate(times)]
    record = {"conversation_id": "c1", "turns": turns, "updated": "2025-06-01T12:00:00Z"}
    directory_house.place(json.dumps(record).encode())
    assert len(_texts(directory_house.recall("walk"))) == 5
    assert _texts(directory_house.recall("walk", since="1970-01-01T00:00:00Z")) == ["walk 4"]
    assert _texts(directory_house.recall("walk", until="2100-01-01T00:00:00Z")) == ["walk 4"]


def test_turns_of_a_date_that_is_asked_for_come_first(directory_house: House) -> None:
    days = ["2025-03-14", "2025-04-14", "2025-05-02", "2024-03-15"]
    turns = [
        {"role": "user", "text": f"we met again {day[5:]}x", "ts": f"{day}T10:00:00Z"}
        for day in days
    ]
    assert directory_house.append_turns("c1", turns).is_success
    answer = directory_house.recall("where did we meet on 2 May 2025?", top_k=1)
    assert answer["hits"][0]["ts"].startswith("2025-05-02")


@pytest.mark.parametrize("id_", ["c1", None])
def test_what_was_said_a_moment_ago_is_found_each_time(
    directory_house: House, id_: str | None
) -> None:
    """With a warm index and with none."""
    for number in range(12):
        directory_house.append("c1", f"locker {number} has code 44{number:02d}")
        if number % 3 == 0:
            directory_house.parts.forget()
        answer = directory_house.recall(f"code 44{number:02d}", id_)
        assert answer["hits"][0]["index"] == number
