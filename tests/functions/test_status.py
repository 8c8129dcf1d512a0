"""GET /v1/status: what a deployment works with, told to whoever has signed in."""

import json
from pathlib import Path

import pytest

from everturn.adapters.system_clock import ManualClock
from everturn.consolidation.count_backlog import Backlog
from everturn.conversations.model.watermark import Watermark
from everturn.edge.responses.status import consolidation_json, status_told
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.local.gateway import open_gateway
from everturn.ports.embedder import Embedder
from everturn.ports.queue import Depth
from everturn.recall.index.choose_embedder import Candidate, Embedders
from everturn.settings.process import parse_address
from everturn.values.job import Job
from everturn.values.keys import Scope, watermark_key
from everturn.values.timestamps import parse_time
from fakes.fake_embedder import FakeEmbedder
from fakes.listed_queue import ListedQueue
from functions.house import LOCAL, House, Json, client_of, embedders_of

STATUS = "/v1/status"


class AwayQueue(ListedQueue):
    """Does not say how it is."""

    def depth(self) -> Depth:
        raise UnavailableError("no answer")

    def count_dead(self) -> int:
        raise MisconfiguredError("no such queue")


def _embedder(house: House) -> Json:
    embedder: Json = house.read(STATUS)["backends"]["embedder"]
    return embedder


def test_it_names_the_kind_of_each_store_and_the_embedder_in_use(house: House) -> None:
    house.parts.embedders = embedders_of(FakeEmbedder())
    assert house.read(STATUS) == {
        "backends": {
            "store": "directory",
            "derived": "directory",
            "embedder": {
                "name": "only",
                "model": "fake",
                "dimensions": 64,
                "semantic": True,
                "reason": "no embedding model is configured",
                "tried": [],
            },
        },
        "consolidation": {
            "queue": "none",
            "extractor": "rules",
            "complete": True,
            "pending": 0,
            "pending_turns": 0,
            "quarantined": 0,
        },
    }


def test_it_says_what_the_embedders_before_lacked(house: House) -> None:
    def away() -> Embedder:
        raise UnavailableError("no answer in time")

    candidates = [
        Candidate("gateway", away),
        Candidate("provider", FakeEmbedder, missing="EVERTURN_PROVIDER_URL is not set"),
        Candidate("hash", lambda: FakeEmbedder(semantic=False)),
    ]
    house.parts.embedders = Embedders(candidates, ManualClock())
    embedder = _embedder(house)
    assert (embedder["name"], embedder["semantic"]) == ("hash", False)
    assert embedder["tried"] == [
        {"name": "gateway", "reason": "no answer in time"},
        {"name": "provider", "reason": "EVERTURN_PROVIDER_URL is not set"},
    ]


def test_what_is_behind_is_counted_for_whoever_asks_and_nobody_else(house: House) -> None:
    alice, bob = (house.acting_as(actor) for actor in ("alice", "bob"))
    alice.append("c1", "a fish", "a bird")
    alice.append("c2", "a dog")
    key = watermark_key(Scope("acme", "alice"), "c2")
    read_ns = house.clock.now_ns()
    house.data.inner.overwrite(key, Watermark("c2", 1, read_ns=read_ns).encode())
    hers, his = (one.read(STATUS)["consolidation"] for one in (alice, bob))
    assert (hers["pending"], hers["pending_turns"]) == (1, 2)
    assert (his["pending"], his["pending_turns"]) == (0, 0)
    assert parse_time(hers["last_success"]) == read_ns
    assert "last_success" not in his
    assert alice.read(STATUS)["backends"] == bob.read(STATUS)["backends"]


def test_the_queue_is_told_in_numbers(house: House) -> None:
    queue = ListedQueue(house.clock, max_depth=9)
    house.parts.join(queue)
    for number in range(3):
        queue.offer(Job(LOCAL, f"secret{number}"), delay_s=0)
    queue.claim(1, lease_s=60)
    told = house.read(STATUS)
    assert {name: told["consolidation"][name] for name in ("queue", "depth", "in_flight")} == {
        "queue": "folder", "depth": 2, "in_flight": 1
    }  # fmt: skip
    assert told["consolidation"]["dead"] == 0
    assert "oldest" not in told["consolidation"]
    assert "secret" not in str(told)


def test_a_queue_that_is_away_leaves_its_numbers_out(house: House) -> None:
    house.append("c1", "a fish")
    house.parts.join(AwayQueue(house.clock, max_depth=9))
    told = house.read(STATUS)["consolidation"]
    assert not {"depth", "in_flight", "oldest", "dead"} & told.keys()
    assert (told["queue"], told["pending"], told["complete"]) == ("folder", 1, True)


def test_a_store_that_is_away_leaves_numbers_out_and_says_so(house: House) -> None:
    def fail(*_: object) -> None:
        raise UnavailableError("no answer")

    house.data.step_in = fail
    told = house.read(STATUS)["consolidation"]
    assert told == {"queue": "none", "extractor": "rules", "complete": False}


def test_names_of_buckets_and_folders_are_not_told() -> None:
    stores = {
        "store": parse_address("s3://secret-bucket/prefix"),
        "derived": parse_address("/secret/folder"),
    }
    told = status_told(stores, embedders_of(FakeEmbedder()).live(), {}).body
    backends = json.loads(told or "")["backends"]
    assert (backends["store"], backends["derived"]) == ("s3", "directory")
    assert "secret" not in str(told)


def test_times_are_told_as_times_and_zeros_as_zeros() -> None:
    backlog = Backlog(0, 0, oldest_ns=0, dead=0, pending=0, pending_turns=0, last_success_ns=10**9)
    assert consolidation_json(backlog, queue="sqs", extractor="gateway:some-model") == {
        "queue": "sqs",
        "extractor": "gateway:some-model",
        "complete": False,
        "depth": 0,
        "in_flight": 0,
        "oldest": "1970-01-01T00:00:00Z",
        "dead": 0,
        "pending": 0,
        "pending_turns": 0,
        "last_success": "1970-01-01T00:00:01Z",
    }


def test_addresses_and_keys_of_models_are_not_told(tmp_path: Path) -> None:
    """Nothing answers at the discard port, so that this gateway is one that failed."""
    settings = {
        "EVERTURN_STORE": str(tmp_path),
        "EVERTURN_EMBEDDER": "gateway",
        "EVERTURN_GATEWAY_URL": "http://127.0.0.1:9/secret-path",
        "EVERTURN_GATEWAY_KEY": "secret-key",
        "EVERTURN_GATEWAY_HEADERS": '{"x-secret": "secret-header"}',
        "EVERTURN_EMBED_MODEL": "some-model",
    }
    log = tmp_path / "log"
    with client_of(open_gateway(settings, log=log)) as client:
        told = client.get(STATUS)
    embedder = told.json()["backends"]["embedder"]
    assert (embedder["name"], embedder["tried"][0]["name"]) == ("hash", "gateway")
    assert embedder["tried"][0]["reason"]
    for text in (told.text, log.read_text() if log.exists() else ""):
        assert "secret" not in text
        assert "127.0.0.1" not in text


@pytest.mark.parametrize("query", ["", "?verbose=1"])
def test_parameters_change_nothing(directory_house: House, query: str) -> None:
    assert directory_house.client.get(f"{STATUS}{query}").status_code == 200
