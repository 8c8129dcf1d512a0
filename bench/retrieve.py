"""What a retrieve costs with 100 to 100,000 memories, or how well it finds what answers a question.

With `--data` it finds, without it it costs. `terms` is a process without a model; `local` is the
product's own model, which has to be installed.
"""

import sys
from argparse import Namespace

from asked_statements import BM25, PRODUCT, Found, ask_all
from measuring import Row, option_parser, report
from named_embedders import EMBEDDERS, open_embedder
from recall_sets import data_folder
from retrieve_scale import above_limit, rows_of
from statement_sets import load_statements

SIZES, QUICK_SIZES = (100, 1_000, 20_000, 100_000), (100, 300)
QUICK_SETS, QUICK_QUESTIONS = 2, 20
# About what S3 takes in its own region.
LATENCY_MS = 20
# There are stored vectors of turns and of questions, and none of statements.
MODELS = tuple(name for name in EMBEDDERS if name != "vectors")
# Below these a change of ranking has made it worse.
FLOORS = {"terms": 62.0, "local": 66.0}
LEAST_OVER_BM25 = 4.0
"""So many points more than words alone find."""


def costs(asked: Namespace) -> tuple[list[Row], list[str]]:
    """Measure every number of memories; return the rows, and what is above its limit."""
    sizes = [size for size in (QUICK_SIZES if asked.quick else SIZES) if size <= asked.most]
    rows = [row for size in sizes for row in rows_of(size, asked.latency_ms)]
    return rows, [line for row in rows for line in above_limit(row)]


def qualities(asked: Namespace) -> tuple[list[Row], list[str]]:
    """Ask with every embedder; return the rows, and what is below its floor."""
    folder = data_folder()
    sets = load_statements(folder)[: QUICK_SETS if asked.quick else None]
    most = QUICK_QUESTIONS if asked.quick else sys.maxsize
    rows: list[Row] = []
    low: list[str] = []
    for name in asked.embedder:
        found = ask_all(sets, open_embedder(name, asked.data, folder, []), most=most)
        rows += found.rows(asked.data, name)
        low += below_floor(name, found)
    return rows, low


def below_floor(embedder: str, found: Found) -> list[str]:
    """Return what of the product's recall is too low, in words."""
    ours, words = (found.mean(ranking)["R@8"] for ranking in (PRODUCT, BM25))
    floors = {"floor": FLOORS.get(embedder, 0.0), BM25: words + LEAST_OVER_BM25}
    return [
        f"{embedder}: R@8 is {ours:.2f}, less than {least:.2f} ({name})"
        for name, least in floors.items()
        if ours < least
    ]


def options() -> Namespace:
    """Read what is asked for."""
    parser = option_parser(__doc__ or "", latency_ms=LATENCY_MS, most=max(SIZES))
    parser.add_argument("--data", choices=["locomo"], help="statements and questions of a set")
    parser.add_argument("--embedder", nargs="+", choices=MODELS, default=["terms"])
    parser.add_argument("--check", action="store_true", help="exit 1 where a bound is passed")
    asked = parser.parse_args()
    if asked.check and asked.quick:
        parser.error("there are bounds for all questions and all numbers only")
    return asked


def main() -> None:
    """Run it."""
    asked = options()
    rows, failed = qualities(asked) if asked.data else costs(asked)
    title = (
        "retrieval of statements by questions, in percent"
        if asked.data
        else f"a retrieve, {asked.latency_ms} ms a request, the store's own CPU taken off"
    )
    report(title, rows, asked.json)
    if asked.check and failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
