"""Recent turns as a test asks for them, and the same found by reading everything."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random  # noqa: TID251 - a repeatable test draws from its own seed

from everturn.conversations.model.turn import Turn, TurnDraft
from everturn.listing.model.recent_items import RecentItem
from everturn.listing.recent_turns import RecentPage, recent_turns
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.values.timestamps import EVER, TimeWindow, format_time, parse_time
from scenarios.world import World

START_NS = 1_767_225_600_000_000_000
Named = tuple[str, int]
"""A turn: its conversation and its number."""
Pair = tuple[Named, tuple[int, ...]]


@dataclass
class Recent:
    """Asks for the recent turns of a world."""

    world: World
    store: ObjectStore | None = None
    derived: ObjectStore | None = None
    clock: Clock | None = None
    between: Callable[[], object] = field(default=lambda: None)
    """Called between two pages of a walk."""

    def page(
        self,
        limit: int | None = None,
        *,
        cursor: str | None = None,
        window: TimeWindow = EVER,
        roles: Collection[str] = (),
        pairs: bool = False,
    ) -> RecentPage:
        return recent_turns(
            data=self.store or self.world.data,
            derived=self.derived or self.world.derived,
            clock=self.clock or self.world.clock,
            scope=self.world.scope,
            limit=limit,
            cursor=cursor,
            window=window,
            roles=roles,
            pairs=pairs,
        )

    def walk(
        self,
        limit: int,
        *,
        window: TimeWindow = EVER,
        roles: Collection[str] = (),
        pairs: bool = False,
    ) -> list[RecentItem]:
        """Read page after page; a page with a cursor is full, or time was up."""
        page = self.page(limit, window=window, roles=roles, pairs=pairs)
        items = list(page.items)
        while page.next_cursor is not None:
            self.between()
            page = self.page(
                limit, cursor=page.next_cursor, window=window, roles=roles, pairs=pairs
            )
            items += page.items
        return items


def named(items: Collection[RecentItem]) -> list[Named]:
    return [(item.conversation_id, item.turn.index) for item in items]


def paired(items: Collection[RecentItem]) -> list[Pair]:
    return [
        ((item.conversation_id, item.turn.index), tuple(turn.index for turn in item.answers))
        for item in items
    ]


def all_turns(world: World, ids: Collection[str]) -> Iterator[tuple[str, list[Turn]]]:
    """Yield every conversation with all of its turns."""
    for id_ in ids:
        yield id_, list(world.process().page(0, limit=1_000, conversation_id=id_).turns)


def time_of(turn: Turn) -> int:
    return max(parse_time(turn.ts or "") or 0, 0)


def expected(
    world: World,
    ids: Collection[str],
    *,
    window: TimeWindow = EVER,
    roles: Collection[str] = (),
) -> list[Named]:
    """All wanted turns in their order, by reading everything."""
    found = [
        (-time_of(turn), id_, -turn.index)
        for id_, turns in all_turns(world, ids)
        for turn in turns
        if window.holds(time_of(turn)) and (not roles or turn.role in roles)
    ]
    return [(id_, -index) for _, id_, index in sorted(found)]


def expected_pairs(world: World, ids: Collection[str], *, window: TimeWindow = EVER) -> list[Pair]:
    """All wanted pairs in their order; of turns with texts, and without results of tools."""
    found = []
    for id_, turns in all_turns(world, ids):
        starts = [at for at, turn in enumerate(turns) if turn.role == "user"]
        for start, end in pairwise([*starts, len(turns)]):
            question = turns[start]
            answers = [turn.index for turn in turns[start:end] if turn.role == "assistant"]
            if window.holds(time_of(question)):
                found.append((-time_of(question), id_, -question.index, tuple(answers)))
    return [((id_, -index), answers) for _, id_, index, answers in sorted(found)]


def draft(role: str, second: float, text: str = "x") -> TurnDraft:
    """A turn said so many seconds after the start of the world."""
    return TurnDraft(role, text, ts=format_time(START_NS + round(second * 1e9)))


def window(since: float | None, until: float | None) -> TimeWindow:
    """A window in seconds after the start of the world."""
    ends = [None if at is None else START_NS + round(at * 1e9) for at in (since, until)]
    return TimeWindow(*ends)


def dice(seed: int) -> Random:
    """Chances that are the same in every run."""
    return Random(seed)  # noqa: S311 - a repeatable test, no secret
