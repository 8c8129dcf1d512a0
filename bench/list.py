"""What a list costs: requests and time at 10, 1,000 and 5,000 conversations.

Not here: more than 5,000. The baseline is LIST and GET of every conversation with as many readers,
in the same run against the same emulated S3, which answers one request at a time: requests count.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from measuring import Row, Traffic, emulated_store, options, report

from everturn.adapters.s3_store import S3Store
from everturn.domain.head import Head, parse_record
from everturn.domain.keys import Scope, head_key, heads_prefix
from everturn.domain.summary import summarize
from everturn.ports.object_store import ABSENT, StoredObject
from everturn.services.list_conversations import list_conversations

TEXT = b"Where is my order 4711? It should have come on Friday."
TURN = b'{"role":"user","text":"' + TEXT + b'","ts":"2026-01-01T00:00:00Z"}'


def seed(store: S3Store, scope: Scope, count: int) -> None:
    """Store conversations of 20 turns."""

    def put(number: int) -> None:
        name = f"c-{number:06d}"
        head = Head(name).with_turns([TURN] * 20, updated_ns=number + 1)
        store.put(head_key(scope, name), head.encode(), expect=ABSENT)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(count)))


def read_all(store: S3Store, scope: Scope) -> int:
    """List by reading every conversation; how many there are."""
    page = store.list(heads_prefix(scope))
    keys = [entry.key for entry in page.entries]
    while page.more:
        page = store.list(heads_prefix(scope), start_after=keys[-1])
        keys += [entry.key for entry in page.entries]

    def read(key: str) -> object:
        stored = store.get(key)
        assert isinstance(stored, StoredObject)
        return summarize(parse_record(stored.body, name=key))

    with ThreadPoolExecutor(16) as pool:
        return len(list(pool.map(read, keys)))


def measured(kind: str, count: int, traffic: Traffic, action: Callable[[], object]) -> Row:
    """Run once and count."""
    traffic.requests = traffic.sent = traffic.received = 0
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    action()
    return {
        "kind": kind, "conversations": count, "requests": traffic.requests,
        "received B": traffic.received, "ms": (time.perf_counter() - wall_s) * 1e3,
        "cpu ms": (time.process_time() - cpu_s) * 1e3,
    }  # fmt: skip


def rows_of(store: S3Store, traffic: Traffic, count: int) -> list[Row]:
    """Measure one number of conversations."""
    scope = Scope("bench", f"actor-{count}")
    seed(store, scope, count)

    def page() -> None:
        shown = list_conversations(data=store, derived=store, scope=scope, limit=50)
        assert len(shown.rows) == min(50, count)

    def change() -> None:
        key = head_key(scope, "c-000000")
        found = store.get(key)
        assert isinstance(found, StoredObject)
        head = parse_record(found.body, name=key).head.with_turns([TURN], updated_ns=10**18)
        store.put(key, head.encode(), expect=found.etag)

    rows = [
        measured("LIST + GET of all", count, traffic, lambda: read_all(store, scope)),
        measured("first list, no cache", count, traffic, page),
        measured("list, nothing changed", count, traffic, page),
    ]
    change()
    return [*rows, measured("list, one changed", count, traffic, page)]


def main() -> None:
    """Run it."""
    asked = options(__doc__ or "")
    counts = (10, 200) if asked.quick else (10, 1_000, 5_000)
    with emulated_store() as (store, _, traffic):
        rows = [row for count in counts for row in rows_of(store, traffic, count)]
    report("list of conversations", rows, asked.json)


if __name__ == "__main__":
    main()
