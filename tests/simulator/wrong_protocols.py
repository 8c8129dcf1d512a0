"""Protocols with one thing left out: what the simulator has to find, or it finds nothing.

Each is put in place by a monkeypatch.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from everturn.conversations import ambiguous_write
from everturn.conversations import append_turns as append_call
from everturn.conversations.ambiguous_write import UnclearWrite
from everturn.conversations.append_turns import AppendOutcome, append_turns
from everturn.conversations.create_conversation import CreateOutcome, create_conversation
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.deletion.delete_conversation import Receipt
from everturn.errors import ConversationGoneError, NotFoundError, UnavailableError
from everturn.ports.object_store import ABSENT, ANY, ObjectStore
from everturn.storage.swap import RETRIED
from everturn.upkeep import sweep
from everturn.upkeep.sweep_pass import DAY_NS, SweepPass
from everturn.upkeep.sweep_segments import sweep_segments
from everturn.values.go_json import JsonValue, dumps
from everturn.values.keys import Scope, head_key
from scenarios import process

Wrong = Callable[[pytest.MonkeyPatch], None]


def without_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write again whatever became of the first attempt."""
    monkeypatch.setattr(append_call, "_own_first_turn", lambda *_args, **_ports: None)


def reading_back_the_head_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for what the ring forgot among the turns of the head, and in no segment."""

    def turns_at(
        found: StoredRecord, *, store: ObjectStore, scope: Scope, first: int, count: int
    ) -> list[JsonValue]:
        del store, scope
        start = first - found.record.head.first_turn
        return list(found.record.values[start : start + count]) if start >= 0 else []

    monkeypatch.setattr(ambiguous_write, "turns_at", turns_at)


def searching_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take equal turns for one's own, wherever they stand in the head."""

    def find(
        attempts: Sequence[UnclearWrite],
        encoded: Sequence[bytes],
        found: StoredRecord,
        **_ports: object,
    ) -> int | None:
        there = [dumps(value).encode() for value in found.record.values]
        for at in range(len(there) - len(encoded) + 1) if attempts else ():
            if there[at : at + len(encoded)] == list(encoded):
                return found.record.head.first_turn + at
        return None

    monkeypatch.setattr(append_call, "find_by_place", find)


def with_a_tombstone_beside_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the tombstone to a key of its own, look there before an append, remove the head."""
    monkeypatch.setattr(process, "delete_conversation", _delete)
    monkeypatch.setattr(process, "append_turns", _append)
    monkeypatch.setattr(process, "create_conversation", _create)


def _tombstone_key(scope: Scope, conversation_id: str) -> str:
    return "d" + head_key(scope, conversation_id).removeprefix("c")


def _delete(*, store: ObjectStore, scope: Scope, conversation_id: str, **_ports: object) -> Receipt:
    try:
        found = read_record(store=store, scope=scope, conversation_id=conversation_id)
        if found is None:
            raise NotFoundError("there is no such conversation")
        store.put(_tombstone_key(scope, conversation_id), b"{}", expect=ABSENT)
        store.delete(head_key(scope, conversation_id), expect=found.etag)
    except RETRIED as error:
        raise UnavailableError("try again") from error
    return Receipt({"turns": found.record.head.turn_count})


def _append(*, turns: Sequence[Any], **ports: Any) -> AppendOutcome:  # noqa: ANN401  # passed on
    store, scope = ports["store"], ports["scope"]
    if store.get(_tombstone_key(scope, ports["conversation_id"])) is not None:
        raise ConversationGoneError("the conversation was deleted")
    return append_turns(turns=turns, **ports)


def _create(**ports: Any) -> CreateOutcome:  # noqa: ANN401  # passed on
    key = _tombstone_key(ports["scope"], ports["conversation_id"])
    try:
        ports["store"].delete(key, expect=ANY)
    except RETRIED as error:
        raise UnavailableError("try again") from error
    return create_conversation(**ports)


def sweeping_without_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a segment for an orphan as soon as no head names it."""
    impatient = partial(sweep_segments, grace_ns=-DAY_NS)
    monkeypatch.setattr(sweep, "sweep_segments", impatient)
    monkeypatch.setattr(SweepPass, "reached", lambda *_ages: True)
