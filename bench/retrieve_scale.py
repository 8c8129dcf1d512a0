"""What a retrieve costs with 100 to 100,000 memories: requests, bytes, time and CPU.

Memories are made-up prose (prose.py) of 100 bytes, five to a conversation; their vectors of 384
dimensions are random and cost next to nothing. The store is in memory and takes a fixed time for
each request, but for "the rest of the index", which takes as many calls as it needs; its own CPU is
taken off. Each number of memories is measured in a process of its own, on one thread for numpy.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from measuring import Row, cpu_ms
from metered_store import Latency, MeteredStore
from prose import Prose
from recall_scale import RandomVectors
from retrieving import SCOPE, Retrieving

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SystemClock
from everturn.memory.index.rank_memories import memory_query_text, rank_memories
from everturn.memory.model.draft import SourceDraft
from everturn.memory.model.retrieve_request import RetrieveRequest
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.storage.list_keys import list_all
from everturn.values.keys import memory_rows_prefix, memory_vectors_prefix
from everturn.values.timestamps import NANOSECONDS

_BYTES, _OF_ONE_SOURCE = 100, 5
_QUESTIONS, _QUESTION_WORDS = 20, 10
# A minute a memory, up to now.
_STEP_NS = 60 * NANOSECONDS
FIRST, REST, COLD = "first, no index", "the rest of the index", "cold, index stored"
WARM, CHANGED = "warm", "warm, one new"
# Above these it costs more than it should: by number and kind, what was measured and its bound.
LIMITS = {(20_000, WARM): {"cpu ms": 50.0}}
# CPU time of two threads is not that of one.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class ManyMemories:
    """So many memories of one actor, in a store that takes its time."""

    def __init__(self, count: int, latency_s: float) -> None:
        self.count = count
        self.clock, prose = SystemClock(), Prose()
        inner = MemoryStore(self.clock)
        choice = EmbedderChoice(RandomVectors(), "random", "asked for")
        self.at_once = Retrieving(MeteredStore(inner), self.clock, choice)
        began_ns = self.clock.now_ns() - count * _STEP_NS
        for number in range(count):
            conversation = f"c{number // _OF_ONE_SOURCE}"
            source = SourceDraft(conversation, at_ns=began_ns + number * _STEP_NS)
            self.at_once.remember(f"{prose.text(_BYTES)} {number}", source)
        store = MeteredStore(inner, Latency(read_s=latency_s, write_s=latency_s))
        self.retrieving = replace(self.at_once, store=store)
        asking = Prose(seed=8)
        self.questions = [" ".join(asking.words(_QUESTION_WORDS)) for _ in range(_QUESTIONS)]

    def rows(self) -> Iterator[Row]:
        """Measure each kind, in this order."""
        question = self.questions[0]
        yield self._row(FIRST, partial(self._ask, question), self.retrieving)
        yield self._row(REST, partial(self.at_once.index_all, question), self.at_once)
        self.retrieving.forget()
        yield self._row(COLD, partial(self.retrieving.index_all, question), self.retrieving)
        for kind, questions in ((WARM, self.questions), (CHANGED, self._remembering())):
            asked = (partial(self._ask, one) for one in questions)
            yield _median([self._row(kind, ask, self.retrieving) for ask in asked])

    def _remembering(self) -> Iterator[str]:
        """Yield each question after one more memory was written."""
        for number, question in enumerate(self.questions):
            self.retrieving.remember(f"What came {number}th is new.", SourceDraft())
            yield question

    def _ask(self, question: str) -> int:
        assert self.retrieving.retrieve(RetrieveRequest(question)).snippets
        return 1

    def _row(self, kind: str, ask: Callable[[], int], by: Retrieving) -> Row:
        with by.store.fresh_tally() as tally:
            wall_s, cpu_s = time.perf_counter(), time.process_time()
            calls = ask()
            cpu_s = time.process_time() - cpu_s - tally.cpu_s
            wall_s = time.perf_counter() - wall_s
        return {
            "memories": self.count, "kind": kind, "calls": calls,
            **{verb: tally.requests[verb] for verb in ("list", "get")},
            "writes": sum(tally.requests[verb] for verb in ("put", "overwrite")),
            "sent kB": tally.sent / 1e3, "received kB": tally.received / 1e3,
            "ms": wall_s * 1e3, "cpu ms": cpu_s * 1e3, "rank cpu ms": self._rank_cpu_ms(),
            "index B a memory": self._index_bytes() / self.count,
        }  # fmt: skip

    def _rank_cpu_ms(self) -> float:
        """Return the CPU of ranking alone, once more."""
        index, question = self.retrieving.index, self.questions[-1]
        text = memory_query_text(index, question)
        vector = self.retrieving.choice.embedder.embed([text], purpose="query")[0]
        now_ns = self.clock.now_ns()
        return cpu_ms(lambda: rank_memories(index, question, vector=vector, now_ns=now_ns))

    def _index_bytes(self) -> int:
        """Bytes of rows and vectors as they are stored."""
        prefixes = memory_rows_prefix(SCOPE), memory_vectors_prefix(SCOPE)
        return sum(
            entry.size for prefix in prefixes for entry in list_all(self.at_once.store, prefix)
        )


def _median(rows: Sequence[Row]) -> Row:
    """Return the medians of numbers; whole ones stay whole."""
    return {
        name: value
        if isinstance(value, str)
        else type(value)(median(float(row[name]) for row in rows))
        for name, value in rows[0].items()
    }


def rows_of(count: int, latency_ms: int) -> list[Row]:
    """Measure one number of memories in a process of its own."""
    done = subprocess.run(  # noqa: S603 - this file itself
        [sys.executable, str(Path(__file__)), str(count), str(latency_ms)],
        check=True, stdout=subprocess.PIPE, env={**os.environ, **_ONE_THREAD},
    )  # fmt: skip
    rows: list[Row] = json.loads(done.stdout)
    return rows


def above_limit(row: Row) -> list[str]:
    """Return what took more than it should, in words."""
    limits = LIMITS.get((int(row["memories"]), str(row["kind"])), {})
    return [
        f"{row['memories']} memories, {row['kind']}: {name} is {row[name]:.2f}, limit {limit}"
        for name, limit in limits.items()
        if float(row[name]) > limit
    ]


if __name__ == "__main__":
    sys.stdout.write(
        json.dumps(list(ManyMemories(int(sys.argv[1]), int(sys.argv[2]) / 1e3).rows()))
    )
