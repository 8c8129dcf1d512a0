"""Make memories of what was found in turns, as often as need be: a source counts once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from everturn.conversations.model.turn_identity import time_of_turn
from everturn.errors import CorruptRecordError, InvalidRequestError
from everturn.extraction.answers.findings import Extracted
from everturn.memory.model.draft import SourceDraft, new_memory, new_source
from everturn.memory.model.memory import Memory
from everturn.memory.model.source import Source
from everturn.memory.remember_memory import saying
from everturn.memory.writer import Change, MemoryWriter
from everturn.values.go_json import JsonValue


@dataclass(frozen=True, slots=True)
class Applied:
    """How many memories were created, said once more, and refused."""

    created: int = 0
    reinforced: int = 0
    refused: int = 0


def apply_findings(
    memories: Iterable[Extracted],
    *,
    writer: MemoryWriter,
    conversation_id: str,
    values: Mapping[int, JsonValue],
) -> Applied:
    """Write memories, two requests each, one where nothing is new; see `take_back_dead` after it.

    Args:
        memories: what was found; one that may be none, or cannot be read, is refused.
        writer: writes memories of the scope.
        conversation_id: where it was found.
        values: the turns that are cited, as they are stored, by their numbers: what they say was
            said when they were.

    Raises:
        UnavailableError: no clear answer within ten seconds; apply all of them again.
    """
    created = reinforced = refused = 0
    now_ns = writer.clock.now_ns()
    for one in memories:
        source = SourceDraft(conversation_id, one.first_turn, one.last_turn, one.quote)
        try:
            new = new_memory(one.draft)
            said_ns = min(time_of_turn(values.get(one.last_turn)) or now_ns, now_ns)
            said = new_source(source, new, now_ns=said_ns)
            changed = writer.change(new.rid, _saying_once(new, said), doing="consolidate")
        except (InvalidRequestError, CorruptRecordError):
            # A file that cannot be read stays for an operator to look at; lists count it.
            refused += 1
            continue
        created += changed.created
        reinforced += changed.written and not changed.created
    return Applied(created, reinforced, refused)


def _saying_once(new: Memory, said: Source) -> Change:
    """Return the change that a source says it; where these turns said so before, there is none.

    Of a turn without a time, or ahead of the clock, each call would say it at another time.
    """
    say, place = saying(new, said), _places(said)

    def change(memory: Memory | None) -> Memory | None:
        known = memory.sources if memory is not None else ()
        is_known = any(one.ref == said.ref and place <= _places(one) for one in known)
        return memory if is_known else say(memory)

    return change


def _places(source: Source) -> set[tuple[int | None, int | None, str, str]]:
    return {(one.first_turn, one.last_turn, one.quote, one.said) for one in source.mentions}
