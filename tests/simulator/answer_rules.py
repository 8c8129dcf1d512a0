"""Whether what a call was told is true: judged by the versions that were there while it ran."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from everturn.conversations.append_turns import AppendOutcome
from everturn.conversations.create_conversation import CreateOutcome
from everturn.conversations.model import write_ring
from everturn.deletion.delete_conversation import Receipt
from everturn.deletion.pop_turn import PopOutcome
from everturn.deletion.redact_turn import RedactOutcome
from everturn.errors import ConflictError, ConversationGoneError, EverturnError, NotFoundError
from simulator.calls import Call, Kind
from simulator.commit_rules import said
from simulator.journal import Journal, Version
from simulator.view_rules import judge_list, judge_read, judge_summary

Rule = Callable[[Call, Journal], Iterator[str]]


def judge_answers(calls: list[Call], journal: Journal) -> list[str]:
    """Return in words which answers were not true."""
    return [
        f"{call.name} {problem}: {call.told}"
        for call in calls
        if not call.is_unclear
        for problem in (_judge_refusal if call.error else _RULES[call.kind])(call, journal)
    ]


def _judge_refusal(call: Call, journal: Journal) -> Iterator[str]:
    versions = journal.during(call)
    kind: type[EverturnError] = type(call.error) if call.error else EverturnError
    if kind is ConflictError:
        if call.commits:
            yield "written and refused"
        if not (_changed(call, versions) if call.kind == "redact" else _differs(call, versions)):
            yield "refused as it was expected to be"
    elif kind is NotFoundError or (kind is ConversationGoneError and call.kind == "append"):
        if not any(_lacks(call, version) for version in versions) and not _is_old(call, journal):
            yield "refused, and it was there all the time"
        if any(version.is_live and version.call is call for version in versions[-1:]):
            yield "refused, and written"
    else:
        yield "an error that nobody should see"


def _differs(call: Call, versions: list[Version]) -> bool:
    return any(len(version.turns) != call.expected for version in versions)


def _changed(call: Call, versions: list[Version]) -> bool:
    """Whether a number was given to another turn, after a pop or in another life."""
    turns = (version.turns[call.index : call.index + 1] for version in versions)
    return len({(turn["role"], turn["ts"]) for there in turns for turn in there}) > 1


def _lacks(call: Call, version: Version) -> bool:
    return not version.is_live or (call.kind == "redact" and len(version.turns) <= call.index)


def _is_old(call: Call, journal: Journal) -> bool:
    """Whether the key of an append was used in a life that ended: nobody can tell then.

    An attempt of this very call may be what was deleted.
    """
    versions = journal.versions[call.conversation_id]
    now = journal.during(call)[-1].life
    return any(_is_of(call, version) and version.life < now for version in versions)


def _append(call: Call, journal: Journal) -> Iterator[str]:
    answer = call.answer
    assert isinstance(answer, AppendOutcome)
    versions = journal.during(call)
    if answer.appended != len(call.drafts):
        yield "another count of turns"
    if not any((answer.turn_count, answer.updated_ns) == _state(version) for version in versions):
        yield "a turn count or time that never was"
    lives = {version.life for version in versions if version.is_live}
    written = [
        version
        for version in journal.versions[call.conversation_id]
        if version.tick <= call.ended and version.life in lives and _is_of(call, version)
    ]
    firsts = {len(version.turns) - len(call.drafts) for version in written}
    if answer.first_turn not in firsts and not _has_twin(call, answer.first_turn, journal):
        yield f"acknowledged, but written at {sorted(firsts)}"


def _is_of(call: Call, version: Version) -> bool:
    """Whether a version was written by this call, or by one with its idempotency key."""
    other = version.call
    same_key = call.key is not None and other.key == call.key
    return other.kind == "append" and version.is_live and (other is call or same_key)


def _has_twin(call: Call, first: int, journal: Journal) -> bool:
    """Whether this is the one case that the product leaves open.

    The same turns with the same times stand at the very place of an attempt without a clear answer,
    and the ring has forgotten who wrote them.
    """
    versions = [
        version
        for version in journal.versions[call.conversation_id]
        if version.tick <= call.ended and version.call.kind in {"append", "pop", "create"}
    ]
    for number, version in enumerate(versions):
        there = version.turns[first : first + len(call.drafts)]
        is_twin = len(there) == len(call.drafts) and all(map(said, call.drafts, there))
        if is_twin and len(versions) - number >= write_ring.RING_ENTRIES:
            return True
    return False


def _state(version: Version) -> tuple[int, int]:
    return len(version.turns), version.updated_ns


def _create(call: Call, journal: Journal) -> Iterator[str]:
    answer = call.answer
    assert isinstance(answer, CreateOutcome)
    if answer.created and call.commits != 1:
        yield "not created"
    yield from judge_summary(answer.summary, journal.during(call))


def _patch(call: Call, journal: Journal) -> Iterator[str]:
    versions = journal.during(call)
    titles = {version.head.title for version in versions if version.head and version.is_live}
    if call.title not in titles:
        yield "not patched"
    yield from judge_summary(call.answer, versions)


def _redact(call: Call, journal: Journal) -> Iterator[str]:
    answer = call.answer
    assert isinstance(answer, RedactOutcome)
    states = {
        _state(version)
        for version in journal.during(call)
        if len(version.turns) > call.index and version.turns[call.index].get("redacted")
    }
    if (answer.turn_count, answer.updated_ns) not in states:
        yield "not redacted"


def _pop(call: Call, journal: Journal) -> Iterator[str]:
    answer = call.answer
    assert isinstance(answer, PopOutcome)
    versions = journal.during(call)
    if call.commits != 1 or not any(version.call is call for version in versions):
        yield "not popped, or at another time"
    if not any((answer.turn_count, answer.updated_ns) == _state(version) for version in versions):
        yield "a turn count or time that never was"


def _delete(call: Call, journal: Journal) -> Iterator[str]:
    answer = call.answer
    assert isinstance(answer, Receipt)
    versions = journal.versions[call.conversation_id]
    pairs = pairwise(versions)
    ended = {
        before.life: len(before.turns)
        for before, after in pairs
        if before.is_live and not after.is_live
    }
    lives = {version.life for version in journal.during(call) if not version.is_live}
    if not lives:
        yield "not deleted"
    # Two deletes may share the work; only who ended the life knows for certain what it held.
    elif answer.turns not in {ended.get(life) for life in lives} and (answer.turns or call.commits):
        yield "another count of turns deleted"
    if answer.complete and not any(version.is_done for version in journal.during(call)):
        yield "complete, and not done"


def _sweep(call: Call, journal: Journal) -> Iterator[str]:
    """Judge nothing: what a sweep does is judged write by write."""
    del call, journal
    return iter(())


_RULES: Mapping[Kind, Rule] = {
    "append": _append,
    "create": _create,
    "patch": _patch,
    "redact": _redact,
    "pop": _pop,
    "delete": _delete,
    "sweep": _sweep,
    "list": judge_list,
    "read": judge_read,
}
