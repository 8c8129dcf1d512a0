"""How far a sweep is, and which heads it has to open: few, since a listing tells their age.

A pass looks at the instant at which it began, never ahead of the store. A head is due when, between
the last complete pass and this one, it reached one of these ages since its last write:

    15 minutes  a deletion left half done; only small heads are opened, since a tombstone is small
    a day       the same for tombstones that are not, empty conversations, segments left behind
    90 days     tombstones of deletions that are done; small
    idle_days   conversations that nobody uses, where the setting is not 0

So each head is opened a few times in its life and none is missed: who writes to it makes it young
again. What failed is remembered by its key and looked at again in the next pass, whatever its age:
one head that is refused for ever costs one request a pass. Where that is too many keys, the pass
does not count as complete, and all of it stays due.

Conversations that were found behind their consolidation are remembered too, until one pass finds
that they are not. Where they are too many, whatever came a day further is looked at for a day, and
so on until all that were found in one day are remembered.
"""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal, get_args

from everturn.values.go_json import JsonObject, dumps

MINUTE_NS: Final = 60 * 1_000_000_000
UNFINISHED_NS: Final = 15 * MINUTE_NS
HOUR_NS: Final = 60 * MINUTE_NS
DAY_NS: Final = 24 * HOUR_NS
TOMBSTONE_NS: Final = 90 * DAY_NS
# An empty head holds at most title, folder and metadata (30 KB); a tombstone an id (6 KB as JSON),
# and, not done, 55 bytes for each segment.
SMALL_BYTES: Final = 65_536
# More that fail are an outage, not some broken heads; and the state stays an object of 100 KB.
MAX_REMEMBERED: Final = 100

Stage = Literal["heads", "segments", "tails", "staged", "markers", "done"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""One after the other; each walks a listing of its own."""


@dataclass(frozen=True, slots=True)
class SweepPass:
    """The last complete pass, and the one under way; times in Unix nanoseconds of the store.

    `after` is the last key of its stage that is done. `again` are the keys that failed before and
    are due whatever their age, `failing` those that failed in this pass; once it is done, `again`
    are those for the next. `behind` are conversations that were found behind, by the keys of their
    watermarks; `crowded_ns` is when the last pass began that found too many.
    """

    finished_ns: int = 0
    finished_idle_days: int = 0
    started_ns: int = 0
    idle_days: int = 0
    stage: Stage = "done"
    after: str = ""
    again: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    crowded_ns: int = 0

    @property
    def failed(self) -> bool:
        """Whether too much failed in this pass to be remembered: then it does not count."""
        return len(self.failing) > MAX_REMEMBERED

    @property
    def is_crowded(self) -> bool:
        """Whether some that are behind may not be remembered.

        Each came a day further since, and was looked at then, once the complete passes are a whole
        day further.
        """
        return self.finished_ns < self.crowded_ns + DAY_NS

    def begun(self, now_ns: int, idle_days: int) -> "SweepPass":
        """Return the pass that begins now."""
        return replace(
            self, started_ns=now_ns, idle_days=idle_days, stage=STAGES[0], after="", failing=()
        )

    def at(self, after: str) -> "SweepPass":
        """Return this pass when all keys of its stage up to this one are done."""
        return replace(self, after=max(after, self.after))

    def with_failing(self, keys: Collection[str]) -> "SweepPass":
        """Return this pass when these keys failed too."""
        failing = dict.fromkeys(self.failing)
        for key in keys:
            # Those that failed before have a place: nothing but `again` makes them due.
            if key in self.again or len(failing) <= MAX_REMEMBERED:
                failing[key] = None
        return replace(self, failing=tuple(failing))

    def with_behind(self, found: Collection[str], settled: Collection[str]) -> "SweepPass":
        """Return this pass when these were found behind, and those behind no more."""
        behind = dict.fromkeys(key for key in self.behind if key not in settled)
        behind.update(dict.fromkeys(found))
        has_room = len(behind) <= MAX_REMEMBERED
        return replace(
            self,
            behind=tuple(behind)[:MAX_REMEMBERED],
            crowded_ns=self.crowded_ns if has_room else self.started_ns,
        )

    def next_stage(self) -> "SweepPass":
        """Return this pass when its stage is done."""
        ended = replace(self, stage=STAGES[STAGES.index(self.stage) + 1], after="")
        if ended.stage != "done":
            return ended
        if self.failed:
            return replace(ended, again=tuple(key for key in self.failing if key in self.again))
        return replace(
            ended,
            finished_ns=self.started_ns,
            finished_idle_days=self.idle_days,
            again=self.failing,
        )

    def is_due(self, modified_ns: int, size: int) -> bool:
        """Say whether a head is to be opened, by its last write and its size in bytes."""
        ages = [DAY_NS, *([UNFINISHED_NS, TOMBSTONE_NS] if size <= SMALL_BYTES else [])]
        return any(self.reached(modified_ns, age) for age in ages) or self._is_idle(modified_ns)

    def reached(self, modified_ns: int, age_ns: int) -> bool:
        """Say whether something reached an age since the last complete pass."""
        return self.finished_ns < modified_ns + age_ns <= self.started_ns

    def came_round(self, modified_ns: int) -> bool:
        """Say whether one more day of its age was full since the last complete pass."""
        days, before = (
            (now_ns - modified_ns) // DAY_NS for now_ns in (self.started_ns, self.finished_ns)
        )
        return days > before

    def _is_idle(self, modified_ns: int) -> bool:
        if not self.idle_days:
            return False
        # With another setting than last time, no age was looked for yet.
        same = self.finished_idle_days == self.idle_days
        since_ns = self.finished_ns if same else 0
        return since_ns < modified_ns + self.idle_days * DAY_NS <= self.started_ns

    def encode(self) -> bytes:
        """Return what is stored."""
        values: JsonObject = asdict(self)
        return dumps(values).encode()


def parse_sweep_pass(body: bytes) -> SweepPass:
    """Read what was stored; what is no such thing is as good as nothing: then all is due."""
    try:
        values = json.loads(body)
        lists = {name: _keys(values[name]) for name in ("again", "failing", "behind")}
        stored = SweepPass(**{**values, **lists})
    except (ValueError, TypeError, KeyError, RecursionError):
        return SweepPass()
    kinds = {name: type(value) for name, value in asdict(SweepPass()).items()}
    fits = all(type(getattr(stored, name)) is kind for name, kind in kinds.items())
    known = fits and stored.stage in STAGES
    return stored if known and (stored.stage == "done" or stored.started_ns > 0) else SweepPass()


def _keys(stored: object) -> tuple[str, ...]:
    if not isinstance(stored, list) or not all(isinstance(key, str) for key in stored):
        raise TypeError("no list of keys")
    return tuple(stored)
