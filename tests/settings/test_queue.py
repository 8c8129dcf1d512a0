"""Which queue the environment names, and what bootstrap makes of it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from everturn.adapters.aws.sqs_queue import SqsQueue
from everturn.adapters.directory.queue import FolderQueue
from everturn.bootstrap.components import open_backends, open_offers, open_queue
from everturn.errors import MisconfiguredError
from everturn.ports.queue import MAX_DELAY_S, Depth, Offered
from everturn.settings.process import QueueSettings, read_queue_settings, read_settings
from everturn.values.job import Job
from everturn.values.keys import Scope

SQS = {
    "EVERTURN_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/jobs",
    "EVERTURN_DEAD_LETTERS_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/dead",
}
SCOPE = Scope("acme", "dana")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    for opened in (open_backends, open_offers, open_queue):
        opened.cache_clear()


def test_a_directory_has_its_queue_within_it(tmp_path: Path) -> None:
    settings = read_settings({"EVERTURN_STORE": str(tmp_path)})
    assert settings.queue == QueueSettings(8, 2, folder=tmp_path / ".everturn" / "queue")
    assert settings.queue.kind == "folder"
    assert isinstance(open_queue(settings), FolderQueue)


def test_a_bucket_has_none() -> None:
    settings = read_settings({"EVERTURN_STORE": "s3://b"})
    assert settings.queue is None
    assert open_queue(settings) is None


@pytest.mark.parametrize("store", ["s3://b", "directory"])
def test_a_queue_in_sqs_is_used_where_it_is_named(store: str) -> None:
    settings = read_settings({"EVERTURN_STORE": store, **SQS})
    assert settings.queue == QueueSettings(1_000, 60, None, *SQS.values())
    assert settings.queue.kind == "sqs"
    assert isinstance(open_queue(settings), SqsQueue)


def test_depth_and_settling_are_as_told() -> None:
    told = {"EVERTURN_QUEUE_DEPTH": "5", "EVERTURN_SETTLE_S": "0"}
    for named, directory in ((SQS, None), ({}, Path("d"))):
        found = read_queue_settings({**named, **told}, directory=directory)
        assert found
        assert (found.depth, found.settle_s) == (5, 0)


def test_what_is_empty_is_not_set() -> None:
    empty = dict.fromkeys([*SQS, "EVERTURN_QUEUE_DEPTH", "EVERTURN_SETTLE_S"], "")
    assert read_queue_settings(empty, directory=None) is None
    assert read_queue_settings(empty, directory=Path("d")) == read_queue_settings(
        {}, directory=Path("d")
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("EVERTURN_QUEUE_URL", "jobs"),
        ("EVERTURN_QUEUE_URL", "https://a b/c"),
        ("EVERTURN_DEAD_LETTERS_URL", "arn:aws:sqs:eu-central-1:123456789012:dead"),
        ("EVERTURN_QUEUE_URL", ""),
        ("EVERTURN_DEAD_LETTERS_URL", ""),
        ("EVERTURN_QUEUE_DEPTH", "0"),
        ("EVERTURN_QUEUE_DEPTH", "many"),
        ("EVERTURN_QUEUE_DEPTH", "\u0663"),
        ("EVERTURN_SETTLE_S", "901"),
        ("EVERTURN_SETTLE_S", "-1"),
        ("EVERTURN_SETTLE_S", "1.5"),
    ],
)
def test_a_wrong_value_stops_the_start_and_is_named(variable: str, value: str) -> None:
    with pytest.raises(MisconfiguredError, match=variable):
        read_queue_settings({**SQS, variable: value}, directory=None)


def test_the_longest_settling_is_a_delay_that_queues_take() -> None:
    found = read_queue_settings({**SQS, "EVERTURN_SETTLE_S": str(MAX_DELAY_S)}, directory=None)
    assert found
    assert found.settle_s == MAX_DELAY_S


def test_the_same_settings_give_the_same_offers(tmp_path: Path) -> None:
    settings = read_settings({"EVERTURN_STORE": str(tmp_path)})
    assert open_offers(settings) is open_offers(settings)
    assert open_queue(settings) is open_queue(settings)


def test_an_offer_is_in_the_folder_and_no_key_of_the_store(tmp_path: Path) -> None:
    settings = read_settings({"EVERTURN_STORE": str(tmp_path), "EVERTURN_SETTLE_S": "0"})
    assert open_offers(settings).offer(SCOPE, "trip").sent
    queue = open_queue(settings)
    assert queue
    assert queue.depth().waiting == 1
    assert list(open_backends(settings).data.list("").keys) == []
    [lease] = queue.claim(1, lease_s=30)
    assert lease.job == Job(SCOPE, "trip")


def test_in_a_folder_eight_jobs_may_wait_unless_told_otherwise(tmp_path: Path) -> None:
    queue = open_queue(read_settings({"EVERTURN_STORE": str(tmp_path)}))
    assert queue
    told = [queue.offer(Job(SCOPE, str(number)), delay_s=0) for number in range(9)]
    assert told == [Offered.QUEUED] * 8 + [Offered.FULL]


def test_a_store_without_a_queue_takes_no_offer_and_no_marker(tmp_path: Path) -> None:
    settings = read_settings({"EVERTURN_STORE": str(tmp_path)})
    without = type(settings)(settings.store, settings.derived)
    offer = open_offers(without).offer(SCOPE, "trip")
    assert (offer.queued, offer.reason, offer.marked) == (False, "no_queue", False)


LOAD = """
import json, sys
from everturn.bootstrap.components import open_offers, open_queue
from everturn.settings.process import read_settings
settings = read_settings()
queue = open_queue(settings)
from everturn.adapters.aws.sqs_queue import shared_client
made = shared_client.cache_info().currsize
print(json.dumps([made, "boto3" in sys.modules]))
"""


def test_no_client_is_made_before_the_first_offer() -> None:
    """Making one takes longer than an append."""
    environment = {"EVERTURN_STORE": "s3://b", **SQS}
    done = subprocess.run(
        [sys.executable, "-c", LOAD], check=True, capture_output=True, text=True, env=environment
    )
    assert json.loads(done.stdout) == [0, False]


def test_an_empty_folder_has_no_depth(tmp_path: Path) -> None:
    queue = open_queue(read_settings({"EVERTURN_STORE": str(tmp_path)}))
    assert queue
    assert queue.depth() == Depth(0, 0)
    assert not list(tmp_path.iterdir())
