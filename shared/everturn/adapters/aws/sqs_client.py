"""The SQS client of a process."""

import functools
import os
from typing import TYPE_CHECKING, Final, cast

from botocore.config import Config
from botocore.exceptions import BotoCoreError
from botocore.session import Session, get_session

from everturn.adapters.aws.session import shared_session
from everturn.errors import MisconfiguredError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

# An append may ask for the depth and then send, after up to 16 s of writing (s3_clients.py), and is
# to end within 20 s. Nothing is repeated: the next offer or poll of the caller does that.
_ATTEMPTS: Final = 1
_CONNECT_TIMEOUT_S: Final = 1
_ANSWER_TIMEOUT_S: Final = 1


@functools.cache
def shared_client() -> "SQSClient":
    """Return the client of this process, made on the first call."""
    return make_client(session=shared_session())


# A child made by fork would share its parent's connections, and locks that were held.
os.register_at_fork(after_in_child=shared_client.cache_clear)


def make_client(*, endpoint_url: str | None = None, session: Session | None = None) -> "SQSClient":
    """Make one from the environment (AWS_ENDPOINT_URL_SQS included) or for one endpoint.

    Without a session it has one of its own.

    Raises:
        MisconfiguredError: the SDK does not take the endpoint, the region or the profile.
    """
    config = Config(
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=_ANSWER_TIMEOUT_S,
        parameter_validation=False,
    )
    try:
        made = (session or get_session()).create_client(
            "sqs", endpoint_url=endpoint_url, config=config
        )
    except (BotoCoreError, ValueError) as exc:
        raise MisconfiguredError(f"no sqs client can be made error={exc}") from exc
    return cast("SQSClient", made)
