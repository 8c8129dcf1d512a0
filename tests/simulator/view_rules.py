"""Whether pages and lists show what was there: at one instant of the call, each thing once."""

from collections.abc import Iterator, Sequence

from everturn.conversations.model.summary import Summary
from everturn.conversations.read_conversation import TurnPage
from everturn.listing.list_conversations import ConversationPage
from everturn.values.go_json import JsonObject
from simulator.calls import Call
from simulator.journal import Journal, Version

Row = tuple[str, str, str, int, int]


def row_of(version: Version) -> Row | None:
    """Return what a list shows of a version, made anew from its turns; None where it is not listed.

    Texts of a run are short: nothing is cut.
    """
    head = version.head
    if head is None or not version.is_live or not version.turns:
        return None
    # A list reads heads alone: a preview is made of what is not sealed.
    said = [str(turn["text"]) for turn in version.turns[head.first_turn :] if turn["text"]]
    asked = [str(turn["text"]) for turn in version.turns if turn["role"] == "user" and turn["text"]]
    title = head.title or next(iter(asked), "New chat")
    preview = said[-1] if said else ""
    return head.conversation_id, title, preview, len(version.turns), head.updated_ns


def judge_list(call: Call, journal: Journal) -> Iterator[str]:
    """Judge the rows of a list, one conversation after the other."""
    page = call.answer
    assert isinstance(page, ConversationPage)
    if page.skipped:
        yield "conversations skipped"
    if [row.updated_ns for row in page.rows] != sorted(
        (row.updated_ns for row in page.rows), reverse=True
    ):
        yield "not in order"
    for conversation_id in journal.versions:
        shown = [_shown(row) for row in page.rows if row.conversation_id == conversation_id]
        rows = [row_of(version) for version in journal.during(call, conversation_id)]
        if len(shown) > 1:
            yield f"{conversation_id} is there twice"
        if (shown[0] if shown else None) not in rows:
            yield f"{conversation_id} was at no instant like this, rows={rows}"


def judge_read(call: Call, journal: Journal) -> Iterator[str]:
    """Judge a page of turns."""
    page = call.answer
    assert isinstance(page, TurnPage)
    first = page.turns[0].index if page.turns else 0
    values = tuple(turn.value for turn in page.turns)
    if [turn.index for turn in page.turns] != list(range(first, first + len(values))):
        yield "turns are missing or doubled"
    versions = [version for version in journal.during(call) if version.is_live]
    if not any(_page_of(version, call) == values for version in versions):
        yield "turns that stood like this at no instant"
    elif values and first != call.index >= 0:
        yield "turns under other numbers"


def _page_of(version: Version, call: Call) -> tuple[JsonObject, ...]:
    """Return the turns that a call asked for."""
    start = call.index if call.index >= 0 else max(len(version.turns) - call.limit, 0)
    return version.turns[start : start + call.limit]


def judge_summary(summary: object, versions: Sequence[Version]) -> Iterator[str]:
    """Judge the summary of one conversation."""
    assert isinstance(summary, Summary)
    states = {(len(version.turns), version.updated_ns) for version in versions if version.is_live}
    if (summary.turn_count, summary.updated_ns) not in states:
        yield "a summary of what never was"


def _shown(row: Summary) -> Row:
    return row.conversation_id, row.title, row.preview, row.turn_count, row.updated_ns
