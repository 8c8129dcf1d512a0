"""The SQS client of a process: how long it waits, when it is made, and when it cannot be."""

from typing import TYPE_CHECKING, Any

import pytest

from emulation.s3_endpoint import DUMMY_ENVIRONMENT, dummy_environment
from everturn.adapters.aws.sqs_queue import LIFETIME_S, SqsQueue, make_client, shared_client
from everturn.adapters.system_clock import ManualClock
from everturn.errors import MisconfiguredError
from ports.queue_contract import job

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

URLS = {"queue_url": "https://localhost/jobs", "dead_letters_url": "https://localhost/dead"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def test_an_offer_keeps_an_append_waiting_for_four_seconds_at_most() -> None:
    """Two requests, each sent once."""
    with dummy_environment():
        client: Any = make_client()
    config = client.meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": 1}
    assert 2 * (config.connect_timeout + config.read_timeout) <= 4


def test_without_a_region_there_is_no_client() -> None:
    with dummy_environment() as patch:
        patch.delenv("AWS_DEFAULT_REGION")
        patch.delenv("AWS_REGION", raising=False)
        with pytest.raises(MisconfiguredError, match="no sqs client"):
            make_client()


def test_a_client_that_cannot_be_made_is_tried_once_in_five_seconds(
    clock: ManualClock,
) -> None:
    tried: list[float] = []

    def refused() -> "SQSClient":
        tried.append(clock.monotonic_s())
        raise MisconfiguredError("no sqs client can be made")

    queue = SqsQueue(**URLS, max_depth=1, client=refused, clock=clock)
    for _ in range(2):
        for _ in range(9):
            with pytest.raises(MisconfiguredError):
                queue.offer(job(), delay_s=0)
        clock.sleep(LIFETIME_S)
    assert len(tried) == 2


def test_the_client_of_a_process_is_made_once_and_not_before_it_is_needed(
    clock: ManualClock,
) -> None:
    shared_client.cache_clear()
    with dummy_environment() as patch:
        patch.setenv("AWS_REGION", DUMMY_ENVIRONMENT["AWS_DEFAULT_REGION"])
        opened = [SqsQueue.connect(**URLS, max_depth=1, clock=clock) for _ in range(2)]
        assert shared_client.cache_info().currsize == 0
        assert opened[0]._client() is opened[1]._client() is shared_client()
    shared_client().close()
    shared_client.cache_clear()
