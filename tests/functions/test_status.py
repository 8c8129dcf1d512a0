"""GET /v1/status: what a deployment works with, told to whoever has signed in.

Not here: which embedder is chosen and why (tests/services/test_choose_embedder.py).
"""

import json
from pathlib import Path

import pytest

from everturn.adapters.system_clock import ManualClock
from everturn.edge.status_answers import status_told
from everturn.errors import UnavailableError
from everturn.local.gateway import open_gateway
from everturn.ports.embedder import Embedder
from everturn.services.choose_embedder import Candidate, Embedders
from everturn.settings import parse_address
from functions.house import House, Json, client_of, embedders_of
from services.fake_embedder import FakeEmbedder

STATUS = "/v1/status"


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
        }
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


def test_it_asks_no_store_and_is_the_same_for_every_user(house: House) -> None:
    house.append("c1", "a fish")
    house.data.calls.clear()
    alice, bob = (house.acting_as(actor).read(STATUS) for actor in ("alice", "bob"))
    assert alice == bob
    assert house.data.calls == []


def test_names_of_buckets_and_folders_are_not_told() -> None:
    stores = {
        "store": parse_address("s3://secret-bucket/prefix"),
        "derived": parse_address("/secret/folder"),
    }
    told = status_told(stores, embedders_of(FakeEmbedder()).live()).body
    backends = json.loads(told or "")["backends"]
    assert (backends["store"], backends["derived"]) == ("s3", "directory")
    assert "secret" not in str(told)


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
