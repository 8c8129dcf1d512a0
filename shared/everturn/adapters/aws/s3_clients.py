"""The two S3 clients of a process: one that never sends a write twice, one that repeats reads.

botocore makes the very clients of boto3 in 60 ms less: boto3 adds transfers and resources, which a
cold start pays for and nobody here calls.
"""

import functools
import os
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast
from urllib.parse import urlsplit

from botocore.config import Config
from botocore.exceptions import BotoCoreError
from botocore.session import Session, get_session

from everturn.adapters.aws.s3_listing import scan_page
from everturn.adapters.aws.session import shared_session
from everturn.errors import MisconfiguredError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_Style = Literal["auto", "path"]

_WRITE_ATTEMPTS: Final = 1
_READ_ATTEMPTS: Final = 2
# A request of ours ends within 20 s: ten of trying, then at most one more read of 2 x (1 + 2) s or
# one more write of 1 + 5 s. A write may wait for another's, up to seconds on a server of one's own.
_CONNECT_TIMEOUT_S: Final = 1
_ANSWER_TIMEOUT_S: Final = {_WRITE_ATTEMPTS: 5, _READ_ATTEMPTS: 2}
# Hosts of S3 in all public partitions, dual-stack ones included.
# https://docs.aws.amazon.com/general/latest/gr/s3.html
_AWS_DOMAINS: Final = (
    ".amazonaws.com",
    ".amazonaws.com.cn",
    ".api.aws",
    ".api.amazonwebservices.com.cn",
)


SIGNED_BY: Final = "SignedBy"
"""The parameter of a call that holds the credentials to sign it with, in place of the process's."""


@dataclass(frozen=True, slots=True)
class S3Clients:
    """`writes` sends each request once; `reads` up to twice.

    Each call may name its own credentials (`SIGNED_BY`): clients of one's own for each would cost
    a pool of connections, 0.7 MB and some 10 ms.
    """

    writes: "S3Client"
    reads: "S3Client"


def is_aws(client: "S3Client") -> bool:
    """Say whether a client talks to AWS, whose conditions need no probe."""
    host = urlsplit(client.meta.endpoint_url).hostname or ""
    return host.endswith(_AWS_DOMAINS)


@functools.cache
def shared_clients() -> S3Clients:
    """Return the clients of this process, made on the first call: they cost 100 ms and a pool."""
    return make_clients(session=shared_session())


# A child made by fork would share its parent's connections, and locks that were held.
os.register_at_fork(after_in_child=shared_clients.cache_clear)


def make_clients(*, endpoint_url: str | None = None, session: Session | None = None) -> S3Clients:
    """Make both clients from the environment (AWS_ENDPOINT_URL_S3 included) or for one endpoint.

    Without a session they have one of their own.

    Raises:
        MisconfiguredError: the SDK does not take the endpoint, the region or the profile.
    """
    try:
        return _made_clients(session or get_session(), endpoint_url)
    except (BotoCoreError, ValueError) as exc:
        raise MisconfiguredError(f"no s3 client can be made error={exc}") from exc


def _made_clients(session: Session, endpoint_url: str | None) -> S3Clients:
    def client(attempts: int, style: _Style) -> "S3Client":
        config = _config(attempts, style)
        made = cast(
            "S3Client", session.create_client("s3", endpoint_url=endpoint_url, config=config)
        )
        # Before botocore's own handler of `before-parse.s3.*`, which parses a whole page to see
        # whether a 200 holds an error: of two names a wildcard further left comes first.
        made.meta.events.register_first("before-parse.*.ListObjectsV2", scan_page)
        made.meta.events.register("provide-client-params.s3", _sign_by)
        return made

    writes = client(_WRITE_ATTEMPTS, "auto")
    if is_aws(writes):
        return S3Clients(writes, reads=client(_READ_ATTEMPTS, "auto"))
    # A server of one's own has no DNS name per bucket, so the bucket goes into the path.
    return S3Clients(client(_WRITE_ATTEMPTS, "path"), reads=client(_READ_ATTEMPTS, "path"))


def _sign_by(params: MutableMapping[str, Any], context: dict[str, Any], **_: object) -> None:
    """Take the credentials out of the parameters of a call and hand them to its signer.

    Both are the call's own, so that threads with different credentials share a client.
    """
    credentials = params.pop(SIGNED_BY, None)
    if credentials is not None:
        context["signing"] = {"request_credentials": credentials}


def _config(attempts: int, style: _Style) -> Config:
    # A conditional put that is sent again after a lost answer meets its own write and comes back as
    # a false 412, so botocore must not repeat one.
    # https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    return Config(
        retries={"mode": "standard", "total_max_attempts": attempts},
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=_ANSWER_TIMEOUT_S[attempts],
        max_pool_connections=32,
        parameter_validation=False,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": style},
    )
