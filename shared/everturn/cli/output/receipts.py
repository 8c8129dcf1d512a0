"""Receipts of what was deleted, in one line for a person."""

from collections import Counter
from typing import Any

from everturn.cli.output.console import local_time, printable

_RUN_AGAIN = "not complete: run it again, or leave it to the sweep"


def receipt_line(receipt: dict[str, Any]) -> str:
    """Return what went of a conversation, whether that is all, and what a bucket keeps."""
    deleted = receipt["deleted"]
    others = {kind: count for kind, count in deleted.items() if count and kind != "turns"}
    counts = " ".join(f"{kind}={count}" for kind, count in others.items())
    return f"turns={deleted.get('turns', 0)} {counts}".rstrip() + state_line(receipt)


def counts_line(deleted: dict[str, int] | Counter[str]) -> str:
    """Return counts by kind; those of zero say nothing."""
    counts = " ".join(f"{kind}={count}" for kind, count in deleted.items() if count)
    return counts or "nothing"


def popped_line(answer: dict[str, Any]) -> str:
    """Return which turn went, and how many are left; popping again would take another one."""
    turn = f"turn {answer['turn_count']} of {printable(answer['conversation_id'])}"
    rest = "not complete: `everturn sweep` removes what is left, another pop takes another turn"
    return f"popped: {turn} ({answer['turn_count']} left){state_line(answer, rest=rest)}"


def state_line(answer: dict[str, Any], *, rest: str = _RUN_AGAIN) -> str:
    """Return what is still to be said of an answer that took something back.

    Args:
        answer: of the API.
        rest: what to say where it is not complete.
    """
    state = "" if answer["complete"] else f" ({rest})"
    kept = answer.get("noncurrent_versions")
    if not kept:
        return state
    return f"{state} (the bucket keeps the old versions until {local_time(kept['gone'])})"
