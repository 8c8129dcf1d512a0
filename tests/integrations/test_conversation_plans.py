"""Plans that delete a conversation whole, and that append to one which was deleted."""

from pathlib import Path

import httpx
import pytest

from everturn.client import Everturn
from everturn.errors import ConflictError, NotFoundError, UnavailableError
from everturn.integrations.plans import appended, deleted
from integrations.watched_transport import WatchedTransport, incomplete_always, incomplete_once

SAID = [{"role": "user", "text": "Hi"}]


def test_a_conversation_is_deleted_in_as_many_requests_as_it_takes(tmp_path: Path) -> None:
    wire = WatchedTransport(tmp_path)
    with wire.blocking_client() as client:
        client.append("one", SAID)
        wire.instead, wire.asked[:] = incomplete_once(), []
        receipt = client.carry_out(deleted("one"))
        assert wire.asked == ["DELETE one", "DELETE one"]
        assert (receipt.complete, receipt.deleted["turns"]) == (True, 2)
        with pytest.raises(NotFoundError):
            client.get_turns("one")


def test_what_is_not_there_is_deleted(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:
        receipt = client.carry_out(deleted("one"))
        assert (receipt.complete, receipt.deleted) == (True, {})


def test_what_cannot_be_deleted_whole_is_told_with_what_is_left(tmp_path: Path) -> None:
    wire = WatchedTransport(tmp_path)
    wire.instead = incomplete_always
    with (
        wire.blocking_client() as client,
        pytest.raises(UnavailableError, match="delete it again remaining=3"),
    ):
        client.carry_out(deleted("one"))
    assert wire.asked == ["DELETE one"] * 32


def test_an_append_creates_a_deleted_conversation_again_where_it_was(tmp_path: Path) -> None:
    wire = WatchedTransport(tmp_path)
    with wire.blocking_client() as client:
        client.append("one", SAID)
        client.delete_conversation("one")
        wire.asked.clear()
        result = client.carry_out(appended("one", SAID, folder="f", idempotency_key="k"))
        assert wire.asked == ["POST turns", "POST conversations", "POST turns"]
        assert (result.appended, client.get_conversation("one").folder) == (1, "f")
        assert client.carry_out(appended("one", SAID, idempotency_key="k")).replayed
        with pytest.raises(ConflictError):
            client.carry_out(appended("one", SAID, expected_turn_count=0))


def test_an_append_whose_conversation_is_always_deleted_is_told_so(tmp_path: Path) -> None:
    wire = WatchedTransport(tmp_path)
    with wire.blocking_client() as client, Everturn.local(tmp_path) as other:
        client.append("one", SAID)

        def delete(asked: str) -> None:
            if asked == "POST turns":
                other.delete_conversation("one")

        wire.before = delete
        with pytest.raises(UnavailableError, match="deleted again and again tries=32"):
            client.carry_out(appended("one", SAID))


def test_an_append_ends_where_best_effort_cannot_create_the_conversation_again(
    tmp_path: Path,
) -> None:
    wire = WatchedTransport(tmp_path)
    with wire.blocking_client(best_effort=True) as client:
        client.append("one", SAID)
        client.delete_conversation("one")

        def fail(asked: str) -> None:
            if asked == "POST conversations":
                raise httpx.UnsupportedProtocol("down")

        wire.before, wire.asked[:] = fail, []
        assert client.carry_out(appended("one", SAID)).failed
    assert wire.asked == ["POST turns", "POST conversations"]
