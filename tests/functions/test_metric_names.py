"""Each name that the handlers count by is one of edge/function.py, and each of those is used.

A name that is none fails every event of its function.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from everturn.edge.function import METRICS

ROOT = Path(__file__).parents[2]
SOURCES = sorted((*ROOT.glob("functions/*/app.py"), *ROOT.glob("shared/everturn/edge/*.py")))


def _counts(source: Path) -> Iterator[ast.Call]:
    """Yield the calls of `EDGE.count` and `self.count`."""
    for node in ast.walk(ast.parse(source.read_text())):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "count":
            assert isinstance(node, ast.Call)
            owner = called.value
            if isinstance(owner, ast.Name) and owner.id in {"EDGE", "self"}:
                yield node


def test_every_count_names_a_metric_and_every_metric_is_counted() -> None:
    calls = [call for source in SOURCES for call in _counts(source)]
    # Written out, so that they can be read here: no positions and no `**`.
    assert not any(call.args for call in calls)
    names = {word.arg for call in calls for word in call.keywords}
    assert names == set(METRICS)


def test_no_two_words_count_for_the_same_metric() -> None:
    assert len(set(METRICS.values())) == len(METRICS)
