"""Writers that meet on one conversation: requests and time per append, with a fixed latency.

Each writer is a thread with a cache of its own, as a process would be; the store is in memory and
makes every request take its time. The baselines, in the same run: one writer, and read-modify-write
without a condition, which loses what others wrote meanwhile.
"""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil

from measuring import Row, options, report
from metered_store import Latency, MeteredStore

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.head import Head, parse_record
from everturn.conversations.model.turn import TurnDraft, encode_turns
from everturn.conversations.read_conversation import read_turns
from everturn.errors import UnavailableError
from everturn.ports.object_store import StoredObject
from everturn.values.keys import Scope, head_key

SCOPE, ID = Scope("bench", "bench"), "shared"
CLOCK = SystemClock()

Append = Callable[[MeteredStore, HeadCache, str], None]


@dataclass(frozen=True, slots=True)
class Writing:
    """What became of one append."""

    text: str
    acknowledged: bool
    ms: float


def conditional(store: MeteredStore, heads: HeadCache, text: str) -> None:
    """Append as the product does."""
    append_turns(
        store=store, heads=heads, clock=CLOCK, entropy=SystemEntropy(),
        scope=SCOPE, conversation_id=ID, turns=[TurnDraft("user", text)],
    )  # fmt: skip


def naive(store: MeteredStore, heads: HeadCache, text: str) -> None:
    """Read, add, write back, whoever wrote meanwhile."""
    del heads
    found = store.get(head_key(SCOPE, ID))
    head = parse_record(found.body, name=ID).head if isinstance(found, StoredObject) else Head(ID)
    turns = encode_turns([TurnDraft("user", text)], now_ns=CLOCK.now_ns())
    head = head.with_turns(turns.encoded, updated_ns=head.updated_ns + 1)
    store.overwrite(head_key(SCOPE, ID), head.encode())


@dataclass(frozen=True, slots=True)
class Pace:
    """How many appends each writer makes, and how long it pauses after each."""

    appends: int
    pause_s: float


def write_all(store: MeteredStore, append: Append, writer: int, pace: Pace) -> list[Writing]:
    """Append one after the other, as one process; what fails is not tried again."""
    heads, written = HeadCache(), []
    for number in range(pace.appends):
        text, began_s = f"{writer}.{number}", time.perf_counter()
        try:
            append(store, heads, text)
        except UnavailableError:
            acknowledged = False
        else:
            acknowledged = True
        written.append(Writing(text, acknowledged, (time.perf_counter() - began_s) * 1e3))
        time.sleep(pace.pause_s)
    return written


def stored_texts(store: MemoryStore) -> Counter[str]:
    """Read every turn, and how often it is there."""
    texts: Counter[str] = Counter()
    start: int | None = 0
    while start is not None:
        page = read_turns(store=store, scope=SCOPE, conversation_id=ID, first=start, limit=1_000)
        texts.update(str(turn.value["text"]) for turn in page.turns)
        start = page.next_turn
    return texts


def row_of(kind: str, append: Append, writers: int, pace: Pace, latency: Latency) -> Row:
    """Let so many writers append at once, and count what is there afterwards."""
    memory = MemoryStore(CLOCK)
    store, began_s = MeteredStore(memory, latency), time.perf_counter()
    with ThreadPoolExecutor(writers) as pool:
        runs = pool.map(lambda w: write_all(store, append, w, pace), range(writers))
        written = [writing for run in runs for writing in run]
    seconds = time.perf_counter() - began_s
    texts, acknowledged = stored_texts(memory), [w for w in written if w.acknowledged]
    times_ms = sorted(writing.ms for writing in written)
    row: Row = {
        "kind": kind, "writers": writers, "appends": len(written),
        "requests per append": store.tally.requests.total() / len(written),
        "p50 ms": quantile(times_ms, 0.5), "p99 ms": quantile(times_ms, 0.99),
        "seconds": seconds, "appends per s": len(acknowledged) / seconds,
        "errors": len(written) - len(acknowledged),
        "lost": sum(texts[w.text] == 0 for w in acknowledged),
        "doubled": sum(count > 1 for count in texts.values()),
    }  # fmt: skip
    if append is conditional:
        assert (row["lost"], row["doubled"]) == (0, 0)
        assert writers > 1 or row["errors"] == 0
    return row


def quantile(ordered: list[float], share: float) -> float:
    """Return the smallest value that so large a share does not exceed."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def main() -> None:
    """Run it."""
    asked = options(__doc__ or "", get_ms=15, put_ms=30, appends=20, pause_ms=0)
    latency = Latency(asked.get_ms / 1e3, asked.put_ms / 1e3)
    crowds, appends = ((1, 4), 4) if asked.quick else ((1, 4, 16, 64), asked.appends)
    pace = Pace(appends, asked.pause_ms / 1e3)
    kinds: dict[str, Append] = {"append": conditional, "no condition": naive}
    rows = [
        row_of(kind, append, writers, pace, latency)
        for writers in crowds
        for kind, append in kinds.items()
    ]
    title = (
        f"{appends} appends a writer, pause {asked.pause_ms} ms,"
        f" get {asked.get_ms} ms, put {asked.put_ms} ms"
    )
    report(title, rows, asked.json)


if __name__ == "__main__":
    main()
