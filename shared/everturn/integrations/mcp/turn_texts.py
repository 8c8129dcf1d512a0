"""Makes the tools' answers about turns and conversations of what the client got."""

import json

from everturn.integrations.mcp import answers
from everturn.integrations.mcp.frame import (
    MAX_TURN_CHARS,
    answer_text,
    counted,
    item,
    one_line,
    shown_time,
)
from everturn.integrations.mcp.texts import (
    page_notes,
    pending_note,
    search_notes,
    snippets_found,
)
from everturn.wire.conversations import ConversationPage, Pair, PairPage, RecentPage, Summary, Turn
from everturn.wire.search import Context, Hit, Recalled


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
