"""How far a conversation was consolidated: the file of its watermark.

Not here: consolidation itself. Without a file nothing was.

    {"conversation_id", "turns": how many of its first turns were read, ...}
"""

import json

from everturn.errors import CorruptRecordError


def parse_watermark(body: bytes) -> int:
    """Return how many turns were consolidated.

    Raises:
        CorruptRecordError: the file says nothing of it.
    """
    try:
        turns = json.loads(body)["turns"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CorruptRecordError("a stored watermark cannot be read") from error
    if type(turns) is not int or turns < 0:
        raise CorruptRecordError("a stored watermark is no number")
    return turns
