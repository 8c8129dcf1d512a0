"""AWS on one's own machine: S3 emulated by moto in one child process, with Everturn's buckets.

Not here: moto itself and the lock it needs (moto_s3.py). What is stored ends with the process.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from everturn.errors import MisconfiguredError
from everturn.local.environment import Overlay

DATA_BUCKET, DERIVED_BUCKET = "everturn-data", "everturn-derived"
_REGION = "us-east-1"
_VERSIONED = (
    b'<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    b"<Status>Enabled</Status></VersioningConfiguration>"
)
# Its server is stopped between two requests; after this it is made to end.
_END_TIMEOUT_S = 5.0

HANDLER_SETTINGS: Overlay = {
    "EVERTURN_STORE": f"s3://{DATA_BUCKET}",
    "EVERTURN_DERIVED_STORE": f"s3://{DERIVED_BUCKET}",
}
"""Where handlers find the buckets."""


@dataclass(frozen=True, slots=True)
class EmulatedAws:
    """A running emulation: its address, and a file descriptor that is readable when it dies."""

    url: str
    death: int

    @property
    def process_environment(self) -> Overlay:
        """What the AWS SDK reads in a process that is to use it and nothing else."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ENDPOINT_URL_S3": None,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_SESSION_TOKEN": None,
            "AWS_PROFILE": None,
            "AWS_REGION": _REGION,
            "AWS_DEFAULT_REGION": _REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": None,
        }


@contextmanager
def emulated_aws() -> Iterator[EmulatedAws]:
    """Run the emulation with both buckets made; it ends with the block, or with this process.

    Raises:
        MisconfiguredError: the child process did not start.
    """
    # A session of its own: Ctrl-C is for the parent, which ends it last.
    with subprocess.Popen(
        [sys.executable, "-m", "everturn.local.moto_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        try:
            yield _opened(child)
        finally:
            _end(child)


def _opened(child: subprocess.Popen[bytes]) -> EmulatedAws:
    if child.stdout is None:
        raise MisconfiguredError("emulated aws has no output")
    url = child.stdout.readline().decode("ascii").strip()
    if not url:
        raise MisconfiguredError("emulated aws did not start; is everturn[local] installed?")
    _make_buckets(url)
    return EmulatedAws(url, child.stdout.fileno())


def _make_buckets(url: str) -> None:
    """Make both by plain requests: boto3 would cost this process 300 ms and is not needed here."""
    with httpx.Client(base_url=url, trust_env=False) as client:
        for bucket in (DATA_BUCKET, DERIVED_BUCKET):
            client.put(f"/{bucket}").raise_for_status()
        versioning = {"versioning": ""}
        client.put(f"/{DATA_BUCKET}", params=versioning, content=_VERSIONED).raise_for_status()


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    try:
        child.wait(_END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        child.kill()
