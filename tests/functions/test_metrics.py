"""The metrics of an event: one EMF line, with the names that edge/function.py knows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aws_lambda_powertools import Metrics

from everturn.edge.function import METRICS, add_counts
from everturn.errors import UnavailableError
from everturn.local.gateway import open_gateway
from everturn.values.keys import list_cache_key
from fakes.fake_embedder import FakeEmbedder
from fakes.wrapped_store import Verb
from functions.house import CONVERSATIONS, LOCAL, Json, client_of, embedders_of
from functions.printed import Printed


def test_a_count_of_0_is_not_written_and_a_level_of_0_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CloudWatch charges for each hour in which a name is written."""
    # Handlers that were loaded into this process before have turned them off for a local server.
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED", raising=False)
    metrics = Metrics(namespace="Everturn", service="stack")
    for name in METRICS:
        add_counts(metrics, {name: 0})
    add_counts(metrics, {"jobs_dropped": None, "queue_depth": None, "jobs_unsent": False})
    metrics.flush_metrics()
    line: Json = json.loads(capsys.readouterr().out)
    [told] = line["_aws"]["CloudWatchMetrics"]
    assert {metric["Name"] for metric in told["Metrics"]} == {
        "RequestDuration", "QueueDepth", "DirtyAge", "WatermarkLag", "SweepComplete",
    }  # fmt: skip
    assert line["QueueDepth"] == [0]


def test_a_list_counts_the_heads_that_it_read_and_those_that_it_skipped(printed: Printed) -> None:
    printed.house.append("c1", "a")
    printed.house.place(b"{", "bad")
    printed.metrics()
    printed.house.listed()
    whole = {"Requests": 1, "ListSkipped": 1}
    assert printed.metrics() == whole | {"ListHeadsRead": 2}
    printed.house.listed()
    assert printed.metrics() == whole


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
        assert printed.metrics().get("ListRepairs", 0) == repairs


def test_a_recall_counts_its_hits_and_what_it_embedded(printed: Printed) -> None:
    house = printed.house
    house.parts.embedders = embedders_of(FakeEmbedder())
    house.append("c1", "a fish", "a fish too")
    printed.metrics()
    counted = {"Requests": 1, "Recalls": 1}
    found = {"RecallHits": 2}
    for id_, embedded in (("c1", {"TurnsEmbedded": 2}), ("c1", {}), (None, {})):
        house.recall("fish", id_)
        assert printed.metrics() == counted | found | embedded
    house.recall(" ")
    assert printed.metrics() == counted | {"SearchesDegraded": 1}


def test_themes_are_counted(printed: Printed) -> None:
    house = printed.house
    house.append("c1", "a fish", "a bird")
    printed.metrics()
    found = house.client.post("/v1/themes", json={}).json()["themes"]
    assert printed.metrics() == {"Requests": 1, "ThemesFound": len(found)}


def test_creates_and_deletes_are_counted_where_they_happen(printed: Printed) -> None:
    for created in ({"ConversationsCreated": 1}, {}):
        printed.house.client.post(CONVERSATIONS, json={"conversation_id": "c1"})
        assert printed.metrics() == {"Requests": 1} | created
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
