"""The answer that says what a deployment works with, and what it has not done yet."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from everturn.consolidation.outcome import DAILY_TOKENS
from everturn.edge.responses.base import Answer, answer
from everturn.settings.process import StoreAddress
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.timestamps import format_time

if TYPE_CHECKING:
    from everturn.consolidation.count_backlog import Backlog
    from everturn.recall.index.choose_embedder import EmbedderChoice


def status_told(
    stores: Mapping[str, StoreAddress], embedder: "EmbedderChoice", consolidation: JsonObject
) -> Answer:
    """Answer with the kind of each store, the embedder in use with what others lacked, and more.

    Args:
        stores: where things lie, by name.
        embedder: the one in use.
        consolidation: as `consolidation_json` says it.
    """
    kinds: JsonObject = {name: _kind(address) for name, address in stores.items()}
    backends: JsonObject = {**kinds, "embedder": _embedder_json(embedder)}
    return answer({"backends": backends, "consolidation": consolidation})


def consolidation_json(backlog: "Backlog", *, queue: str, extractor: str) -> JsonObject:
    """Return how far consolidation is; numbers that cannot be had are left out.

    Args:
        backlog: the numbers.
        queue: `sqs`, `folder` or `none`.
        extractor: what reads turns.
    """
    numbers: dict[str, JsonValue] = {
        "depth": backlog.depth,
        "in_flight": backlog.in_flight,
        "oldest": _time(backlog.oldest_ns),
        "dead": backlog.dead,
        "pending": backlog.pending,
        "pending_turns": backlog.pending_turns,
        "quarantined": backlog.quarantined,
        "last_success": _time(backlog.last_success_ns),
        "reason": DAILY_TOKENS if backlog.is_spent else None,
    }
    known = {name: value for name, value in numbers.items() if value is not None}
    return {"queue": queue, "extractor": extractor, "complete": backlog.is_complete, **known}


def _time(time_ns: int | None) -> str | None:
    return None if time_ns is None else format_time(time_ns)


def _kind(address: StoreAddress) -> str:
    return "s3" if address.directory is None else "directory"


def _embedder_json(choice: "EmbedderChoice") -> JsonObject:
    return {
        "name": choice.name,
        "model": choice.embedder.model,
        "dimensions": choice.embedder.dimensions,
        "semantic": choice.embedder.semantic,
        "reason": choice.reason,
        "tried": [{"name": tried.name, "reason": tried.reason} for tried in choice.tried],
    }
