"""The STS client of a process, which hands out roles."""

import functools
import os
from collections.abc import Mapping
from typing import Any, Final, Protocol, cast

from botocore.config import Config
from botocore.exceptions import BotoCoreError
from botocore.session import Session, get_session

from everturn.adapters.aws.session import shared_session
from everturn.errors import MisconfiguredError

# A request of ours ends within 20 s: ten of trying, in which this is asked first, then one call of
# the store at most. Where that is refused at once, a look whether its key is absent takes 6 s more
# (s3_store.py), where credentials have ended meanwhile, 3 s here as well: 19. S3 refuses at once or
# does not answer: what took its time and is refused then could take 6 s more, and is not planned
# for. Nothing is repeated: the caller is told to come again.
_ATTEMPTS: Final = 1
_CONNECT_TIMEOUT_S: Final = 1
_ANSWER_TIMEOUT_S: Final = 2


class StsClient(Protocol):
    """What is asked of botocore's client."""

    def assume_role(self, **request: object) -> Mapping[str, Any]:
        """Return temporary credentials of a role.

        https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
        """
        ...


@functools.cache
def shared_client() -> StsClient:
    """Return the client of this process, made on the first call."""
    return make_client(session=shared_session())


# A child made by fork would share its parent's connections, and locks that were held.
os.register_at_fork(after_in_child=shared_client.cache_clear)


def make_client(*, endpoint_url: str | None = None, session: Session | None = None) -> StsClient:
    """Make one for the region (AWS_ENDPOINT_URL_STS included) or for one endpoint.

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
            "sts", endpoint_url=endpoint_url, config=config
        )
    except (BotoCoreError, ValueError) as exc:
        raise MisconfiguredError(f"no sts client can be made error={exc}") from exc
    return cast("StsClient", made)
