"""The STS client of a process: how long it waits, whom it asks, and when it cannot be made."""

from typing import Any

import pytest

from emulation.s3_endpoint import dummy_environment
from everturn.adapters.aws.scope_credentials import make_client, shared_client
from everturn.errors import MisconfiguredError


def test_a_request_to_sts_is_sent_once_and_waits_for_three_seconds_at_most() -> None:
    """The rest of the 20 s of a request are for the store: 16."""
    with dummy_environment() as patch:
        patch.setenv("AWS_MAX_ATTEMPTS", "7")
        client: Any = make_client()
    config = client.meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": 1}
    assert config.connect_timeout + config.read_timeout <= 3


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1"])
def test_the_sts_of_the_region_is_asked(region: str) -> None:
    """That of the world is far, and may be away while the region is well."""
    with dummy_environment() as patch:
        patch.setenv("AWS_DEFAULT_REGION", region)
        client: Any = make_client()
    assert client.meta.endpoint_url == f"https://sts.{region}.amazonaws.com"


@pytest.mark.parametrize(
    ("variable", "value"), [("AWS_ENDPOINT_URL", "no url"), ("AWS_PROFILE", "nobody")]
)
def test_an_environment_that_the_sdk_does_not_take_is_misconfigured(
    variable: str, value: str
) -> None:
    with dummy_environment() as patch:
        patch.setenv(variable, value)
        with pytest.raises(MisconfiguredError, match="no sts client"):
            make_client()


def test_the_client_of_a_process_is_made_once() -> None:
    shared_client.cache_clear()
    with dummy_environment() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        assert shared_client() is shared_client()
    shared_client.cache_clear()
