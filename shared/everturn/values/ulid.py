"""Ids for conversations whose creator named none."""

from typing import Final

# Crockford's alphabet in lower case: no letter that reads like a digit.
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_CHARS, _RANDOM_CHARS = 10, 16


def new_conversation_id(now_ns: int, token: bytes) -> str:
    """Return a ULID in lower case: 48 bits of milliseconds, 80 bits of `token`.

    https://github.com/ulid/spec
    """
    return _base32(now_ns // 1_000_000, _TIME_CHARS) + _base32(
        int.from_bytes(token, "big"), _RANDOM_CHARS
    )


def _base32(number: int, chars: int) -> str:
    digits = ""
    for _ in range(chars):
        number, digit = divmod(number, 32)
        digits = _ALPHABET[digit] + digits
    return digits
