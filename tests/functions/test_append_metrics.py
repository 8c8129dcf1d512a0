"""What appends count, and what they offer to the queue."""

from collections.abc import Callable
from typing import Any

from everturn.errors import OutcomeUnknownError, PreconditionFailedError
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import Verb
from functions.printed import Printed


def test_an_append_counts_its_turns(printed: Printed) -> None:
    turns = [
        {"role": "user", "text": "a"},
        {"role": "user", "text": " "},
        {"role": "user", "text": "b", "ts": "2027-01-01T00:00:00Z"},
    ]
    printed.house.append_turns("c1", turns, key="k")
    first = printed.metrics()
    assert first == {
        "Requests": 1, "TurnsAppended": 2, "TurnsIgnored": 1, "TurnsClamped": 1,
        "AppendAttempts": 1,
    }  # fmt: skip
    printed.house.append_turns("c1", turns, key="k")
    again = printed.metrics()
    assert again == {
        "Requests": 1, "TurnsAppended": 2, "TurnsIgnored": 1, "TurnsClamped": 1,
        "AppendsReplayed": 1,
    }  # fmt: skip


def test_an_append_to_a_queue_that_takes_its_job_writes_six_metrics_and_no_other(
    printed: Printed,
) -> None:
    queue = ListedQueue(printed.house.clock, max_depth=9)
    queue.seen = 0
    printed.house.parts.join(queue)
    printed.house.append("c1", "a")
    assert printed.metrics() == {
        "Requests": 1, "TurnsAppended": 1, "AppendAttempts": 1, "JobsOffered": 1, "QueueDepth": 0,
    }  # fmt: skip


def test_an_append_whose_answer_was_lost_counts_as_recovered(printed: Printed) -> None:
    losses = [OutcomeUnknownError("no answer")]

    def lose(verb: Verb, _key: str, send: Callable[[], Any]) -> object:
        answer = send()
        if verb == "put" and losses:
            raise losses.pop()
        return answer

    printed.house.data.step_in = lose
    assert printed.house.append("c1", "a").is_success
    found = printed.metrics()
    assert (found["AppendAttempts"], found["AppendsRecovered"]) == (1, 1)
    assert "AppendsReplayed" not in found
    assert printed.house.texts() == ["a"]


def test_an_append_that_lost_a_race_counts_both_attempts(printed: Printed) -> None:
    printed.house.append("c1", "a")
    printed.forget()
    refusals = [PreconditionFailedError("another write came first")]

    def refuse(verb: Verb, _key: str, send: Callable[[], Any]) -> object:
        if verb == "put" and refusals:
            raise refusals.pop()
        return send()

    printed.house.data.step_in = refuse
    printed.house.append("c1", "b")
    found = printed.metrics()
    assert found["AppendAttempts"] == 2
    assert "AppendsRecovered" not in found


def test_segments_are_counted_where_an_append_seals_turns(printed: Printed) -> None:
    sealed = []
    for number in range(8):
        printed.house.append("c1", f"{number}" + "x" * 60_000)
        sealed.append(printed.metrics().get("SegmentsSealed", 0))
    named = printed.house.stored_json()["sealed"]["segs"]
    assert sum(sealed) >= len(named) >= 1
    assert sealed[0] == 0


def test_the_depth_of_the_queue_is_told_where_it_was_read_of_late(printed: Printed) -> None:
    queue = ListedQueue(printed.house.clock, max_depth=9)
    printed.house.parts.join(queue, settle_s=0)
    printed.house.append("c1", "a")
    assert "QueueDepth" not in printed.metrics()
    queue.seen = 7
    printed.house.append("c1", "b")
    assert printed.metrics()["QueueDepth"] == 7
