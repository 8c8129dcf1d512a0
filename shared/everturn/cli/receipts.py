"""Receipts of what was deleted, in one line for a person.

Not here: what is deleted, which the API does.
"""

from collections import Counter
from typing import Any

from everturn.cli.console import local_time


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


def state_line(answer: dict[str, Any]) -> str:
    """Return what is still to be said of an answer that took something back."""
    state = "" if answer["complete"] else " (not complete: run it again, or leave it to the sweep)"
    kept = answer.get("noncurrent_versions")
    if not kept:
        return state
    return f"{state} (the bucket keeps the old versions until {local_time(kept['gone'])})"
