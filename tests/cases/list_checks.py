"""What a case's `check` asks of lists of conversations."""

from collections.abc import Callable
from typing import Any, Final

from cases.adapter import Run
from cases.outcome import REFUSED, bodies
from everturn.values.timestamps import parse_time
from functions.house import Json


def _rows(run: Run) -> list[Json]:
    """All rows of the last step that lists."""
    listing = [
        answers
        for step, answers in zip(run.steps, run.answers, strict=True)
        if step.get("do") in {"list", "list_all_pages"}
    ]
    return [row for page in listing[-1] for row in page.json()["conversations"]]


def _ids(run: Run) -> list[str]:
    return [row["conversation_id"] for row in _rows(run)]


def _order(run: Run, wanted: list[str]) -> None:
    assert _ids(run) == wanted


def _list_contains(run: Run, wanted: list[str]) -> None:
    assert set(wanted) <= set(_ids(run))


def _message_count(run: Run, wanted: dict[str, int]) -> None:
    counts = {row["conversation_id"]: row["turn_count"] for row in _rows(run)}
    assert {id_: counts.get(id_) for id_ in wanted} == wanted


def _distinct(run: Run, wanted: int) -> None:
    assert len(set(_ids(run))) == wanted
    placed = [(-(parse_time(row["updated"]) or 0), row["conversation_id"]) for row in _rows(run)]
    assert placed == sorted(placed)


def _total(run: Run, wanted: int) -> None:
    assert len(_ids(run)) == wanted


def _only_own_rows(run: Run, _: object) -> None:
    rows = [row for body in bodies(run, "conversations") for row in body["conversations"]]
    assert {row["conversation_id"] for row in rows} <= {"mine"}
    refused = [step[-1].status_code for step in run.answers[:2]]
    assert set(refused) <= REFUSED


LIST_CHECKS: Final[dict[str, Callable[[Run, Any], None]]] = {
    "distinct": _distinct,
    "final_order": _order,
    "list_contains": _list_contains,
    "message_count": _message_count,
    "only_own_rows": _only_own_rows,
    "order": _order,
    "total": _total,
}
