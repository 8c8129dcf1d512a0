"""Turns to encode, and what encoding them gives."""

import pytest

from everturn.conversations.model.turn import EncodedTurns, TurnDraft, encode_turns
from everturn.errors import InvalidRequestError
from everturn.values.timestamps import NANOSECONDS

# 2026-03-01T10:00:00Z.
NOW = 1_772_359_200 * NANOSECONDS
NOW_TEXT = "2026-03-01T10:00:00Z"


def encode(*drafts: TurnDraft, now_ns: int = NOW) -> EncodedTurns:
    """Encode turns at this time of the server."""
    return encode_turns(drafts, now_ns=now_ns)


def said(ts: str | None) -> TurnDraft:
    """Return a plain turn."""
    return TurnDraft("user", "hi", ts=ts)


def refused_field(*drafts: TurnDraft) -> str | None:
    """Return the field for which these turns are refused."""
    with pytest.raises(InvalidRequestError) as caught:
        encode(*drafts)
    return caught.value.field
