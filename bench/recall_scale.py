"""What a recall costs in threads of 600 to 100,000 turns: disk, memory, first and later answers.

Turns are made-up prose (prose.py) of 500 bytes; their vectors of 384 dimensions are random and cost
nothing, so that no model is measured. Each of these is measured in a process of its own, over a
directory:

    build   the first recall of a thread without an index, and those after it until all is in
    cold    the first answer of a process that finds the index, from the start of the process
    warm    later answers of one process: time and CPU of a whole recall, and CPU of its parts

"scan" is what the dense lane is compared with in the same process: a float32 matrix times a vector.
CPU times are medians of interleaved runs on one thread.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from measuring import Row, cpu_ms, option_parser, report, write_rows
from numpy.typing import NDArray
from prose import Prose
from recalling import Recalling

from everturn.conversations.model.turn import Turn, TurnDraft
from everturn.ports.embedder import Purpose, Vectors
from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.recall_request import RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import hash_of_text, terms_of
from everturn.recall.ranking.dense_scores import cosines, in_context
from everturn.recall.ranking.lexical_scores import lexical_lane
from everturn.recall.ranking.rank_turns import query_text, rank_turns
from everturn.recall.ranking.select_hits import allowed_rows
from everturn.values.timestamps import NANOSECONDS, format_time

SIZES, QUICK_SIZES = (600, 1_000, 6_000, 10_000, 100_000), (600, 1_200)
APPEND, BUILD, COLD, WARM = KINDS = ("append", "build", "cold", "warm")
DIMENSIONS, TURN_BYTES = 384, 500
# A minute a turn, and a pause of a day after so many.
_SESSION_TURNS, _BEGIN_S = 24, 1_700_000_000
_QUESTIONS, _QUESTION_WORDS = 20, 10
_ROUNDS = 5
_INDEXED = 2_000
_LAST_STORED = "peak MB"
# Above these it costs more than it should: by size, what was measured and its bound.
LIMITS: Mapping[int, Mapping[str, float]] = {
    600: {"rank cpu ms": 2.0, "index cpu ms a turn": 0.2},
    6_000: {"rank cpu ms": 15.0, "index cpu ms a turn": 0.2},
    10_000: {"recall cpu ms": 20.0, "dense of scan": 1.5},
    100_000: {"peak MB": 512.0, "build peak MB": 512.0, "cold s": 3.0},
}


# CPU time of two threads is not that of one.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class RandomVectors:
    """A random unit vector for each text, the same one each time."""

    model = "random"
    dimensions = DIMENSIONS
    semantic = True
    max_batch = 1_024

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        del purpose
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in enumerate(texts):
            random = np.random.default_rng(hash_of_text(text))
            rows[row] = random.standard_normal(DIMENSIONS, np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


class Thread:
    """One conversation of so many turns."""

    def __init__(self, turns: int, folder: Path) -> None:
        self.turns = turns
        choice = EmbedderChoice(RandomVectors(), "random", "asked for")
        self.recalling = Recalling(folder, "thread", choice)
        asking = Prose(seed=8)
        self.questions = [" ".join(asking.words(_QUESTION_WORDS)) for _ in range(_QUESTIONS)]

    def append(self) -> Row:
        """Write the conversation; nothing of it is measured."""
        self.recalling.append(list(_drafts(self.turns)))
        return {}

    def build(self) -> Row:
        """Index it from nothing."""
        began_s = time.perf_counter()
        self.recalling.recall(RecallRequest(self.questions[0]))
        first_s = time.perf_counter() - began_s
        calls = self.recalling.index_all(self.questions[0]) + 1
        return {
            "calls": calls, "first s": first_s, "build s": time.perf_counter() - began_s,
            "build peak MB": _peak_mb(),
            "index B a turn": self.recalling.index_bytes / self.turns,
        }  # fmt: skip

    def answer(self, began_s: float) -> Row:
        """Answer, as the first thing that a process does; then some more."""
        recall_s = time.perf_counter()
        found = self.recalling.recall(RecallRequest(self.questions[0]))
        now_s, recall_s = time.time(), time.perf_counter() - recall_s
        assert found.hits
        assert not found.degraded
        for question in self.questions:
            self.recalling.recall(RecallRequest(question))
        return {"cold s": now_s - began_s, "cold recall s": recall_s, "peak MB": _peak_mb()}

    def answers(self) -> Row:
        """Answer again and again, and rank by parts of it."""
        self.recalling.recall(RecallRequest(self.questions[0]))
        scan = _matrix(self.recalling.index)
        taken: dict[str, list[float]] = {}
        for question in self.questions * _ROUNDS:
            for name, value in self._parts(question, scan):
                taken.setdefault(name, []).append(value)
        medians = {name: median(values) for name, values in taken.items()}
        turns = _turns(_INDEXED)
        made_ms = min(cpu_ms(lambda: make_rows(turns, DIMENSIONS)) for _ in range(_ROUNDS))
        return {
            **medians, "dense of scan": medians["dense cpu ms"] / medians["scan cpu ms"],
            "index cpu ms a turn": made_ms / _INDEXED,
        }  # fmt: skip

    def _parts(self, question: str, scan: NDArray[np.float32]) -> Iterator[tuple[str, float]]:
        index, request = self.recalling.index, RecallRequest(question)
        query = query_text(index, question)
        vector = self.recalling.choice.embedder.embed([query], purpose="query")[0]
        began_s = time.perf_counter()
        yield "recall cpu ms", cpu_ms(lambda: self.recalling.recall(request))
        yield "recall ms", (time.perf_counter() - began_s) * 1e3
        allowed = allowed_rows(index, request)
        yield (
            "rank cpu ms",
            cpu_ms(lambda: rank_turns(index, question, vector=vector, allowed=allowed)),
        )
        yield "words cpu ms", cpu_ms(lambda: lexical_lane(index, terms_of(question)))
        yield "dense cpu ms", cpu_ms(lambda: in_context(index, cosines(index, vector)))
        yield "scan cpu ms", cpu_ms(lambda: scan @ vector)


def _matrix(index: TurnIndex) -> NDArray[np.float32]:
    """float32[n, d]: the vectors as anybody would keep them."""
    vectors = np.concatenate([part.rows.vectors for part in index.stretches]).astype(np.float32)
    return np.asarray(vectors * index.scales[:, None])


def _drafts(count: int) -> Iterator[TurnDraft]:
    prose = Prose()
    for number in range(count):
        time_s = _BEGIN_S + number * 60 + number // _SESSION_TURNS * 86_400
        role = "assistant" if number % 2 else "user"
        yield TurnDraft(role, prose.text(TURN_BYTES), ts=format_time(time_s * NANOSECONDS))


def _turns(count: int) -> list[Turn]:
    drafts = enumerate(_drafts(count))
    return [Turn(at, one.role, one.text or "", one.ts, one.value(one.ts)) for at, one in drafts]


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def phase(kind: str, thread: Thread, began_s: float) -> Row:
    """Do one thing in this process."""
    if kind == COLD:
        return thread.answer(began_s)
    return {APPEND: thread.append, BUILD: thread.build, WARM: thread.answers}[kind]()


def _in_a_process_of_its_own(kind: str, turns: int, folder: str) -> Row:
    done = subprocess.run(  # noqa: S603 - this file itself
        [sys.executable, __file__, kind, str(turns), folder, repr(time.time())],
        check=True, stdout=subprocess.PIPE, env={**os.environ, **_ONE_THREAD},
    )  # fmt: skip
    row: Row = json.loads(done.stdout)
    return row


def row_of(turns: int) -> Row:
    """Measure one size."""
    row: dict[str, str | int | float] = {"turns": turns}
    with TemporaryDirectory() as folder:
        for kind in KINDS:
            row |= _in_a_process_of_its_own(kind, turns, folder)
    return row


def above_limit(row: Row) -> list[str]:
    """Return what took more than it should, in words."""
    limits = LIMITS.get(int(row["turns"]), {})
    return [
        f"{row['turns']} turns: {name} is {row[name]:.2f}, limit {limit}"
        for name, limit in limits.items()
        if float(row[name]) > limit
    ]


def _shown(rows: Sequence[Row], part: int) -> list[Row]:
    """Return the columns of one of two tables: up to `_LAST_STORED`, and those after it."""
    names = list(rows[0])
    border = names.index(_LAST_STORED) + 1
    shown = names[1:border] if part == 0 else names[border:]
    return [{name: row[name] for name in ("turns", *shown)} for row in rows]


def main() -> None:
    """Run it."""
    if sys.argv[1:] and sys.argv[1] in KINDS:
        kind, turns, folder, began_s = sys.argv[1:]
        row = phase(kind, Thread(int(turns), Path(folder)), float(began_s))
        sys.stdout.write(json.dumps(row))
        return
    parser = option_parser(__doc__ or "", most=max(SIZES))
    parser.add_argument("--check", action="store_true", help="exit 1 where a limit is passed")
    asked = parser.parse_args()
    sizes = [size for size in (QUICK_SIZES if asked.quick else SIZES) if size <= asked.most]
    rows = [row_of(size) for size in sizes]
    report(f"an index of turns of {TURN_BYTES} bytes, and its first use", _shown(rows, 0), None)
    report("later answers, CPU of their parts, and CPU of indexing", _shown(rows, 1), None)
    if asked.json:
        write_rows(rows, asked.json)
    above = [line for row in rows for line in above_limit(row)]
    if asked.check and above:
        sys.exit("\n".join(above))


if __name__ == "__main__":
    main()
