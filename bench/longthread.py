"""What a thread without end costs: append, resume and a page of turns at 1e2 to 1e5 turns.

The store is in memory and counts requests and bytes. Each number is a mean over whole cycles, from
one sealing to a later one, so that sealing is paid for in it. The baseline is the same conversation
in one file.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from measuring import Row, cpu_ms, options, report
from metered_store import MeteredStore, Tally

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model import sealing
from everturn.conversations.model.head import Head, parse_record
from everturn.conversations.model.turn import TurnDraft
from everturn.conversations.read_conversation import TurnPage, read_turns
from everturn.ports.object_store import StoredObject
from everturn.values.keys import Scope, head_key

SCOPE, ID = Scope("bench", "bench"), "thread"
LAST, PAGE = 16, 50
# One batch while growing; it has to be small beside what a head holds.
BATCH = 50
CYCLES = 2
# Turns of some 100 bytes fill a head in 2,000 appends; without sealing there is no cycle to end.
MOST_SEALED, MOST_ONE_FILE = 2_000, 40
# Reads are sampled all along a cycle: their cost depends on how full the head is.
READ_EVERY = 10
BASE_TURNS = 1_000


@dataclass(slots=True)
class Cost:
    """What some calls of one operation took in all."""

    calls: int = 0
    cpu_ms: float = 0.0
    tally: Tally = field(default_factory=Tally)

    def add(self, other: "Cost") -> None:
        """Add other calls of the same operation."""
        self.calls += other.calls
        self.cpu_ms += other.cpu_ms
        self.tally.add(other.tally)

    @property
    def bytes(self) -> float:
        """Bytes of one call, both ways."""
        return (self.tally.sent + self.tally.received) / self.calls

    def row(self) -> Row:
        """Return the means."""
        requests = self.tally.requests
        gets, puts = requests["get"], requests["put"]
        return {
            "calls": self.calls, "requests": requests.total() / self.calls,
            "gets": gets / self.calls, "puts": puts / self.calls,
            "others": (requests.total() - gets - puts) / self.calls,
            "sent B": round(self.tally.sent / self.calls),
            "received B": round(self.tally.received / self.calls),
            "cpu ms": self.cpu_ms / self.calls,
        }  # fmt: skip


class Thread:
    """One conversation that grows, and the operations on it; each checks what it got."""

    def __init__(self, turn_bytes: int) -> None:
        self.store = MeteredStore(MemoryStore(SystemClock()))
        self.heads = HeadCache()
        self.turns = 0
        self._filling = "x" * turn_bytes
        self._turn_bytes = turn_bytes

    def text(self, number: int) -> str:
        """Return the text of a turn, of the same length for all."""
        return f"{number:08d} {self._filling}"[: self._turn_bytes]

    def append(self, turns: int = 1) -> None:
        """Append turns."""
        drafts = [TurnDraft("user", self.text(self.turns + place)) for place in range(turns)]
        done = append_turns(
            store=self.store, heads=self.heads, clock=SystemClock(), entropy=SystemEntropy(),
            scope=SCOPE, conversation_id=ID, turns=drafts,
        )  # fmt: skip
        assert done.first_turn == self.turns
        self.turns += turns

    def append_cold(self) -> None:
        """Append in a process that has not seen the conversation."""
        self.heads = HeadCache()
        self.append()

    def resume(self) -> None:
        """Read the newest turns."""
        self._check(self._read(last=LAST), self.turns - LAST, LAST)

    def page(self) -> None:
        """Read a page in the middle."""
        self._check(self._read(first=self.turns // 2, limit=PAGE), self.turns // 2, PAGE)

    def head(self) -> tuple[Head, int]:
        """Return the head and its size in bytes."""
        found = self.store.get(head_key(SCOPE, ID))
        assert isinstance(found, StoredObject)
        return parse_record(found.body, name=ID).head, len(found.body)

    def _read(
        self, *, last: int | None = None, first: int | None = None, limit: int | None = None
    ) -> TurnPage:
        return read_turns(
            store=self.store, scope=SCOPE, conversation_id=ID, last=last, first=first, limit=limit
        )

    def _check(self, page: TurnPage, first: int, count: int) -> None:
        assert [turn.index for turn in page.turns] == list(range(first, first + count))
        assert all(turn.value["text"] == self.text(turn.index) for turn in page.turns)


def grow(thread: Thread, turns: int) -> None:
    """Append until there are so many."""
    while thread.turns < turns:
        thread.append(min(BATCH, turns - thread.turns))


def costs_of(thread: Thread, at_most: int) -> dict[str, Cost]:
    """Append over whole cycles, from just after a sealing on; read now and then."""
    cycle(thread, thread.append, 1, at_most)
    reads = {"resume": (Cost(), thread.resume), "page in the middle": (Cost(), thread.page)}

    def read() -> None:
        for cost, action in reads.values():
            cost.add(measured(thread, action))

    warm = cycle(thread, thread.append, CYCLES, at_most, now_and_then=read)
    cold = cycle(thread, thread.append_cold, 1, at_most)
    costs = {operation: cost for operation, (cost, _) in reads.items()}
    return {"append": warm, "append, cold": cold, **costs}


def cycle(
    thread: Thread,
    append: Callable[[], None],
    times: int,
    at_most: int,
    *,
    now_and_then: Callable[[], None] = lambda: None,
) -> Cost:
    """Append until the head was sealed so many times, or `at_most` appends."""
    cost, seals = Cost(), 0
    while seals < times and cost.calls < at_most:
        one = measured(thread, append)
        seals += one.tally.requests["put"] > 1
        cost.add(one)
        if cost.calls % READ_EVERY == 0:
            now_and_then()
    return cost


def measured(thread: Thread, action: Callable[[], None]) -> Cost:
    """Do it once."""
    with thread.store.fresh_tally() as tally:
        return Cost(1, cpu_ms(action), tally)


def rows_of(shape: str, lengths: tuple[int, ...], turn_bytes: int, at_most: int) -> list[Row]:
    """Measure one shape at growing lengths, each by `at_most` appends in a row."""
    thread, bases = Thread(turn_bytes), dict[str, Cost]()
    rows: list[Row] = []
    for turns in lengths:
        grow(thread, turns)
        costs = costs_of(thread, min(at_most, turns // 4 if turns < BASE_TURNS else turns))
        head, head_bytes = thread.head()
        for operation, cost in costs.items():
            base = bases.setdefault(operation, cost) if turns >= BASE_TURNS else cost
            rows.append({
                "shape": shape, "turns": turns, "operation": operation, **cost.row(),
                "bytes of 1e3": cost.bytes / base.bytes,
                "head B": head_bytes, "segments": len(head.sealed.segments) if head.sealed else 0,
            })  # fmt: skip
    return rows


@contextmanager
def one_file() -> Iterator[None]:
    """Seal nothing within the block."""
    before = sealing.LIMITS
    sealing.LIMITS = replace(before, above_bytes=2**60)
    try:
        yield
    finally:
        sealing.LIMITS = before


def main() -> None:
    """Run it."""
    asked = options(__doc__ or "", turn_bytes=500)
    lengths = (100, 1_000, 2_000) if asked.quick else (100, 1_000, 10_000, 100_000)
    rows = rows_of("sealed", lengths, asked.turn_bytes, MOST_SEALED)
    with one_file():
        rows += rows_of("one file", lengths[:3], asked.turn_bytes, MOST_ONE_FILE)
    report(f"a thread of turns of {asked.turn_bytes} bytes", rows, asked.json)


if __name__ == "__main__":
    main()
