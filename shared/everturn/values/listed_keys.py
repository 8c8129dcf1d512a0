"""What a listed key says: of which conversation it is, and which part of it lies there."""

import re
from typing import Final

from everturn.values.keys import Scope, Token, is_token, token_of_name

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
