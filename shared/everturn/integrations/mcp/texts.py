"""Convert what the client returned into the tools' answers: memories, turns, conversations."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from everturn.integrations.mcp import answers
from everturn.integrations.mcp.frame import (
    MAX_TURN_CHARS,
    answer_text,
    counted,
    framed,
    item,
    one_line,
    shown_time,
)
from everturn.wire.conversations import (
    ConversationPage,
    Pair,
    PairPage,
    Receipt,
    RecentPage,
    Summary,
    Turn,
)
from everturn.wire.memories import (
    Memory,
    MemoryChanged,
    MemoryPage,
    MemoryWithHistory,
    PatternSpec,
    Remembered,
)
from everturn.wire.search import Context, Hit, Recalled, Retrieved, Snippet

MEMORY_URI: Final = "everturn://memory/"

_PARTS: Final = ("preconditions", "steps", "gotchas", "success_criteria")


def memories_found(got: Retrieved) -> answers.MemoriesFound:
    """Return the answer of search_memory."""
    found = snippets_found(got.snippets)
    items = [
        item(f"{one.kind} {one.rid or one.uri} score={one.score:.2f}", one_line(snippet.text))
        for one, snippet in zip(found, got.snippets, strict=True)
    ]
    notes = (
        f"{len(items)} found, best first." if items else "Nothing found.",
        *search_notes(got),
        pending_note(got.pending_turns),
    )
    return answers.MemoriesFound(
        text=answer_text(items, notes),
        memories=found,
        pending_turns=got.pending_turns,
        filtered=got.filtered,
        degraded=got.degraded,
        reason=got.reason,
    )


def snippets_found(snippets: Sequence[Snippet]) -> list[answers.FoundMemory]:
    """Return snippets by their ids."""
    return [
        answers.FoundMemory(uri=one.uri, kind=one.kind, score=one.score, rid=_rid_of(one.uri))
        for one in snippets
    ]


def search_notes(got: Retrieved | Recalled) -> tuple[str, ...]:
    """Return what a reader has to know of how was searched."""
    return (
        f"{got.filtered} more scored below min_score." if got.filtered else "",
        "Not even the best one fits budget_tokens; it is shown alone." if got.over_budget else "",
        f"Searched less well than usual: {got.reason}." if got.degraded and got.reason else "",
    )


def pending_note(turns: int) -> str:
    """Say how many turns are no memories yet; "" for none."""
    newer = counted(turns, "newer turn is", "newer turns are")
    return f"{newer} not read for memories yet; recent_turns shows them." if turns else ""


def memories_listed(page: MemoryPage) -> answers.MemoriesListed:
    """Return the answer of list_memories."""
    notes = (
        f"{counted(len(page.memories), 'memory', 'memories')} on this page.",
        *page_notes(page.next_cursor, page.skipped),
    )
    return answers.MemoriesListed(
        text=answer_text([memory_item(memory) for memory in page.memories], notes),
        memories=[known(memory) for memory in page.memories],
        next_cursor=page.next_cursor,
        skipped=page.skipped,
    )


def page_notes(next_cursor: str | None, skipped: int) -> tuple[str, str]:
    """Return what a reader has to know of a page."""
    more = "" if next_cursor is None else f"There are more: call again with cursor={next_cursor}"
    return more, f"{skipped} stored ones could not be read." if skipped else ""


def memory_added(got: Remembered) -> answers.MemoryAdded:
    """Return the answer of add_memory."""
    if got.memory is None:
        text = "It was remembered, and somebody forgot it meanwhile."
        return answers.MemoryAdded(text=text, created=got.created)
    verb = "Remembered" if got.created else "Known already, now from one more source"
    text = f"{verb}: {got.memory.kind} {got.memory.id}"
    return answers.MemoryAdded(text=text, created=got.created, memory=known(got.memory))


def memory_corrected(got: MemoryChanged) -> answers.MemoryCorrected:
    """Return the answer of correct_memory."""
    text = f"Corrected: {got.memory.kind} {got.memory.id}"
    if got.superseded is not None:
        text += f" holds now, in place of {got.superseded}"
    return answers.MemoryCorrected(text=text, memory=known(got.memory), superseded=got.superseded)


def memory_pinned(got: MemoryChanged) -> answers.MemoryPinned:
    """Return the answer of pin_memory."""
    verb = "Pinned" if got.memory.pinned else "No longer pinned"
    text = f"{verb}: {got.memory.kind} {got.memory.id}"
    return answers.MemoryPinned(text=text, memory=known(got.memory))


def memory_forgotten(got: Receipt) -> answers.MemoryForgotten:
    """Return the answer of forget_memory."""
    lines = [f"Forgotten: {counted(got.deleted.get('memories', 0), 'memory', 'memories')}."]
    if not got.complete:
        lines.append("Something of it is left: call again.")
    if got.noncurrent_versions is not None:
        gone = got.noncurrent_versions.gone
        lines.append(f"Backup versions of the bucket are gone by {gone}.")
    return answers.MemoryForgotten(
        text="\n".join(lines), deleted=dict(got.deleted), complete=got.complete
    )


def memory_text(got: MemoryWithHistory) -> str:
    """Return a memory with what held before, as the text of a resource."""
    before = [
        item(
            f"before {one.id}{_times(one.valid_from, one.valid_to)}",
            "[forgotten]" if one.forgotten else _said(one.statement, one.spec),
        )
        for one in got.history
        # The history ends with what holds now.
        if one.valid_to is not None or one.id != got.memory.id
    ]
    return framed([memory_item(got.memory), *before])


def memory_item(memory: Memory) -> str:
    """Return a memory as an item of a frame."""
    marks: Mapping[str, bool] = {"pinned": memory.pinned, "hard": memory.hard}
    shown = "".join(f" {name}" for name, is_so in marks.items() if is_so)
    about = f" about={one_line(memory.subject)}" if memory.subject else ""
    head = (
        f"{memory.kind} {memory.id}{shown} importance={memory.importance} sources={memory.count}"
        f"{_times(memory.valid_from, memory.valid_to)}{about}"
    )
    return item(head, _said(memory.statement, memory.spec))


def known(memory: Memory) -> answers.KnownMemory:
    """Return a memory by its id."""
    return answers.KnownMemory(
        rid=memory.id,
        uri=memory.uri,
        kind=memory.kind,
        pinned=memory.pinned,
        importance=memory.importance,
        count=memory.count,
    )


def _rid_of(uri: str) -> str | None:
    return uri.rpartition("/")[2] if uri.startswith(MEMORY_URI) else None


def _times(since: str | None, until: str | None) -> str:
    named = {"since": since, "until": until}
    return "".join(f" {name}={shown_time(time)}" for name, time in named.items() if time)


def _said(statement: str | None, spec: PatternSpec | None) -> str:
    """Return what a memory says: its statement, or the parts of its pattern a line each."""
    if spec is None:
        return one_line(statement or "")
    first = " | ".join(filter(None, (spec.name, spec.trigger and f"when {spec.trigger}")))
    parts = [(name, getattr(spec, name)) for name in _PARTS]
    lines = [
        f"{name}: {'; '.join(f'{n}. {line}' for n, line in enumerate(texts, 1))}"
        for name, texts in parts
        if texts
    ]
    return "\n".join(map(one_line, filter(None, (first, *lines))))


def turns_recalled(got: Recalled) -> answers.TurnsRecalled:
    """Return the answer of recall_conversation."""
    hits = got.hits
    notes = (
        f"{counted(len(hits), 'turn', 'turns')}, best first." if hits else "Nothing found.",
        *search_notes(got),
    )
    return answers.TurnsRecalled(
        text=answer_text([line for hit in hits for line in _hit_items(hit)], notes),
        hits=[hit_found(hit) for hit in hits],
        filtered=got.filtered,
        degraded=got.degraded,
        reason=got.reason,
    )


def hit_found(hit: Hit) -> answers.FoundTurn:
    """Return a hit by its ids."""
    return answers.FoundTurn(
        conversation_id=hit.conversation_id, index=hit.index, ts=hit.ts, score=hit.score
    )


def recent_said(page: RecentPage) -> answers.RecentSaid:
    """Return the answer of recent_turns, turn by turn."""
    items = [
        _turn_item(turn, turn.conversation_id, title=turn.title, limit_chars=MAX_TURN_CHARS)
        for turn in page.turns
    ]
    notes = (
        f"{counted(len(items), 'turn', 'turns')}, newest first." if items else "Nothing was said.",
        *page_notes(page.next_cursor, page.skipped),
    )
    return answers.RecentSaid(
        text=answer_text(items, notes),
        turns=[
            answers.FoundTurn(conversation_id=one.conversation_id, index=one.index, ts=one.ts)
            for one in page.turns
        ],
        next_cursor=page.next_cursor,
        skipped=page.skipped,
    )


def recent_pairs_said(page: PairPage) -> answers.RecentSaid:
    """Return the answer of recent_turns, question by question with what was answered."""
    items = [
        _turn_item(turn, pair.conversation_id, title=pair.title, limit_chars=MAX_TURN_CHARS)
        for pair in page.pairs
        for turn in (pair.question, *pair.answers)
    ]
    pairs = counted(len(page.pairs), "question with its answers", "questions with their answers")
    notes = (
        f"{pairs}, the newest question first." if items else "Nothing was said.",
        *page_notes(page.next_cursor, page.skipped),
    )
    return answers.RecentSaid(
        text=answer_text(items, notes),
        pairs=[_pair_found(pair) for pair in page.pairs],
        next_cursor=page.next_cursor,
        skipped=page.skipped,
    )


def conversations_listed(page: ConversationPage) -> answers.ConversationsListed:
    """Return the answer of list_conversations."""
    known = [
        answers.KnownConversation(
            conversation_id=one.conversation_id,
            turn_count=one.turn_count,
            updated=one.updated,
            archived=one.archived,
        )
        for one in page.conversations
    ]
    notes = (
        f"{counted(len(known), 'conversation', 'conversations')} on this page, newest first.",
        *page_notes(page.next_cursor, page.skipped),
    )
    return answers.ConversationsListed(
        text=answer_text([_conversation_item(one) for one in page.conversations], notes),
        conversations=known,
        next_cursor=page.next_cursor,
        skipped=page.skipped,
    )


def context_built(got: Context) -> answers.ContextBuilt:
    """Return the answer of get_context; the server has framed its text."""
    notes = (
        "" if got.text else "Nothing is known yet.",
        f"Searched less well than usual: {got.reason}." if got.degraded and got.reason else "",
        pending_note(got.pending_turns),
    )
    return answers.ContextBuilt(
        text="\n".join(part for part in (got.text, *notes) if part),
        tokens=got.tokens,
        memories=snippets_found(got.parts.memories),
        recalled=[hit_found(hit) for hit in got.parts.recalled],
        pending_turns=got.pending_turns,
        degraded=got.degraded,
        reason=got.reason,
    )


def _hit_items(hit: Hit) -> list[str]:
    """Return a hit among its neighbours, in the order in which all of it was said."""
    turns = sorted((hit, *hit.neighbours), key=lambda turn: turn.index)
    return [
        _turn_item(turn, hit.conversation_id, score=hit.score if turn is hit else None)
        for turn in turns
    ]


def _turn_item(
    turn: Turn,
    conversation_id: str,
    *,
    title: str | None = None,
    score: float | None = None,
    limit_chars: int | None = None,
) -> str:
    speaker = one_line(turn.name or turn.role)
    parts = [_id_shown(conversation_id), f"#{turn.index}", shown_time(turn.ts), speaker]
    if score is not None:
        parts.append(f"score={score:.2f}")
    if title:
        parts.append(f"({one_line(title)})")
    head = " ".join(filter(None, parts))
    text = "[redacted]" if turn.redacted and not turn.text else turn.text
    return item(head, text, limit_chars=limit_chars)


def _pair_found(pair: Pair) -> answers.FoundPair:
    return answers.FoundPair(
        conversation_id=pair.conversation_id,
        question=pair.question.index,
        answers=[turn.index for turn in pair.answers],
        more_answers=pair.more_answers,
    )


def _conversation_item(one: Summary) -> str:
    folder = f" folder={one_line(one.folder)}" if one.folder else ""
    archived = " archived" if one.archived else ""
    turns = counted(one.turn_count, "turn", "turns")
    head = f"{_id_shown(one.conversation_id)} {shown_time(one.updated)} {turns}{folder}{archived}"
    return item(head, f"{one_line(one.title)} | {one_line(one.preview)}")


def _id_shown(conversation_id: str) -> str:
    """Return an id in quotes, for it may hold any character; the answer has it letter by letter."""
    return one_line(json.dumps(conversation_id, ensure_ascii=False))
