"""The client of Bedrock's models: made from the environment, and never repeating by itself."""

from typing import Any

import pytest

from everturn.adapters.aws.bedrock_client import make_client
from everturn.errors import MisconfiguredError


def test_a_client_needs_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "none")
    with pytest.raises(MisconfiguredError, match="NoRegionError"):
        make_client(read_s=3, at_once=8)


def test_a_client_repeats_nothing_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    config: Any = make_client(read_s=3, at_once=8).meta.config
    assert config.retries == {"mode": "standard", "total_max_attempts": 1}
    assert (config.connect_timeout, config.read_timeout) == (1, 3)
    assert config.max_pool_connections == 8
