"""What appends, and POST .../consolidate, offer to the queue, whatever state it is in."""

import json
from pathlib import Path

import httpx
import pytest

from everturn.errors import MisconfiguredError, OutcomeUnknownError, UnavailableError
from everturn.local.invocation import LambdaContext
from everturn.values.job import Job
from everturn.values.keys import DIRTY_PREFIX
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import Verb
from functions.house import LOCAL, House, Json, fault

NAMES = ("JobsOffered", "JobsDropped", "JobsUnsent")


@pytest.fixture
def queue(house: House) -> ListedQueue:
    queue = ListedQueue(house.clock, max_depth=2)
    house.parts.join(queue)
    return queue


def consolidate(house: House, id_: str = "c1", **options: bytes) -> httpx.Response:
    headers = {"content-type": "application/json"}
    return house.send("POST", id_, "/consolidate", headers=headers, **options)


def counted(capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """What the newest event says of jobs."""
    line: Json = json.loads(capsys.readouterr().out.splitlines()[-1])
    return {name: line[name][0] for name in NAMES if name in line}


def markers(house: House) -> list[str]:
    return list(house.data.inner.list(DIRTY_PREFIX).keys)


def test_an_append_offers_its_conversation_and_once_while_it_settles(
    house: House, queue: ListedQueue, capsys: pytest.CaptureFixture[str]
) -> None:
    house.append("c1", "a")
    assert counted(capsys) == {"JobsOffered": 1}
    house.append("c1", "b")
    assert counted(capsys) == {}
    assert [listed.job for listed in queue.listed] == [Job(LOCAL, "c1")]
    assert queue.delays() == [60]


def test_the_requests_of_a_warm_append_are_its_own_and_one_to_the_queue(
    house: House, queue: ListedQueue
) -> None:
    """Free, full for some time, and down: one put, one marker a minute, one call of the queue."""
    house.append("c1", "first")
    house.append("c2", "first")
    requests = []
    for state in ("free", "quiet", "full", "full", "down", "down"):
        queue.fault = UnavailableError("down") if state == "down" else None
        queue.max_depth, queue.asked = (9 if state in {"free", "quiet"} else 0), 0
        if state != "quiet":
            house.clock.sleep(31)
        house.data.calls.clear()
        house.parts.derived.calls.clear()
        assert house.append("c1", "next").status_code == 200
        requests.append((house.data.verbs(), house.parts.derived.verbs(), queue.asked))
        house.clock.sleep(1)
    put: list[Verb] = ["put"]
    marked: list[Verb] = ["overwrite"]
    assert requests == [
        (put, [], 1),
        (put, [], 0),
        (put, marked, 1),
        (put, [], 1),
        (put, marked, 1),
        (put, [], 1),
    ]


def test_a_full_queue_is_counted_as_a_job_that_was_dropped(
    house: House, queue: ListedQueue, capsys: pytest.CaptureFixture[str]
) -> None:
    queue.max_depth = 0
    assert house.append("c1", "a").status_code == 200
    assert counted(capsys) == {"JobsDropped": 1}
    assert len(markers(house)) == 1


@pytest.mark.parametrize("error", [UnavailableError("sqs is away"), MisconfiguredError("gone")])
def test_a_queue_that_is_away_fails_no_append_and_its_reason_is_logged(
    house: House,
    queue: ListedQueue,
    capsys: pytest.CaptureFixture[str],
    error: UnavailableError | MisconfiguredError,
) -> None:
    queue.fault = error
    since = house.log.stat().st_size if house.log.exists() else 0
    answer = house.append("c1", "keep me")
    assert (answer.status_code, answer.json()["appended"]) == (200, 1)
    assert counted(capsys) == {"JobsUnsent": 1}
    [line] = house.logged(since).splitlines()
    assert json.loads(line)["reason"] == error.message
    assert "keep me" not in line
    assert len(markers(house)) == 1
    queue.fault = None
    house.append("c1", "next")
    assert queue.names() == ["c1"]


@pytest.mark.parametrize("error", [OutcomeUnknownError("no answer"), UnavailableError("slow")])
def test_a_marker_that_cannot_be_written_fails_no_append(
    house: House, queue: ListedQueue, error: OutcomeUnknownError | UnavailableError
) -> None:
    queue.max_depth = 0

    def refuse(verb: Verb, key: str, send: object) -> object:
        del send
        assert (verb, key[: len(DIRTY_PREFIX)]) == ("overwrite", DIRTY_PREFIX)
        raise error

    house.parts.derived.step_in = refuse
    assert house.append("c1", "a").status_code == 200
    assert house.texts() == ["a"]


def test_a_replayed_append_offers_again(house: House, queue: ListedQueue) -> None:
    """The first call may have ended before it offered."""
    house.append("c1", "a", key="k")
    house.parts.join(queue)
    assert house.append("c1", "a", key="k").json()["replayed"] is True
    assert queue.asked == 2


@pytest.mark.parametrize("turns", [[], [{"role": "user", "text": " "}]])
def test_an_append_that_stored_nothing_offers_nothing(
    house: House, queue: ListedQueue, turns: list[Json]
) -> None:
    house.append_turns("c1", turns)
    assert queue.asked == 0


def test_an_append_that_is_refused_offers_nothing(house: House, queue: ListedQueue) -> None:
    house.append("c1", "a")
    house.parts.join(queue)
    assert house.append("c1", "b", expected_turn_count=7).status_code == 409
    assert queue.asked == 1


def test_an_append_without_the_time_to_wait_for_a_queue_offers_nothing(
    directory_house: House,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Else an append that is stored could end in a timeout."""
    house = directory_house
    queue = ListedQueue(house.clock, max_depth=2)
    house.parts.join(queue)
    for left_ms, told in ((10_999, "JobsUnsent"), (11_000, "JobsOffered")):
        monkeypatch.setattr(
            LambdaContext, "get_remaining_time_in_millis", lambda _, left_ms=left_ms: left_ms
        )
        assert house.append("c1", "a").status_code == 200
        assert counted(capsys) == {told: 1}
        assert queue.asked == (told == "JobsOffered")


def test_without_a_queue_nothing_is_offered_marked_or_counted(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    house.append("c1", "a")
    assert counted(capsys) == {}
    assert markers(house) == []
    answer = consolidate(house)
    assert (answer.status_code, answer.json()) == (202, {"queued": False, "reason": "no_queue"})


@pytest.mark.parametrize("body", [b"", b"{}", b" {} "])
def test_a_consolidation_that_is_asked_for_is_queued_at_once(
    house: House, queue: ListedQueue, body: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever was offered before: who asks for it does not want to wait."""
    house.append("c1", "a")
    answer = consolidate(house, content=body)
    assert (answer.status_code, answer.json()) == (202, {"queued": True})
    assert counted(capsys) == {"JobsOffered": 1}
    assert (queue.names(), queue.delays()) == (["c1", "c1"], [60, 0])


def test_a_consolidation_that_cannot_be_queued_says_why(house: House, queue: ListedQueue) -> None:
    house.append("c1", "a")
    queue.max_depth = 0
    assert consolidate(house).json() == {"queued": False, "reason": "queue_full"}
    queue.fault = UnavailableError("down")
    answer = consolidate(house)
    assert (answer.status_code, answer.json()["reason"]) == (202, "queue_unavailable")
    assert len(markers(house)) == 1


def test_a_consolidation_of_what_is_unknown_or_deleted_is_not_found(
    house: House, queue: ListedQueue
) -> None:
    house.append("c1", "a")
    house.send("DELETE", "c1")
    queue.asked = 0
    for id_ in ("c1", "c2"):
        assert fault(consolidate(house, id_), 404)["code"] == "not_found"
    bob = house.acting_as("bob")
    house.append("c3", "a")
    fault(consolidate(bob, "c3"), 404)
    assert queue.asked == 1


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [(b'{"now": true}', 422, "now"), (b"[]", 400, None), (b"{", 400, None), (b"null", 400, None)],
)
def test_a_consolidation_takes_no_fields(
    house: House, queue: ListedQueue, body: bytes, status: int, field: str | None
) -> None:
    house.append("c1", "a")
    error = fault(consolidate(house, content=body), status)
    assert error.get("field") == field
    assert queue.asked == 1


def test_a_foreign_conversation_may_be_consolidated(
    directory_house: House, directory: Path
) -> None:
    house = directory_house
    house.parts.join(ListedQueue(house.clock, max_depth=1))
    house.place(b'{"conversation_id":"old","turns":null,"updated":"2025-01-01T00:00:00Z"}', "old")
    assert (directory / "old.json").is_file()
    assert consolidate(house, "old").json() == {"queued": True}
