"""Clients of an emulated S3, with credentials that are nobody's."""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import pytest

from emulation.long_timeouts import long_timeouts
from everturn.adapters.aws.s3_clients import S3Clients, make_clients
from everturn.adapters.aws.s3_store import S3Store

DUMMY_ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AWS_ACCESS_KEY_ID": "testing1",
        "AWS_SECRET_ACCESS_KEY": "testing1secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }
)
# Each session of tests starts its own servers, so counting makes a bucket unique.
_BUCKETS = itertools.count()
_UNSET = ("AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")


@contextmanager
def dummy_environment() -> Iterator[pytest.MonkeyPatch]:
    """Nothing of the developer's own AWS account is seen inside."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _UNSET:
            patch.delenv(name, raising=False)
        for name, value in DUMMY_ENVIRONMENT.items():
            patch.setenv(name, value)
        yield patch


def emulator_clients(url: str) -> S3Clients:
    """Both clients of the adapter, made for this server alone, which has a minute to answer."""
    with dummy_environment(), long_timeouts():
        return make_clients(endpoint_url=url)


def fresh_store(clients: S3Clients, prefix: str = "memory") -> S3Store:
    """A store in a bucket of its own."""
    bucket = f"test-{next(_BUCKETS)}"
    clients.writes.create_bucket(Bucket=bucket)
    return S3Store(bucket=bucket, prefix=prefix, writes=clients.writes, reads=clients.reads)
