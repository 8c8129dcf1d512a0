"""The items of a page of recent turns: a turn, or a question with its answers.

The newest `ts` comes first. Items of one time are ordered by conversation id, and then the later
turn comes first. A turn without a readable time, or with one before 1970, counts as said at the
beginning of 1970. It comes last, wherever its conversation is, and keeps its position when others
are added.

A pair is a turn of the role `user` with the `assistant` turns up to the next such turn. It is in a
window if its question is; all of its answers are included. Every user turn has a pair of its own,
even without an answer. Turns of other roles are in no pair and end none. The same is true of a user
turn that only returns the result of a tool, as some APIs require. An answer without text, such as a
bare tool call, is left out.

`NewestShelf` keeps as many items as a response takes. One more shows that further ones exist.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from everturn.conversations.model.encoded_turns import file_time
from everturn.conversations.model.head import readable
from everturn.conversations.model.turn import Turn, holds_tool_results_alone
from everturn.values.cursors import RecentCursor
from everturn.values.go_json import JsonValue, dumps
from everturn.values.timestamps import EVER, TimeWindow
from everturn.values.visible_text import is_blank

Place = tuple[int, str, int]
"""Where an item stands, smallest first: its time negated, its conversation, its number negated."""

# What surrounds a turn in an answer: index, names, commas; and what surrounds an item.
_TURN_FRAME_BYTES = 40
_ITEM_FRAME_BYTES = 100


@dataclass(frozen=True, slots=True)
class RecentItem:
    """A turn of a conversation; with its answers where pairs are wanted."""

    conversation_id: str
    title: str
    turn: Turn
    answers: tuple[Turn, ...] = ()
    is_open: bool = False
    """Whether answers may follow where nobody has looked yet."""
    is_cut: bool = False
    """Whether answers were left out, because an answer has a limit."""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return -moment_of(self.turn), self.conversation_id, -self.turn.index

    @property
    def cursor(self) -> RecentCursor:
        """The cursor of a page that ends with it."""
        return RecentCursor(moment_of(self.turn), self.conversation_id, self.turn.index)

    @property
    def size(self) -> int:
        """About how many bytes it takes in an answer."""
        names = len(dumps([self.conversation_id, self.title]).encode()) + _ITEM_FRAME_BYTES
        return names + sum(turn_size(turn) for turn in (self.turn, *self.answers))

    def cut_to(self, max_bytes: int) -> "RecentItem":
        """Return it with as many answers as fit; the question always stays."""
        left = max_bytes - replace(self, answers=()).size
        for count, turn in enumerate(self.answers):
            left -= turn_size(turn)
            if left < 0:
                return replace(self, answers=self.answers[:count], is_open=False, is_cut=True)
        return self


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items a call looks for."""

    window: TimeWindow = EVER
    roles: frozenset[str] = field(default_factory=frozenset)
    """Of turns; all if empty."""
    pairs: bool = False
    after: RecentCursor | None = None
    """Only what comes behind this one."""

    @property
    def since_ns(self) -> int:
        """The oldest time that is wanted; nothing counts as older than 1970."""
        return max(self.window.since_ns or 0, 0)

    @property
    def end_ns(self) -> int | None:
        """The newest time that is wanted, None without a bound; one more may be asked for."""
        ends = [] if self.window.until_ns is None else [self.window.until_ns - 1]
        return min([*ends, *([] if self.after is None else [self.after.ts_ns])], default=None)

    def find(
        self,
        values: Sequence[JsonValue],
        *,
        first: int,
        is_end: bool,
        conversation_id: str,
        title: str,
    ) -> Iterator[RecentItem]:
        """Yield the wanted items of some turns of a conversation, oldest first.

        Args:
            values: stored turns that follow one another.
            first: the number of the first.
            is_end: whether the conversation ends with them.
            conversation_id: of the conversation.
            title: of the conversation.
        """
        turns = readable(first, values)
        items = (
            _pairs(turns, is_end=is_end) if self.pairs else ((turn, (), False) for turn in turns)
        )
        for turn, answers, is_open in items:
            item = RecentItem(conversation_id, title, turn, answers, is_open)
            if self._match(item):
                yield item

    def _match(self, item: RecentItem) -> bool:
        if self.roles and item.turn.role not in self.roles:
            return False
        after = self.after
        return self.window.holds(moment_of(item.turn)) and (
            after is None or item.place > (-after.ts_ns, after.conversation_id, -after.index)
        )


def moment_of(turn: Turn) -> int:
    """Return when a turn counts as said, in Unix nanoseconds, never below 0."""
    return max(file_time(turn.ts) or 0, 0)


def is_question(turn: Turn) -> bool:
    """Say whether a turn begins a pair."""
    return turn.role == "user" and not holds_tool_results_alone(turn.value.get("content"))


def is_answer(turn: Turn) -> bool:
    """Say whether a turn belongs to the question before it."""
    return turn.role == "assistant" and not is_blank(turn.text)


def turn_size(turn: Turn) -> int:
    """Return about how many bytes a turn takes in an answer."""
    return len(dumps(turn.value).encode()) + _TURN_FRAME_BYTES


def _pairs(turns: Iterator[Turn], *, is_end: bool) -> Iterator[tuple[Turn, tuple[Turn, ...], bool]]:
    question: Turn | None = None
    answers: list[Turn] = []
    for turn in turns:
        if is_question(turn):
            if question is not None:
                yield question, tuple(answers), False
            question, answers = turn, []
        elif is_answer(turn):
            answers.append(turn)
    if question is not None:
        yield question, tuple(answers), not is_end


class NewestShelf:
    """Keeps the first items by place, up to a number and a size; an item stands there once."""

    def __init__(self, limit: int, *, max_bytes: int) -> None:
        """Start empty.

        Args:
            limit: how many items an answer takes.
            max_bytes: how large they may be together; one may always be larger.
        """
        self._limit = limit
        self._max_bytes = max_bytes
        self._items: dict[Place, RecentItem] = {}
        self._sizes: dict[Place, int] = {}
        self._worst: Place | None = None

    def add(self, items: Iterable[RecentItem]) -> None:
        """Take items in; what does not fit any more is dropped."""
        for item in items:
            if self.takes(item.place):
                self._items[item.place] = item
        self._trim()

    @property
    def is_full(self) -> bool:
        """Whether there is more than an answer takes."""
        return self._worst is not None

    def takes(self, place: Place) -> bool:
        """Say whether an item at a place would stay."""
        return self._worst is None or place <= self._worst

    def before(self, end: Place | None) -> list[RecentItem]:
        """Return the items in order that stand before a place; all for None."""
        return [self._items[at] for at in sorted(self._items) if end is None or at < end]

    def fitting(self, items: list[RecentItem]) -> list[RecentItem]:
        """Return the first of these items that an answer takes."""
        left = self._max_bytes
        for count, item in enumerate(items[: self._limit]):
            left -= item.size
            if left < 0 and count:
                return items[:count]
        return items[: self._limit]

    def _trim(self) -> None:
        left = self._max_bytes
        kept: dict[Place, RecentItem] = {}
        for place in sorted(self._items):
            kept[place] = self._items[place]
            left -= self._size(place)
            if len(kept) > self._limit or (left < 0 and len(kept) > 1):
                self._worst = place
                break
        self._items = kept

    def _size(self, place: Place) -> int:
        if place not in self._sizes:
            self._sizes[place] = self._items[place].size
        return self._sizes[place]
