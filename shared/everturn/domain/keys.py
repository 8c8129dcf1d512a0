"""Where everything lies: scopes, ids and the keys of their objects.

Not here: reading or writing. No text of a user is in a key; an id that is no plain name is hashed.

    c/{tenant}/{actor}/{conversation}.json     head of a conversation, or its tombstone
    i/{tenant}/{actor}/conversations           list cache (derived)
    .probe/{random}                            a moment at start, in a store that is not AWS
"""

import base64
import hashlib
import re
import unicodedata
from dataclasses import dataclass

from everturn.domain.visible_text import is_blank
from everturn.errors import InvalidRequestError

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)
# The longest key of S3 is 1,024 bytes; longer ids would be no ids but texts.
_MAX_ID_BYTES = 1_024
_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose data: a tenant and one of its actors, both valid ids."""

    tenant: str
    actor: str


def valid_id(value: str, *, field: str) -> str:
    """Return an id in NFC, the form in which ids are compared.

    Raises:
        InvalidRequestError: it is blank, above 1,024 bytes, or holds a control character.
    """
    text = unicodedata.normalize("NFC", value)
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in text):
        raise InvalidRequestError("an id holds no control characters", field=field)
    if is_blank(text):
        raise InvalidRequestError("an id is not blank", field=field)
    if len(text.encode()) > _MAX_ID_BYTES:
        raise InvalidRequestError(f"an id is too long max_bytes={_MAX_ID_BYTES}", field=field)
    return text


def key_token(value: str) -> str:
    """Return the part of a key that stands for an id: itself if plain, else `~` and a hash.

    So `..`, `/`, `%2F` and look-alikes cannot leave a prefix. Forms that differ only in Unicode
    normalisation have one token.
    """
    if _PLAIN.fullmatch(value):
        return value
    # A stored id may hold half a surrogate pair, which strict UTF-8 refuses.
    text = unicodedata.normalize("NFC", value).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(text).digest()
    return "~" + base64.b32encode(digest).decode("ascii")[:32]


def heads_prefix(scope: Scope) -> str:
    """Return the prefix of all heads of a scope."""
    return f"c/{key_token(scope.tenant)}/{key_token(scope.actor)}/"


def head_key(scope: Scope, conversation_id: str) -> str:
    """Return the key of a conversation's head."""
    return f"{heads_prefix(scope)}{key_token(conversation_id)}{_SUFFIX}"


def is_head_of(key: str, conversation_id: str) -> bool:
    """Say whether a head at this key may hold this id."""
    return key.rpartition("/")[2] == key_token(conversation_id) + _SUFFIX


def list_cache_key(scope: Scope) -> str:
    """Return the key of the list cache of a scope."""
    return f"i/{key_token(scope.tenant)}/{key_token(scope.actor)}/conversations"
