"""Read the answers to a question that stand beyond the turns at hand, in the next segment."""

from dataclasses import replace

from everturn.conversations.model.turn import Turn
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.read_segments import oldest_turns, read_whole
from everturn.errors import AccessDeniedError, CorruptRecordError, NotFoundError
from everturn.listing.model.recent_items import RecentItem, is_answer, is_question, turn_size
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope

# Most questions have one answer or two; a segment is opened only where so few do not come first.
_LIKELY_TURNS = 4


def finish_pair(
    item: RecentItem, *, store: ObjectStore, scope: Scope, max_bytes: int
) -> RecentItem:
    """Return a pair with its answers, not many more than `max_bytes` of them.

    Where the conversation is gone by now, or cannot be read, the pair stays as it is: cut.

    Raises:
        UnavailableError: the store does not answer.
    """

    def read(found: StoredRecord) -> RecentItem:
        turns = oldest_turns(
            found, store=store, scope=scope, first=item.turn.index, wanted=_LIKELY_TURNS
        )
        question = next(turns, None)
        # Under the same id another conversation may stand by now.
        if question is None or (question.index, question.ts) != (item.turn.index, item.turn.ts):
            return cut
        answers: list[Turn] = []
        left = max_bytes
        for turn in turns:
            if is_question(turn) or left < 0:
                break
            if is_answer(turn):
                answers.append(turn)
                left -= turn_size(turn)
        return replace(item, answers=tuple(answers), is_open=False)

    cut = replace(item, is_open=False, is_cut=True)
    try:
        return read_whole(read, store=store, scope=scope, conversation_id=item.conversation_id)
    except (NotFoundError, CorruptRecordError, AccessDeniedError):
        return cut
