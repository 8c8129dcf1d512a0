"""What a list costs with 100 to 100,000 conversations: requests, bytes, time, CPU and memory.

Each row is measured in a process of its own, over the real adapter and an S3 inside the process
(fake_s3.py) that takes a fixed time for each request; its CPU is taken off. The baseline is LIST
and GET of all heads, with as many readers. "page cpu" is what one LIST page costs from its bytes to
compared rows, the cache's files included; botocore's part of the request is not in it.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from fake_s3 import SCOPE, FakeS3
from measuring import Row, options, report

from everturn.adapters.aws.s3_listing import page_of, scan_page
from everturn.adapters.aws.s3_store import S3Store
from everturn.adapters.system_clock import SystemClock
from everturn.conversations.model.head import parse_record
from everturn.conversations.model.summary import summarize
from everturn.errors import UnavailableError
from everturn.listing.list_conversations import Filters, list_conversations
from everturn.listing.model.cache_root import CacheRoot, content_name, decode_root
from everturn.listing.model.cached_row import Place, place_of
from everturn.listing.model.list_index import ListIndex, compare, decode_index
from everturn.listing.read_rows import READERS
from everturn.ports.object_store import Page, StoredObject
from everturn.storage.list_keys import list_all
from everturn.values.keys import head_key, heads_prefix, list_cache_key, list_files_prefix

SIZES, QUICK_SIZES = (100, 1_000, 10_000, 100_000), (100, 1_200)
KINDS = (
    BASELINE := "LIST + GET of all",
    "first list, no cache",
    UNCHANGED := "list, nothing changed",
    CHANGED := "list, one changed",
    FILTERED := "list, q that nothing has",
)
# About what S3 takes in its own region; --latency-ms changes it.
LATENCY_MS = 20
EVERYTHING = Filters()
_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench",
    "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}  # fmt: skip


class Bench:
    """One number of conversations."""

    def __init__(self, count: int, latency_s: float, folder: Path) -> None:
        self.count = count
        self.s3 = FakeS3(count, latency_s=latency_s, folder=folder)
        self.store: S3Store = self.s3.store()

    def read_all(self) -> None:
        """List by reading every conversation."""
        keys = [entry.key for entry in list_all(self.store, heads_prefix(SCOPE))]

        def read(key: str) -> Place:
            return place_of(summarize(parse_record(self._body(key), name=key)))

        with ThreadPoolExecutor(READERS) as readers:
            rows = list(readers.map(read, keys))
        assert len(set(rows)) == self.count

    def page(self, filters: Filters = EVERYTHING) -> int:
        """List a page of 50, in as many calls as it takes; how many."""
        for calls in range(1, 10_000):
            try:
                shown = list_conversations(
                    data=self.store, derived=self.store, clock=SystemClock(), scope=SCOPE,
                    limit=50, filters=filters,
                )  # fmt: skip
            except UnavailableError:
                continue
            assert len(shown.rows) == (50 if filters == EVERYTHING else 0)
            return calls
        raise AssertionError("no list in any number of calls")

    def change(self) -> None:
        """Append to one conversation."""
        number = self.count // 2
        head = self.s3.head(number)
        key = head_key(SCOPE, head.conversation_id)
        new = head.with_turns([b'{"role":"user","text":"x"}'], updated_ns=2 * 10**18)
        self.store.overwrite(key, new.encode())

    def measured(self, kind: str, action: Callable[[], int | None]) -> Row:
        """Run once and count."""
        self.s3.reset()
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        calls = action() or 1
        cpu_s = time.process_time() - cpu_s - self.s3.own_cpu_s
        return {
            "kind": kind, "conversations": self.count, "calls": calls,
            **{verb: self.s3.requests[verb] for verb in ("list", "get", "put")},
            "sent kB": self.s3.sent / 1e3, "received kB": self.s3.received / 1e3,
            "ms": (time.perf_counter() - wall_s) * 1e3, "cpu ms": cpu_s * 1e3,
            "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "page cpu ms": self.page_cpu_ms() if kind == UNCHANGED else 0.0,
        }  # fmt: skip

    def page_cpu_ms(self) -> float:
        """Return what a LIST page costs from its bytes to compared rows, the cache's part included.

        Requests are left out: they are botocore's part.
        """
        cache = [self._body(list_cache_key(SCOPE))]
        name = (decode_root(cache[0]) or CacheRoot()).index
        cache += [self._body(list_files_prefix(SCOPE) + name)] if name else []
        bodies: list[bytes] = []
        after = ""
        while not bodies or b"<IsTruncated>true" in bodies[-1]:
            bodies.append(self.s3.page(after))
            after = _parsed(bodies[-1]).keys[-1]
        times = []
        for _ in range(5):
            began_s = time.process_time()
            pages = [_parsed(body) for body in bodies]
            assert all(content_name(body) for body in cache)
            root = decode_root(cache[0]) or CacheRoot()
            index = decode_index(cache[-1]) or ListIndex()
            found = compare(((page.keys, page.etags) for page in pages), index, root.rows)
            assert not found.changed
            times.append(time.process_time() - began_s)
        return min(times) * 1e3 / len(bodies)

    def _body(self, key: str) -> bytes:
        stored = self.store.get(key)
        assert isinstance(stored, StoredObject)
        return stored.body


def _parsed(body: bytes) -> Page:
    rows: dict[str, object] = {}
    scan_page({"status_code": 200, "body": body}, rows)
    return page_of({**rows, "IsTruncated": True, "EncodingType": "url"}, prefix="")


def phase(kind: str, bench: Bench) -> Row:
    """Measure one kind of list."""
    if kind == BASELINE:
        return bench.measured(kind, bench.read_all)
    if kind == CHANGED:
        bench.change()
    filters = Filters(title_part="zzz") if kind == FILTERED else EVERYTHING
    return bench.measured(kind, lambda: bench.page(filters))


def _in_a_process_of_its_own(kind: str, count: int, latency_ms: int, folder: str) -> Row:
    command = [sys.executable, __file__, kind, str(count), str(latency_ms), folder]
    done = subprocess.run(  # noqa: S603 - this file itself
        command, check=True, stdout=subprocess.PIPE, env={**os.environ, **_CREDENTIALS}
    )
    row: Row = json.loads(done.stdout)
    return row


def _sizes(sizes: Sequence[int], latency_ms: int) -> Iterator[Row]:
    for size in sizes:
        with TemporaryDirectory() as folder:
            for kind in KINDS:
                yield _in_a_process_of_its_own(kind, size, latency_ms, folder)


def main() -> None:
    """Run it."""
    if sys.argv[1:] and sys.argv[1] in KINDS:
        kind, count, latency_ms, folder = sys.argv[1:]
        bench = Bench(int(count), int(latency_ms) / 1e3, Path(folder))
        sys.stdout.write(json.dumps(phase(kind, bench)))
        return
    asked = options(__doc__ or "", latency_ms=LATENCY_MS, most=max(SIZES))
    sizes = [size for size in (QUICK_SIZES if asked.quick else SIZES) if size <= asked.most]
    rows = list(_sizes(sizes, asked.latency_ms))
    report(f"list of conversations, {asked.latency_ms} ms a request", rows, asked.json)


if __name__ == "__main__":
    main()
