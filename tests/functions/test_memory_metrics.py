"""What the routes of long-term memory count, and where."""

import json
from collections.abc import Callable

import pytest

from everturn.values.keys import memory_key
from fakes.fake_embedder import FakeEmbedder
from functions.house import LOCAL, House, Json, embedders_of
from functions.remembered import MEMORIES, NOBODY, at, post, prove, remember, retrieve, send

Counts = Callable[[], dict[str, float]]
PORT = "The deploy port is 8080."


@pytest.fixture
def counts(capsys: pytest.CaptureFixture[str]) -> Counts:
    """The counts of the event since the last call, but for those of every request."""

    def read() -> dict[str, float]:
        (line,) = capsys.readouterr().out.splitlines()
        values: Json = json.loads(line)
        assert values["Requests"] == [1]
        every = {"_aws", "service", "Requests", "RequestDuration"}
        return {name: values[name][0] for name in set(values) - every}

    return read


def test_what_is_new_and_what_is_known_are_counted_apart(
    directory_house: House, counts: Counts
) -> None:
    for name in ("MemoriesCreated", "MemoriesReinforced"):
        remember(directory_house, PORT)
        assert counts() == {name: 1}


def test_a_correction_is_counted_and_a_pin_is_none(directory_house: House, counts: Counts) -> None:
    rid = remember(directory_house, PORT)["id"]
    counts()
    corrected = {"MemoriesCorrected": 1}
    for body, told in (({"pinned": True}, {}), ({"statement": "The port is 9090."}, corrected)):
        directory_house.client.patch(at(rid), json=body)
        assert counts() == told


def test_forgetting_is_counted_where_it_happens(directory_house: House, counts: Counts) -> None:
    rid = remember(directory_house, PORT)["id"]
    counts()
    directory_house.client.delete(at(rid))
    assert counts() == {"MemoriesForgotten": 1}


def test_outcomes_and_promotions_are_counted(
    directory_house: House, counts: Counts, capsys: pytest.CaptureFixture[str]
) -> None:
    rid = prove(directory_house)["id"]
    capsys.readouterr()
    directory_house.client.post(at(rid, "/outcomes"), json={"status": "success"})
    assert counts() == {"OutcomesRecorded": 1}
    directory_house.client.post(at(rid, "/promote"), json={})
    assert counts() == {"PatternsPromoted": 1}


def test_a_retrieval_counts_what_it_found_and_what_it_embedded(
    directory_house: House, counts: Counts
) -> None:
    house = directory_house
    house.parts.embedders = embedders_of(FakeEmbedder())
    remember(house, PORT)
    counts()
    for embedded in ({"MemoriesEmbedded": 1}, {}):
        retrieve(house, "deploy port")
        assert counts() == {"Retrievals": 1, "SnippetsFound": 1} | embedded


def test_what_is_put_into_a_prompt_is_counted(directory_house: House, counts: Counts) -> None:
    post(directory_house, "/v1/memories/pinned", goal="Deploy.")
    assert counts() == {"PinnedBlocks": 1}
    post(directory_house, "/v1/memories/procedural")
    assert counts() == {}
    post(directory_house, "/v1/context", query="fish")
    assert counts() == {"Contexts": 1}


def test_a_list_counts_the_memories_that_it_could_not_read(
    directory_house: House, counts: Counts
) -> None:
    rid = remember(directory_house, PORT)["id"]
    counts()
    for told in ({}, {"MemoriesSkipped": 1}):
        directory_house.read(MEMORIES)
        assert counts() == told
        directory_house.parts.forget()
        directory_house.data.inner.overwrite(memory_key(LOCAL, rid), b"{")


def test_what_is_refused_counts_as_an_error_of_the_caller_alone(
    directory_house: House, counts: Counts
) -> None:
    client = directory_house.client
    requests: list[Callable[[], object]] = [
        lambda: send(directory_house, kind="fact"),
        lambda: client.get(at(NOBODY)),
        lambda: client.delete(at(NOBODY)),
        lambda: client.patch(at("x"), json={}),
        lambda: client.post("/v1/context", json={}),
    ]
    for request in requests:
        request()
        assert counts() == {"ClientErrors": 1}
