"""What a job does: memories of what is new, an index of what is long, and the next job."""

import json

import pytest

from cases.worker import noting
from everturn.edge.function import METRICS
from everturn.ports.chat_model import Completion, Prompt
from everturn.values.go_json import JsonObject
from everturn.values.job import Job
from everturn.values.keys import DIRTY_PREFIX, Scope, watermark_key
from functions.house import LOCAL, Json
from functions.jobs import Jobs
from functions.remembered import MEMORIES, post, retrieve, statements

DANA, TASTE = "The user's name is Dana", "The user prefers tea to coffee"
NOTHING = json.dumps({"facts": [], "user_facts": [], "patterns": [], "outcome": None})


def counted(capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    """What the newest event counted."""
    line: Json = json.loads(capsys.readouterr().out.splitlines()[-1])
    names = {metric["Name"] for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]}
    assert names <= set(METRICS.values())
    return {name: sum(line[name]) for name in names}


def test_what_was_said_is_listed_pinned_and_retrieved_after_its_job(jobs: Jobs) -> None:
    house = jobs.house
    house.append("c1", "My name is Dana. I prefer tea to coffee.")
    assert jobs.do("c1") == []
    assert statements(house) == sorted([DANA, TASTE])
    assert DANA in post(house, "/v1/memories/pinned")["text"]
    answer = retrieve(house, "tea or coffee?")
    assert (answer["snippets"][0]["text"], answer["pending_turns"]) == (TASTE, 0)


def test_a_model_is_asked_once_and_what_it_finds_cites_its_turn(jobs: Jobs) -> None:
    house, model = jobs.house, jobs.ask()
    house.append("c1", "Hello.", "The port is 8080.")
    assert jobs.do("c1", "c1") == []
    assert model.calls == 1
    [memory] = [one for one in house.read(MEMORIES)["memories"] if "8080" in one["statement"]]
    [source] = house.read(f"{MEMORIES}/{memory['id']}")["memory"]["sources"]
    assert (source["conversation_id"], source["from"], source["to"]) == ("c1", 1, 1)
    assert source["quote"] == "The port is 8080."


def test_what_a_slow_model_found_is_kept(jobs: Jobs) -> None:
    """All models together may take a minute for one window."""

    def answer(prompt: Prompt) -> str:
        jobs.house.clock.sleep(55)
        return noting(prompt)

    jobs.ask(answer)
    jobs.house.append("c1", "The port is 8080.")
    assert jobs.do("c1") == []
    assert statements(jobs.house) == ["The port is 8080."]


def test_a_job_reads_only_what_is_new(jobs: Jobs) -> None:
    jobs.ask()
    for text in ("The port is 8080.", "The host is alpha."):
        jobs.house.append("c1", text)
        assert jobs.do("c1") == []
    assert [jobs.worker.times_read(one) for one in ("The port is 8080.", "The host is alpha.")] == [
        1, 1,
    ]  # fmt: skip


def test_jobs_of_several_users_are_each_of_their_own(jobs: Jobs) -> None:
    users = {name: jobs.house.acting_as(name, f"{name}-inc") for name in ("ann", "bob")}
    for name, user in users.items():
        user.append("c1", f"My name is {name.title()}.")
    bodies = [Job(Scope(f"{name}-inc", name), "c1").encode() for name in users]
    assert jobs.deliver(*bodies) == []
    assert statements(users["ann"]) == ["The user's name is Ann"]
    assert statements(users["bob"]) == ["The user's name is Bob"]
    assert statements(jobs.house) == []


def test_an_id_that_is_no_plain_word_has_its_job_done(jobs: Jobs) -> None:
    id_ = "trip to Zürich / May?"
    jobs.house.append(id_, "My name is Dana.")
    assert jobs.do(id_) == []
    assert statements(jobs.house) == [DANA]


def test_an_unknown_conversation_is_done_and_nothing_is_written(jobs: Jobs) -> None:
    model = jobs.ask()
    assert jobs.do("nobody") == []
    assert model.calls == 0
    assert set(jobs.house.data.verbs()) <= {"get", "list"}


def test_a_deleted_conversation_is_done_and_leaves_nothing(jobs: Jobs) -> None:
    house, model = jobs.house, jobs.ask()
    house.append("c1", "The port is 8080.")
    house.send("DELETE", "c1")
    assert jobs.do("c1") == []
    assert model.calls == 0
    assert statements(house) == []
    assert jobs.keys(watermark_key(LOCAL, "c1")) == []


def test_one_that_is_deleted_after_its_job_takes_its_memories_along(jobs: Jobs) -> None:
    jobs.house.append("c1", "My name is Dana.")
    jobs.do("c1")
    jobs.house.send("DELETE", "c1")
    assert jobs.do("c1") == []
    assert statements(jobs.house) == []


@pytest.mark.parametrize("event", [{}, {"Records": []}, {"Records": None}])
def test_an_event_without_messages_is_done(jobs: Jobs, event: JsonObject) -> None:
    assert jobs.hand_over(event) == {"batchItemFailures": []}


def test_a_job_counts_what_it_did(jobs: Jobs, capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter((json.dumps({"facts": ["The port is 8080.", "The sky is copper."]}), NOTHING))
    jobs.ask(lambda _: Completion(next(answers), "stop", 70))
    jobs.house.append("c1", "The port is 8080.")
    capsys.readouterr()
    jobs.do("c1")
    whole = {
        "Events": 1, "JobsDone": 1, "WindowsRead": 1, "TurnsConsolidated": 1, "MemoriesCreated": 1,
        "FindingsDropped": 1, "ModelTokens": 70, "WatermarkLag": 1, "DirtyAge": 0,
    }  # fmt: skip
    assert counted(capsys) == whole
    jobs.do("c1")
    nothing = {"Events": 1, "JobsDone": 1, "WatermarkLag": 0, "DirtyAge": 0}
    assert counted(capsys) == nothing


def test_what_was_said_elsewhere_too_counts_as_reinforced(
    jobs: Jobs, capsys: pytest.CaptureFixture[str]
) -> None:
    for id_ in ("c1", "c2"):
        jobs.house.append(id_, "My name is Dana.")
    jobs.do("c1", "c2")
    found = counted(capsys)
    assert (found["JobsDone"], found["MemoriesCreated"], found["MemoriesReinforced"]) == (2, 1, 1)


def test_turned_off_metrics_print_nothing_however_many_events_come(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for `everturn up`; Powertools prints at a hundred values."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    for _ in range(120):
        jobs.hand_over({})
    assert capsys.readouterr().out == ""


def _slowly(jobs: Jobs, seconds: float) -> None:
    def answer(_: Prompt) -> str:
        jobs.house.clock.sleep(seconds)
        return NOTHING

    jobs.ask(answer)


def test_a_job_that_is_not_over_is_offered_again_however_full_the_queue(
    jobs: Jobs, capsys: pytest.CaptureFixture[str]
) -> None:
    """A window takes what time there is; the next job goes on where it ended."""
    jobs.queue.max_depth = 0
    jobs.house.append("c1", *(f"Line {number}." for number in range(120)))
    jobs.house.parts.derived.inner.delete_many(jobs.keys(DIRTY_PREFIX))
    _slowly(jobs, 95)
    reached, behind = [], []
    for _ in range(3):
        jobs.queue.listed.clear()
        assert jobs.do("c1") == []
        reached.append(jobs.mark())
        behind.append(counted(capsys).get("JobsBehind", 0))
        offered = [(listed.job.conversation_id, listed.delay_s) for listed in jobs.queue.listed]
        assert offered == ([("c1", 0)] if behind[-1] else [])
    assert (reached, behind) == ([50, 100, 120], [1, 1, 0])


def test_a_tenant_beyond_its_daily_tokens_is_not_offered_again(
    jobs: Jobs, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would come at once, all day long; the next append offers it, and the walk at night."""
    jobs.daily_tokens = 10
    model = jobs.ask(lambda _: Completion(NOTHING, "stop", 10))
    jobs.house.append("c1", "The port is 8080.")
    jobs.do("c1")
    jobs.house.append("c1", "The host is alpha.")
    jobs.queue.listed.clear()
    capsys.readouterr()
    assert jobs.do("c1") == []
    found = counted(capsys)
    assert (found["JobsCapped"], found["JobsBehind"], model.calls) == (1, 1, 1)
    assert jobs.queue.names() == []
    assert jobs.mark() == 1


def test_each_job_that_ends_takes_one_marker(jobs: Jobs) -> None:
    """So a backlog drains as fast as jobs end; one that fails takes none."""
    jobs.queue.max_depth = 0
    for number in range(4):
        jobs.house.append(f"c{number}", "My name is Dana.")
    assert len(jobs.keys(DIRTY_PREFIX)) == 4
    assert jobs.do("c0") == []
    assert (len(jobs.keys(DIRTY_PREFIX)), len(jobs.queue.listed)) == (3, 1)
    assert jobs.deliver("no job") == [0]
    assert len(jobs.keys(DIRTY_PREFIX)) == 3
    assert jobs.do("c1", "c2", "c3") == []
    assert jobs.keys(DIRTY_PREFIX) == []
    assert sorted(jobs.queue.names()) == ["c0", "c1", "c2", "c3"]


def test_what_an_append_and_a_user_offer_are_jobs_that_can_be_done(jobs: Jobs) -> None:
    jobs.house.append("c1", "My name is Dana.")
    jobs.house.send("POST", "c1", "/consolidate", json={})
    bodies = [listed.job.encode() for listed in jobs.queue.listed]
    assert len(bodies) == 2
    assert jobs.deliver(*bodies) == []
    assert statements(jobs.house) == [DANA]
