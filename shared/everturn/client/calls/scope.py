"""The calls about all that a user has: status, export, erase."""

import json
from dataclasses import dataclass
from typing import Any, Final

from everturn.client.calls.call import Answer, Call, Walk, certain, model, path_of
from everturn.wire.conversations import Receipt
from everturn.wire.deployment import Status

_NEXT: Final = "next_cursor"


@dataclass(frozen=True, slots=True)
class ExportPage:
    """Lines of an export, and where it goes on."""

    lines: tuple[dict[str, Any], ...]
    next_cursor: str | None


def status() -> Call[Status]:
    """Say what a deployment works with, and what it has not done yet."""
    return Call(name="status", method="GET", path=path_of("status"), answer=model(Status))


def export() -> Walk[ExportPage, dict[str, Any]]:
    """Iterate over all that the user has, line by line, as `everturn export --all` writes it.

    A line is a conversation (a long one comes in several, with `first_turn`), a `document`, a
    `memory`, or says what was `skipped` or is `gone`. Raises in the mode `best_effort` as well: a
    part is no copy.
    """

    def page(cursor: str | None = None) -> Call[ExportPage]:
        return Call(
            name="export",
            method="GET",
            path=path_of("export"),
            params={"cursor": cursor},
            answer=Answer(_export_page),
        )

    return Walk(
        first=page(),
        items=lambda found: found.lines,
        then=lambda found: page(found.next_cursor) if found.next_cursor else None,
    )


def _export_page(body: bytes) -> ExportPage:
    lines = [json.loads(line) for line in body.split(b"\n") if line]
    if not all(isinstance(line, dict) for line in lines):
        raise ValueError("no line of an export")
    if lines and set(lines[-1]) == {_NEXT}:
        return ExportPage(tuple(lines[:-1]), str(lines[-1][_NEXT]))
    return ExportPage(tuple(lines), None)


def erase() -> Call[Receipt]:
    """Erase all that the user has; where the receipt is not `complete`, erase again."""
    return Call(name="erase", method="DELETE", path=path_of("me"), answer=certain(Receipt))
