"""How turns that a search found are shown, and what any search says about itself."""

from collections.abc import Mapping
from datetime import tzinfo
from typing import Any, Final

from everturn.cli.output.console import note, printable, say
from everturn.cli.output.consolidation_lines import counted
from everturn.cli.output.time_zones import shown_time
from everturn.values.timestamps import parse_time
from everturn.values.visible_text import one_line

# What a reason of the API means; one that this version does not know is shown as it is.
_REASONS: Final = {
    "blank_query": "nothing was asked",
    "embedder_failed": "the embedding model did not answer, words alone were compared",
    "embedder_fell_back": "the embedding model that was asked for is not the one in use",
    "turns_pending": "there was no time to look at all turns, ask again",
    "memories_pending": "there was no time to look at all memories, ask again",
    "memories_unreadable": "some memories cannot be read",
    "vectors_pending": "some of it is not embedded yet, ask again",
    "query_not_embedded": "there was no time to embed the query, so words alone were compared",
    "vectors_refused": "the embedding model gave no vector for some of it",
    "oldest_turns_not_searched": "the oldest turns of so long a conversation are not searched",
    "answer_full": "not all of it fits into one answer",
}


def say_turn(turn: Mapping[str, Any], zone: tzinfo, *, lead: str, named: bool) -> None:
    """Show one turn: a line that says which, then its text.

    Args:
        turn: as the API gives it.
        zone: its time is shown in.
        lead: what the line begins with.
        named: whether the line names its conversation.
    """
    time_ns = parse_time(turn.get("ts") or "")
    speaker = f"{turn['role']} ({turn['name']})" if turn.get("name") else turn["role"]
    parts = [
        lead,
        f"{one_line(turn['conversation_id'])} #{turn['index']}" if named else f"#{turn['index']}",
        # A line break in it would let one turn pass for two.
        one_line(speaker),
        "" if time_ns is None else shown_time(time_ns, zone),
    ]
    say("  ".join(part for part in parts if part))
    say(f"{printable(turn['text'])}\n")


def say_how(answer: Mapping[str, Any], zone: tzinfo) -> None:
    """Say how far a search looked, and what it went without."""
    searched = answer.get("searched")
    if searched and (searched["conversations"] or searched["complete"]):
        note(_searched(searched, zone))
    if answer.get("degraded"):
        reason = one_line(answer.get("reason") or "no reason given")
        note(f"degraded: {_REASONS.get(reason, reason)}")


def _searched(searched: Mapping[str, Any], zone: tzinfo) -> str:
    conversations = counted(searched["conversations"], "conversation")
    line = f"searched: {conversations}, {counted(searched['turns'], 'turn')}"
    if searched["complete"]:
        return line
    oldest_ns = parse_time(searched.get("oldest") or "")
    back = "" if oldest_ns is None else f" back to {shown_time(oldest_ns, zone, minutes=True)}"
    return f"{line}{back}, older ones were left out"
