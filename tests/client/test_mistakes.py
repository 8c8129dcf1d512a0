"""What a caller gets wrong is told as such, by field, before or after it was sent."""

from collections.abc import Callable
from datetime import date

import pytest

from everturn.client import Everturn
from everturn.errors import InvalidRequestError


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda client: client.append("a", "hello"), "turns"),
        (lambda client: client.append("a", {"role": "user", "text": "Hi."}), "turns"),
        (lambda client: client.append("a", None), "turns"),
        (lambda client: client.append("a", ["hello"]), "turns.0"),
        (lambda client: client.append("a", [{"role": "user", "text": "Hi."}, 5]), "turns.1"),
        (lambda client: client.append("a", []), "turns"),
        (lambda client: client.append("a", [{"text": "Hi."}]), "turns.0.role"),
        (lambda client: client.append_user("a", "Hi.", idempotency_key=5), "Idempotency-Key"),
        (lambda client: client.get_turns(5), "conversation_id"),
        (lambda client: client.get_turns(None), "conversation_id"),
        (lambda client: client.get_turns("x" * 70_000), None),
        (lambda client: client.recall("x", conversation_id=""), "conversation_id"),
        (lambda client: client.get_turns("a", last=1.5), "last"),
        (lambda client: client.recent_turns(since=date(2026, 1, 1)), "since"),
        (lambda client: client.recent_turns(roles=5.0), "roles"),
        (lambda client: client.get_memory(5), "rid"),
        (lambda client: client.remember("fact", "x", source="c-1"), "source"),
        (lambda client: client.put_document("s", 5, 1), "key"),
        (lambda client: client.list_documents("\ud800"), "space"),
    ],
)
def test_a_mistake_of_the_caller_is_an_error_that_names_the_field(
    client: Everturn, call: Callable[[Everturn], object], field: str | None
) -> None:
    """No error of Python's own, which says what broke within the client."""
    with pytest.raises(InvalidRequestError) as raised:
        call(client)
    assert raised.value.field == field
    assert field is None or f"field={field}" in str(raised.value)


@pytest.mark.parametrize("content", [float("nan"), {1, 2}, object()])
def test_what_is_no_json_is_refused(client: Everturn, content: object) -> None:
    with pytest.raises(InvalidRequestError, match="no json"):
        client.append_user("c-1", content=content)
