"""The metrics of an event: one EMF line, with the names that edge/metrics.py knows.

Not here: what must not be in it (test_privacy.py).
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from everturn.edge.metrics import METRICS
from everturn.local.gateway import open_gateway
from functions.house import CONVERSATIONS, House, Json, client_of, embedders_of
from services.fake_embedder import FakeEmbedder

OFFER = {"JobsOffered", "JobsDropped", "JobsUnsent"}
APPEND = OFFER | {
    "TurnsAppended", "TurnsIgnored", "TurnsClamped", "AppendAttempts", "AppendsReplayed",
}  # fmt: skip


@pytest.fixture
def printed(house: House, capsys: pytest.CaptureFixture[str]) -> "Printed":
    return Printed(house, capsys)


class Printed:
    """What handlers print, event by event."""

    def __init__(self, house: House, capsys: pytest.CaptureFixture[str]) -> None:
        self.house = house
        self._capsys = capsys

    def metrics(self) -> dict[str, float]:
        """The counts of the one line printed since the last call."""
        lines = self._capsys.readouterr().out.splitlines()
        assert len(lines) == 1, lines
        line: Json = json.loads(lines[0])
        declared = line["_aws"]["CloudWatchMetrics"][0]
        assert declared["Namespace"] == "Everturn"
        names = {metric["Name"] for metric in declared["Metrics"]}
        assert names <= set(METRICS.values())
        assert set(line) == {"_aws", "service", *names}
        return {name: line[name][0] for name in names}


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
        "AppendAttempts": 1, "AppendsReplayed": 0, **dict.fromkeys(OFFER, 0),
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
    assert printed.metrics() == {"Requests": 1, "ListHeadsRead": 2, "ListSkipped": 1}
    printed.house.listed()
    assert printed.metrics() == {"Requests": 1, "ListHeadsRead": 0, "ListSkipped": 1}


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


def test_every_other_event_counts_as_a_request_and_nothing_else(printed: Printed) -> None:
    house = printed.house
    sends: list[Callable[[], object]] = [
        lambda: house.send("GET", "c1"),
        lambda: house.send("DELETE", "c1"),
        lambda: house.append_turns("c1", 7),
        lambda: house.post_raw(b"{"),
        lambda: house.ask("fish"),
        lambda: house.ask(7, None),
        lambda: house.client.get("/v1/status"),
        lambda: house.send("PATCH", "\t", json={}),
        lambda: house.client.get(CONVERSATIONS, params={"limit": "x"}),
        lambda: house.client.get(CONVERSATIONS, headers={"x-everturn-actor": ""}),
    ]
    for send in sends:
        send()
        assert printed.metrics() == {"Requests": 1}


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
