"""Keys of documents that a framework names by a path of labels and a key, as plain ids.

    i{label}.-{label}.-._{key}      each label, then the key, as tokens
    token                           [A-Za-z0-9_-] as they are, `.d` for a dot; else `.h` and a hash
    first 94 characters, .z, hash   where it is longer than 128 characters

A plain id is listed by its beginning without being opened. After a dot stands one of `-_dhz`, so no
two paths have one key, and none begins like another that it is not below. What is no plain name may
be an address or a sentence of a user: it is hashed, as the server does with ids.
"""

import hashlib
import re
from base64 import b32encode
from collections.abc import Sequence
from typing import Final

from everturn.errors import InvalidRequestError

_FIRST: Final = "i"
_LABEL_END: Final = ".-"
_KEY: Final = "._"
_DOT: Final = ".d"
_HASH: Final = ".h"
_CUT: Final = ".z"
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]{0,64}", re.ASCII)
# 130 bits: nobody finds two texts of one hash.
_HASH_CHARS: Final = 26
# The longest plain id of the server is 128 characters.
_MAX_CHARS: Final = 128
_KEPT_CHARS: Final = 94


def item_key(path: Sequence[str], key: str) -> str:
    """Return the key of the document of an item: at most 128 characters, a plain id.

    Raises:
        InvalidRequestError: the key, or a label of the path, is no string.
    """
    whole = f"{_below(path)}{_KEY}{_token(key)}"
    if len(whole) <= _MAX_CHARS:
        return whole
    return whole[:_KEPT_CHARS] + _CUT + _hash(whole)


def items_prefix(path: Sequence[str]) -> str:
    """Return how the keys of all items below a path begin.

    Those of others may begin so as well, where the path is long.
    """
    return _below(path)[:_KEPT_CHARS]


def path_of_item(item_key: str) -> tuple[str, ...] | None:
    """Return the path of an item; None where its key does not say, but a hash of it."""
    labels, _, _ = item_key.removeprefix(_FIRST).partition(_KEY)
    if not item_key.startswith(_FIRST) or _CUT in item_key or _HASH in labels:
        return None
    return tuple(label.replace(_DOT, ".") for label in labels.split(_LABEL_END)[:-1])


def _below(path: Sequence[str]) -> str:
    return _FIRST + "".join(_token(label) + _LABEL_END for label in path)


def string(part: str) -> str:
    """Return a label or key as it is.

    Raises:
        InvalidRequestError: it is no string.
    """
    if not isinstance(part, str):
        raise InvalidRequestError("labels and keys are strings", field="key")
    return part


def _token(part: str) -> str:
    text = string(part)
    if _PLAIN.fullmatch(text):
        return text.replace(".", _DOT)
    return _HASH + _hash(text)


def _hash(text: str) -> str:
    # A framework's string may hold half a surrogate pair, which strict UTF-8 refuses.
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return b32encode(digest).decode("ascii").lower()[:_HASH_CHARS]
