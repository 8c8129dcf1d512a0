"""A client of Bedrock's models."""

from typing import TYPE_CHECKING, Final, cast

import botocore.session
from botocore.config import Config

from everturn.adapters.aws.errors import bedrock_errors
from everturn.errors import MisconfiguredError, UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

_CONNECT_S: Final = 1


def make_client(*, read_s: float, at_once: int) -> "BedrockRuntimeClient":
    """Make a client from the environment; what it sends is never sent again by itself.

    Args:
        read_s: for so many seconds it waits for the next piece of an answer.
        at_once: so many requests may be on their way at once.

    Raises:
        MisconfiguredError: no region, or a profile or an endpoint that the SDK does not take.
    """
    config = Config(
        retries={"mode": "standard", "total_max_attempts": 1},
        connect_timeout=_CONNECT_S,
        read_timeout=read_s,
        max_pool_connections=at_once,
    )
    try:
        with bedrock_errors():
            session = botocore.session.get_session()
            made = session.create_client("bedrock-runtime", config=config)
    except (UnavailableError, ValueError) as exc:
        raise MisconfiguredError(f"no client can be made error={type(exc).__name__}") from exc
    return cast("BedrockRuntimeClient", made)
