"""The metrics of an event: one EMF line, with the names that edge/metrics.py knows.

Not here: what must not be in it (test_privacy.py).
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everturn.domain.keys import list_cache_key
from everturn.edge.metrics import METRICS, UNITS
from everturn.errors import OutcomeUnknownError, PreconditionFailedError, UnavailableError
from everturn.local.gateway import open_gateway
from functions.house import CONVERSATIONS, LOCAL, House, Json, client_of, embedders_of
from services.fake_embedder import FakeEmbedder
from services.listed_queue import ListedQueue
from services.wrapped_store import Verb

OFFER = {"JobsOffered", "JobsDropped", "JobsUnsent"}
APPEND = OFFER | {
    "TurnsAppended", "TurnsIgnored", "TurnsClamped", "AppendAttempts", "AppendsReplayed",
    "AppendsRecovered", "SegmentsSealed",
}  # fmt: skip
MEASURES = {METRICS[word]: unit.value for word, unit in UNITS.items()}


@pytest.fixture
def printed(house: House, capsys: pytest.CaptureFixture[str]) -> "Printed":
    return Printed(house, capsys)


class Printed:
    """What handlers print, event by event."""

    def __init__(self, house: House, capsys: pytest.CaptureFixture[str]) -> None:
        self.house = house
        self._capsys = capsys

    def forget(self) -> None:
        """Forget what was printed."""
        self._capsys.readouterr()

    def metrics(self) -> dict[str, float]:
        """The numbers of the one line printed since the last call, but for how long it took."""
        lines = self._capsys.readouterr().out.splitlines()
        assert len(lines) == 1, lines
        line: Json = json.loads(lines[0])
        declared = line["_aws"]["CloudWatchMetrics"][0]
        assert declared["Namespace"] == "Everturn"
        assert declared["Dimensions"] == [["service"]]
        units = {metric["Name"]: metric["Unit"] for metric in declared["Metrics"]}
        assert units == {name: MEASURES.get(name, "Count") for name in units}
        assert units.keys() <= set(METRICS.values())
        assert set(line) == {"_aws", "service", *units}
        assert line["RequestDuration"][0] >= 0
        return {name: line[name][0] for name in units.keys() - {"RequestDuration"}}


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
        "AppendAttempts": 1, "AppendsReplayed": 0, "AppendsRecovered": 0, "SegmentsSealed": 0,
        **dict.fromkeys(OFFER, 0),
    }  # fmt: skip
    printed.house.append_turns("c1", turns, key="k")
    again = printed.metrics()
    assert set(again) == {"Requests"} | APPEND
    assert (again["AppendAttempts"], again["AppendsReplayed"]) == (0, 1)


def test_a_list_counts_the_heads_that_it_read_and_those_that_it_skipped(printed: Printed) -> None:
    printed.house.append("c1", "a")
    printed.house.place(b"{", "bad")
    printed.metrics()
    printed.house.listed()
    whole = {"Requests": 1, "ListSkipped": 1, "ListRepairs": 0}
    assert printed.metrics() == whole | {"ListHeadsRead": 2}
    printed.house.listed()
    assert printed.metrics() == whole | {"ListHeadsRead": 0}


@pytest.mark.parametrize("path", [CONVERSATIONS, "/v1/turns/recent"])
def test_a_cache_of_a_list_that_says_nothing_counts_as_repaired(
    printed: Printed, path: str
) -> None:
    printed.house.append("c1", "a")
    printed.house.listed()
    printed.house.parts.derived.inner.overwrite(list_cache_key(LOCAL), b"{")
    printed.forget()
    for repairs in (1, 0):
        printed.house.read(path)
        assert printed.metrics()["ListRepairs"] == repairs


def test_a_recall_counts_its_hits_and_what_it_embedded(printed: Printed) -> None:
    house = printed.house
    house.parts.embedders = embedders_of(FakeEmbedder())
    house.append("c1", "a fish", "a fish too")
    printed.metrics()
    counted = {"Requests": 1, "Recalls": 1, "RecallHits": 2, "SearchesDegraded": 0}
    for id_, embedded in (("c1", 2), ("c1", 0), (None, 0)):
        house.recall("fish", id_)
        assert printed.metrics() == counted | {"TurnsEmbedded": embedded}
    house.recall(" ")
    blank = {"RecallHits": 0, "SearchesDegraded": 1, "TurnsEmbedded": 0}
    assert printed.metrics() == counted | blank


def test_themes_are_counted(printed: Printed) -> None:
    house = printed.house
    house.append("c1", "a fish", "a bird")
    printed.metrics()
    found = house.client.post("/v1/themes", json={}).json()["themes"]
    assert printed.metrics() == {"Requests": 1, "ThemesFound": len(found), "SearchesDegraded": 0}


def test_creates_and_deletes_are_counted_where_they_happen(printed: Printed) -> None:
    for created in (1, 0):
        printed.house.client.post(CONVERSATIONS, json={"conversation_id": "c1"})
        assert printed.metrics() == {"Requests": 1, "ConversationsCreated": created}
    printed.house.send("DELETE", "c1")
    assert printed.metrics() == {"Requests": 1, "ConversationsDeleted": 1}


def test_what_a_caller_did_wrong_counts_as_his_error_and_nothing_else(printed: Printed) -> None:
    house = printed.house
    sends: list[Callable[[], object]] = [
        lambda: house.send("GET", "c1"),
        lambda: house.send("DELETE", "c1"),
        lambda: house.append_turns("c1", 7),
        lambda: house.post_raw(b"{"),
        lambda: house.ask("fish"),
        lambda: house.ask(7, None),
        lambda: house.send("PATCH", "\t", json={}),
        lambda: house.client.get(CONVERSATIONS, params={"limit": "x"}),
        lambda: house.client.get(CONVERSATIONS, headers={"x-everturn-actor": ""}),
    ]
    for send in sends:
        send()
        assert printed.metrics() == {"Requests": 1, "ClientErrors": 1}
    house.client.get("/v1/status")
    assert printed.metrics() == {"Requests": 1}


@pytest.mark.parametrize("error", [UnavailableError("away"), RuntimeError("a bug")])
def test_a_fault_of_ours_counts_as_an_error_of_the_server(
    printed: Printed, error: Exception
) -> None:
    printed.house.data.step_in = _raising(error)
    printed.house.send("GET", "c1")
    assert printed.metrics() == {"Requests": 1, "ServerErrors": 1}


def test_a_record_that_cannot_be_read_is_counted_beside_the_error(printed: Printed) -> None:
    printed.house.place(b"{", "bad")
    printed.house.send("GET", "bad")
    assert printed.metrics() == {"Requests": 1, "ServerErrors": 1, "CorruptRecords": 1}


def test_how_long_a_request_took_is_told_in_milliseconds(
    printed: Printed, capsys: pytest.CaptureFixture[str]
) -> None:
    house = printed.house

    def slow(_verb: Verb, _key: str, send: Callable[[], Any]) -> object:
        house.clock.sleep(0.25)
        return send()

    house.data.step_in = slow
    house.send("GET", "c1")
    assert json.loads(capsys.readouterr().out)["RequestDuration"] == [250]


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
    assert (found["AppendAttempts"], found["AppendsRecovered"], found["AppendsReplayed"]) == (
        1,
        1,
        0,
    )
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
    assert (found["AppendAttempts"], found["AppendsRecovered"]) == (2, 0)


def test_segments_are_counted_where_an_append_seals_turns(printed: Printed) -> None:
    sealed = []
    for number in range(8):
        printed.house.append("c1", f"{number}" + "x" * 60_000)
        sealed.append(printed.metrics()["SegmentsSealed"])
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


def test_an_embedder_that_fails_is_counted(printed: Printed) -> None:
    house = printed.house
    house.parts.embedders = embedders_of(FakeEmbedder(failing=UnavailableError("no answer")))
    house.append("c1", "a fish")
    printed.forget()
    house.recall("fish")
    found = printed.metrics()
    assert (found["EmbedderFailures"], found["SearchesDegraded"]) == (1, 1)


def _raising(error: Exception) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    def step_in(_verb: Verb, _key: str, _send: Callable[[], Any]) -> object:
        raise error

    return step_in


def test_turned_off_they_print_nothing_however_many_requests_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As for `everturn up`, whose console is a person's; Powertools prints at a hundred values."""
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    gateway = open_gateway({"EVERTURN_STORE": str(tmp_path)})
    with client_of(gateway) as client:
        for _ in range(120):
            assert client.get(f"{CONVERSATIONS}/c1").status_code == 404
    assert capsys.readouterr().out == ""
