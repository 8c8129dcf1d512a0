"""A job of the queue: which conversation has turns that nobody consolidated yet.

A job holds ids alone, since the worker reads from the watermark to the head.

    {"tenant": id, "actor": id, "conversation_id": id}    {"token": t} where only its key is known
"""

import hashlib
import json
from dataclasses import dataclass

from everturn.errors import CorruptRecordError, InvalidRequestError
from everturn.values.keys import HASHED, Scope, Token, is_token, key_token, valid_id


@dataclass(frozen=True, slots=True)
class Job:
    """One conversation of one scope; two jobs of the same one are one."""

    scope: Scope
    conversation_id: str

    @property
    def digest(self) -> str:
        """32 hex digits, the same for all jobs of this conversation, however its ids are known."""
        ids = (self.scope.tenant, self.scope.actor, self.conversation_id)
        return hashlib.sha256("/".join(map(key_token, ids)).encode("ascii")).hexdigest()[:32]

    @property
    def group(self) -> str:
        """Whose turn it is where tenants share a queue: up to 128 characters of `A-Za-z0-9._~-`."""
        return key_token(self.scope.tenant)

    def encode(self) -> str:
        """Write the job as JSON in ASCII: a queue refuses characters that an id may hold.

        https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
        """
        ids = {
            "tenant": _written(self.scope.tenant),
            "actor": _written(self.scope.actor),
            "conversation_id": _written(self.conversation_id),
        }
        return json.dumps(ids, separators=(",", ":"))


def parse_job(text: str) -> Job:
    """Read what `encode` wrote; members that it does not know are passed over.

    Raises:
        CorruptRecordError: it is no job.
    """
    try:
        found = json.loads(text)
        ids = [_read(found[name], name) for name in ("tenant", "actor", "conversation_id")]
    except (ValueError, TypeError, KeyError, RecursionError, InvalidRequestError) as error:
        raise CorruptRecordError("a job of the queue cannot be read") from error
    tenant, actor, conversation_id = ids
    return Job(Scope(tenant, actor), conversation_id)


def job_of(body: bytes) -> Job | None:
    """Read the file of a job, or of a marker; None where it is none: nobody can do it."""
    try:
        return parse_job(body.decode("utf-8", "replace"))
    except CorruptRecordError:
        return None


def _written(value: str) -> str | dict[str, str]:
    # Behind a plain token is the id itself; that of a hashed one is unknown, and the hash is no id.
    plain = not isinstance(value, Token) or not value.startswith(HASHED)
    return str(value) if plain else {"token": str(value)}


def _read(value: object, field: str) -> str:
    if isinstance(value, dict):
        token = value["token"]
        if not isinstance(token, str) or not is_token(token):
            raise InvalidRequestError("a token is a part of a key", field=field)
        return Token(token)
    if not isinstance(value, str):
        raise InvalidRequestError("an id is a string", field=field)
    return valid_id(value, field=field)
