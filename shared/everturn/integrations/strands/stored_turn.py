"""What a turn keeps of a message of Strands, as plain values: it takes no Strands to make one."""

import json
from collections.abc import Mapping
from typing import Any, Final

OWN: Final = "strands"
"""The field of a turn's metadata that holds what stands beside the blocks of its message."""
UNKNOWN: Final = -1
"""In place of the message before the first one, or of one that nobody knows."""

# Metadata of a turn ends at 16 KB as the server writes it, where a character takes six at most.
_MAX_BESIDE_CHARS: Final = 2_500
_TIMES: Final = ("created_at", "updated_at")


def kept_turn(
    said: Mapping[str, Any], stored: Mapping[str, Any], *, after: int, whole: bool = False
) -> dict[str, Any]:
    """Return the turn that keeps a message: its blocks as `content`, the rest beside them.

    Args:
        said: the message, with its bytes as Strands writes them.
        stored: what Strands keeps it in, with its times.
        after: the number of the message that its writer saw before it.
        whole: keep all of it as `content`. So a message without any visible content is a turn as
            well, and so is one with more beside its blocks than a turn has room for.
    """
    beside = {name: said[name] for name in said if name not in {"role", "content"}}
    times = {name: stored[name] for name in _TIMES if isinstance(stored.get(name), str)}
    own = {"after": after, **times}
    whole = whole or len(json.dumps(beside)) > _MAX_BESIDE_CHARS
    return {
        "role": said["role"],
        "content": said if whole else said["content"],
        "metadata": {OWN: own if whole else {**own, "message": beside}},
    }
