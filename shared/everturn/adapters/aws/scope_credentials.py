"""Credentials for the objects of one scope: STS hands out a role with the scope as session tags.

A process has one STS client.
"""

import functools
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import BotoCoreError
from botocore.session import Session, get_session

from everturn.adapters.aws.errors import sts_errors
from everturn.adapters.aws.session import shared_session
from everturn.errors import (
    EverturnError,
    InvalidRequestError,
    MisconfiguredError,
    NotSentError,
    UnavailableError,
)
from everturn.ports.clock import Clock
from everturn.values.keys import HASHED, Scope, is_token, key_token

# No longer for a role that a role assumes, as that of a function does.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles.html#iam-term-role-chaining
_DURATION_S: Final = 3_600
# The clocks of a function and of AWS are a second apart at most, and a request takes 20 s.
_MARGIN_S: Final = 300

_NS: Final = 1_000_000_000
# Some 4 MB; a function that serves more scopes within an hour asks for some of them again.
_MAX_SCOPES: Final = 1_000
# Stands in CloudTrail; the scope stands there in the tags.
_SESSION: Final = "everturn"
_PARTS: Final = ("AccessKeyId", "SecretAccessKey", "SessionToken")

NO_TAG: Final = "-"
"""The value of a tag that does not apply: no part of a key is this."""

Tags = tuple[tuple[str, str], ...]
"""Names and values of session tags."""


def session_tags(scope: Scope) -> Tags:
    """Return the four tags of a scope: `tenant`, `tenant_hash`, `actor` and `actor_hash`.

    Two of them hold the parts of its keys, one of each pair: a plain part as it is, a hashed one
    without its `~`, which no tag may hold; the policies put it back. The other two are `NO_TAG`,
    since a statement that names an absent tag is none. No value holds `*`, `?` or `$`.
    https://docs.aws.amazon.com/STS/latest/APIReference/API_Tag.html

    Raises:
        InvalidRequestError: a part of a key that no id has, which could widen a policy.
    """
    return (*_tags("tenant", scope.tenant), *_tags("actor", scope.actor))


def _tags(name: str, value: str) -> Tags:
    part = key_token(value)
    if not is_token(part):
        raise InvalidRequestError("a scope is named by ids", field=name)
    hashed = part.startswith(HASHED)
    plain, digest = (NO_TAG, part.removeprefix(HASHED)) if hashed else (part, NO_TAG)
    return ((name, plain), (f"{name}_hash", digest))


class StsClient(Protocol):
    """What is asked of botocore's client."""

    def assume_role(self, **request: object) -> Mapping[str, Any]:
        """Return temporary credentials of a role.

        https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
        """
        ...


@dataclass(frozen=True, slots=True)
class _Lease:
    credentials: Credentials
    until_ns: int
    """Until when they are handed out, in Unix ns."""


_Asked = Future[_Lease | EverturnError]
"""What is or was asked for; a failure is a result, of which each thread raises one of its own."""


class ScopeCredentials:
    """The credentials of the scopes that a process served last; safe under threads."""

    def __init__(
        self,
        sts: StsClient,
        *,
        role_arn: str,
        policy_arn: str,
        clock: Clock,
        max_scopes: int = _MAX_SCOPES,
    ) -> None:
        """Take the role; asks nothing yet.

        Args:
            sts: hands it out.
            role_arn: the role of all scopes, which its tags narrow down to one.
            policy_arn: a managed policy that narrows it down to what this function does; "": none.
            clock: the time, by which credentials end.
            max_scopes: how many are kept.
        """
        self._sts = sts
        self._role_arn = role_arn
        self._policy_arn = policy_arn
        self._clock = clock
        self._max_scopes = max_scopes
        self._leases: OrderedDict[Tags, _Asked] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def connect(cls, *, role_arn: str, policy_arn: str, clock: Clock) -> "ScopeCredentials":
        """Open it with the client of this process; sends nothing yet."""
        return cls(shared_client(), role_arn=role_arn, policy_arn=policy_arn, clock=clock)

    def of(self, scope: Scope) -> Credentials:
        """Return credentials for a scope that are good for five minutes at least.

        One request for a scope and hour, however many threads ask at once; those share a failure
        too, and the next call asks anew.

        Raises:
            NotSentError: STS does not answer, or asks for patience.
            UnavailableError: the thread that asked for all has ended meanwhile.
            MisconfiguredError: this process may not have the role.
            InvalidRequestError: the scope is none; not sent.
        """
        tags = session_tags(scope)
        asked, is_mine = self._asked(tags)
        if is_mine:
            return self._ask(tags, asked).credentials
        found = asked.result()
        if isinstance(found, _Lease):
            return found.credentials
        raise type(found)(found.message) from found.__cause__

    def _ask(self, tags: Tags, asked: _Asked) -> _Lease:
        """Ask for a scope, and tell all who wait, whatever comes of it."""
        # What ends this thread is its own: the others may come again.
        found: _Lease | EverturnError = UnavailableError("nobody asked for the role of a scope")
        try:
            lease = found = self._lease(tags)
        except EverturnError as error:
            found = error
            raise
        finally:
            asked.set_result(found)
        return lease

    def _asked(self, tags: Tags) -> tuple[_Asked, bool]:
        """Return what is or was asked for a scope, and whether it is for the caller to ask."""
        with self._lock:
            asked = self._leases.get(tags)
            is_mine = asked is None or self._is_over(asked)
            if asked is None or is_mine:
                asked = self._leases[tags] = Future()
            self._leases.move_to_end(tags)
            while len(self._leases) > self._max_scopes:
                self._leases.popitem(last=False)
        return asked, is_mine

    def _is_over(self, asked: _Asked) -> bool:
        if not asked.done():
            return False
        found = asked.result()
        return not isinstance(found, _Lease) or found.until_ns <= self._clock.now_ns()

    def _lease(self, tags: Tags) -> _Lease:
        request: dict[str, object] = {
            "RoleArn": self._role_arn,
            "RoleSessionName": _SESSION,
            "DurationSeconds": _DURATION_S,
            "Tags": [{"Key": name, "Value": value} for name, value in tags],
        }
        if self._policy_arn:
            request["PolicyArns"] = [{"arn": self._policy_arn}]
        with sts_errors():
            found = self._sts.assume_role(**request)["Credentials"]
            ends_ns = round(found["Expiration"].timestamp()) * _NS
            parts = [found[name] for name in _PARTS]
        if not all(parts):
            raise NotSentError("sts handed out the role of a scope without credentials")
        return _Lease(Credentials(*parts), ends_ns - _MARGIN_S * _NS)


# A request of ours ends within 20 s: ten of trying, in which this is asked first, then one call of
# the store at most. Where that is refused at once, a look whether its key is absent takes 6 s more
# (s3_store.py), where credentials have ended meanwhile, 3 s here as well: 19. S3 refuses at once or
# does not answer: what took its time and is refused then could take 6 s more, and is not planned
# for. Nothing is repeated: the caller is told to come again.
_ATTEMPTS: Final = 1
_CONNECT_TIMEOUT_S: Final = 1
_ANSWER_TIMEOUT_S: Final = 2


@functools.cache
def shared_client() -> StsClient:
    """Return the client of this process, made on the first call."""
    return make_client(session=shared_session())


# A child made by fork would share its parent's connections, and locks that were held.
os.register_at_fork(after_in_child=shared_client.cache_clear)


def make_client(*, endpoint_url: str | None = None, session: Session | None = None) -> StsClient:
    """Make an STS client for the region (AWS_ENDPOINT_URL_STS included) or for one endpoint.

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
