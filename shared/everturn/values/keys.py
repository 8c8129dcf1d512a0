"""Scopes, ids, and the keys of all objects.

No text of a user is in a key. An id that is not a plain name is hashed.

    c/{tenant}/{actor}/{conversation}.json     head of a conversation, or its tombstone
    s/{tenant}/{actor}/{conversation}/{name}   segments: its sealed oldest turns
    x/ and q/ likewise, w/ as c/               what consolidation stages, quarantines, has read
    v/{tenant}/{actor}/{conversation}/{model}/{chunk:06d}   side index: rows of turns (derived)
    m/{tenant}/{actor}/{memory}.json           memories, or what is left of forgotten ones
    o/{tenant}/{actor}/{space}/{key}.json      documents
    i/{tenant}/{actor}/conversations           root of the list cache (derived)
    i/{tenant}/{actor}/rows/{name}             its other files, once it is long (derived)
    i/{tenant}/{actor}/memories/{bucket}       index of memories: rows (derived)
    i/{tenant}/{actor}/vectors/{model}/{bucket}  index of memories: vectors (derived)
    i/{tenant}/{actor}/erasure                 progress of an erasure that continues (derived)
    i/{tenant}/.tokens                         tokens of models that a tenant used (derived)
    dirty/{minute:010d}/{tenant}/{actor}/{conversation}   jobs that the queue did not take (derived)
    i/.sweep                                   progress of the sweep of all scopes (derived)
    .probe/{random}                            a moment at start, in a store that is not AWS

A listed key tells which conversation it belongs to, and which part of it is stored there.
"""

import base64
import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from everturn.errors import InvalidRequestError
from everturn.values.visible_text import is_blank

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)
# A key's part that begins so is a hash. It comes after every plain id in byte order.
HASHED = "~"
_TOKEN = re.compile(rf"{_PLAIN.pattern}|{HASHED}[A-Z2-7]{{32}}", re.ASCII)
# The longest key of S3 is 1,024 bytes; longer ids would be no ids but texts.
_MAX_ID_BYTES = 1_024
_SUFFIX = ".json"

CHUNK_ROWS = 1_024
"""How many turns one chunk of the side index holds."""

SWEEP_KEY = "i/.sweep"
"""Where the sweep keeps how far it is; no tenant's token begins so."""

HEADS_PREFIX, STAGED_PREFIX = "c/", "x/"
"""Where the heads of all scopes are, and what is decided of turns and not applied yet."""

DIRTY_PREFIX = "dirty/"
"""Where the jobs lie that a queue did not take, the oldest first."""


class Token(str):
    """A part of a key as it was listed: it stands for an id that may be unknown."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose data: a tenant and one of its actors, both valid ids."""

    tenant: str
    actor: str


def valid_id(value: str, *, field: str) -> str:
    """Return an id in NFC, the form in which ids are compared; a token as it is.

    Raises:
        InvalidRequestError: it is blank, above 1,024 bytes, or holds a control character.
    """
    if isinstance(value, Token):
        return value
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
    normalisation have one token. A `Token` is one already.
    """
    if isinstance(value, Token) or _PLAIN.fullmatch(value):
        return value
    # A stored id may hold half a surrogate pair, which strict UTF-8 refuses.
    text = unicodedata.normalize("NFC", value).encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(text).digest()
    return HASHED + base64.b32encode(digest).decode("ascii")[:32]


def is_plain(value: str) -> bool:
    """Say whether an id is part of its key as it is."""
    return _PLAIN.fullmatch(value) is not None


def is_token(text: str) -> bool:
    """Say whether a text can be what `key_token` returns."""
    return _TOKEN.fullmatch(text) is not None


def heads_prefix(scope: Scope) -> str:
    """Return the prefix of all heads of a scope."""
    return scope_prefix("c", scope)


def head_key(scope: Scope, conversation_id: str) -> str:
    """Return the key of a conversation's head."""
    return f"{heads_prefix(scope)}{key_token(conversation_id)}{_SUFFIX}"


def is_head_of(key: str, conversation_id: str) -> bool:
    """Say whether a head at this key may hold this id."""
    return key.rpartition("/")[2] == key_token(conversation_id) + _SUFFIX


def segments_prefix(scope: Scope, conversation_id: str) -> str:
    """Return the prefix of all segments of a conversation."""
    return _below("s", scope, conversation_id)


def segment_key(scope: Scope, conversation_id: str, name: str) -> str:
    """Return the key of a segment."""
    return f"{segments_prefix(scope, conversation_id)}{name}{_SUFFIX}"


def segment_name_of(key: str) -> str:
    """Return the name of the segment at a key."""
    return key.rpartition("/")[2].removesuffix(_SUFFIX)


def staged_prefix(scope: Scope, conversation_id: str) -> str:
    """Return the prefix of all staged extractions of a conversation."""
    return _below("x", scope, conversation_id)


def staged_key(scope: Scope, conversation_id: str, first: int) -> str:
    """Return the key of the staged extraction of the turns from number `first` on."""
    return f"{staged_prefix(scope, conversation_id)}{first:012d}{_SUFFIX}"


def quarantine_prefix(scope: Scope, conversation_id: str) -> str:
    """Return the prefix of all quarantined turns of a conversation."""
    return _below("q", scope, conversation_id)


def quarantine_key(scope: Scope, conversation_id: str, turn: int) -> str:
    """Return the key of what is known of a turn that no extraction can read."""
    return f"{quarantine_prefix(scope, conversation_id)}{turn:012d}{_SUFFIX}"


def watermark_key(scope: Scope, conversation_id: str) -> str:
    """Return the key of a conversation's watermark."""
    return _below("w", scope, conversation_id).removesuffix("/") + _SUFFIX


def vectors_prefix(scope: Scope, conversation_id: str) -> str:
    """Return the prefix of all vectors of a conversation."""
    return _below("v", scope, conversation_id)


def chunk_key(scope: Scope, conversation_id: str, model: str, number: int) -> str:
    """Return the key of a chunk of the side index that a model's vectors are in."""
    return f"{vectors_prefix(scope, conversation_id)}{key_token(model)}/{number:06d}"


def memories_prefix(scope: Scope) -> str:
    """Return the prefix of all memories of a scope."""
    return scope_prefix("m", scope)


def memory_key(scope: Scope, rid: str) -> str:
    """Return the key of a memory."""
    return f"{memories_prefix(scope)}{key_token(rid)}{_SUFFIX}"


def memory_rows_prefix(scope: Scope) -> str:
    """Return the prefix of the rows of the index of memories."""
    return f"{scope_prefix('i', scope)}memories/"


def memory_vectors_prefix(scope: Scope, model: str | None = None) -> str:
    """Return the prefix of the vectors of memories, those of one model or of all."""
    prefix = f"{scope_prefix('i', scope)}vectors/"
    return prefix if model is None else f"{prefix}{key_token(model)}/"


def documents_prefix(scope: Scope, space: str) -> str:
    """Return the prefix of all documents of a space."""
    return _below("o", scope, space)


def document_key(scope: Scope, space: str, key: str) -> str:
    """Return the key of a document."""
    return f"{documents_prefix(scope, space)}{document_name(key)}"


def document_name(key: str) -> str:
    """Return the last part of the key of a document."""
    return name_of_token(key_token(key))


def name_of_token(token: str) -> str:
    """Return the last part of a key."""
    return token + _SUFFIX


def token_of_name(name: str) -> str | None:
    """Return the token in the last part of a key; None where no key of ours ends so."""
    token = name.removesuffix(_SUFFIX)
    return token if name.endswith(_SUFFIX) and is_token(token) else None


def _below(kind: str, scope: Scope, conversation_id: str) -> str:
    return f"{scope_prefix(kind, scope)}{key_token(conversation_id)}/"


def list_cache_key(scope: Scope) -> str:
    """Return the key of the root of the list cache of a scope."""
    return f"{scope_prefix('i', scope)}conversations"


def list_files_prefix(scope: Scope) -> str:
    """Return the prefix of all other files of the list cache of a scope."""
    return f"{scope_prefix('i', scope)}rows/"


def scope_prefix(kind: str, scope: Scope) -> str:
    """Return the prefix of all that a scope has of one kind, which is a first letter of a key."""
    return f"{kind}/{key_token(scope.tenant)}/{key_token(scope.actor)}/"


def erasure_key(scope: Scope) -> str:
    """Return the key of what an erasure of a scope has to know when it goes on."""
    return f"{scope_prefix('i', scope)}erasure"


def token_use_key(tenant: str) -> str:
    """Return the key of how many tokens of models a tenant used; no actor's token begins so."""
    return f"i/{key_token(tenant)}/.tokens"


def dirty_key(scope: Scope, conversation_id: str, *, minute: int) -> str:
    """Return the key of a job that a queue did not take in this minute of Unix time."""
    return f"{DIRTY_PREFIX}{minute:010d}{_below('', scope, conversation_id)[:-1]}"


_CHUNK: Final = re.compile(r"\d{6}", re.ASCII)


def chunk_of(key: str) -> int | None:
    """Return the number of the chunk that lies at a key; None where no chunk of ours does."""
    name = key.rpartition("/")[2]
    return int(name) if _CHUNK.fullmatch(name) else None


def conversation_of(key: str) -> tuple[Scope, Token] | None:
    """Return of which conversation a listed key is, as tokens; None where it is of none.

    The keys of heads and watermarks, segments and staged extractions.
    """
    kind, *parts = key.split("/")
    if (kind, len(parts)) not in {("c", 3), ("w", 3), ("s", 4), ("x", 4)}:
        return None
    tokens = [*parts[:2], token_of_name(parts[2]) if kind in "cw" else parts[2]]
    tenant, actor, conversation = (
        Token(token) if token and is_token(token) else None for token in tokens
    )
    if tenant is None or actor is None or conversation is None:
        return None
    return Scope(tenant, actor), conversation


def rid_of_key(key: str) -> str:
    """Return the id of the memory that lies at a key."""
    return key.rpartition("/")[2].removesuffix(".json")
