"""What an Everturn says of its consolidation, in aligned lines that a newcomer understands.

A number that it could not have is missing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from everturn.cli.output.console import local_time

_NO_QUEUE = "none: everturn consolidate does it, or set EVERTURN_QUEUE_URL"


def consolidation_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """Return a line for each part, in the order in which a job goes through them.

    Args:
        told: `consolidation` of the status.
    """
    parts = {
        "extractor": extractor_words(told["extractor"]),
        "queue": _queue_words(told),
        "dead": _dead_words(told.get("dead")),
        "behind": _behind_words(told),
        "set aside": _quarantined_words(told.get("quarantined")),
        "waits": _reason_words(told.get("reason")),
        "learned": _success_words(told.get("last_success")),
    }
    for name, words in parts.items():
        if words:
            yield f"{name:<10} {words}"


def extractor_words(name: str) -> str:
    """Say who reads turns and decides what is remembered."""
    return "by rules, no model is configured" if name == "rules" else f"with {name}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an s but for one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _queue_words(told: Mapping[str, Any]) -> str:
    if told["queue"] == "none":
        return _NO_QUEUE
    if told.get("depth") is None:
        return f"{told['queue']}: it does not answer now"
    facts = [f"{counted(told['depth'], 'job')} {'waits' if told['depth'] == 1 else 'wait'}"]
    if told.get("in_flight") is not None:
        facts.append(f"{told['in_flight']} in work")
    if told.get("oldest"):
        facts.append(f"the oldest since {local_time(told['oldest'])}")
    return f"{told['queue']}: {', '.join(facts)}"


def _dead_words(dead: int | None) -> str:
    return f"{counted(dead, 'job')} failed too often, everturn redrive tries again" if dead else ""


def _behind_words(told: Mapping[str, Any]) -> str:
    pending, turns = told.get("pending"), told.get("pending_turns")
    if pending is None:
        return "not counted, which takes too long or the store does not answer"
    if not pending:
        return "nothing, all turns were read"
    unread = "" if turns is None else f", {counted(turns, 'turn')} to read"
    return f"{counted(pending, 'conversation')}{unread}"


def _quarantined_words(quarantined: int | None) -> str:
    return f"{counted(quarantined, 'turn')} that could not be read" if quarantined else ""


def _reason_words(reason: str | None) -> str:
    if reason == "daily_tokens":
        return "until tomorrow: the tokens of today are used up (EVERTURN_DAILY_TOKENS)"
    return ""


def _success_words(last_success: str | None) -> str:
    return f"last at {local_time(last_success)}" if last_success else ""
