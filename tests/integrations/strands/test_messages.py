"""Messages in Strands' own file sessions and in ours, side by side on the same calls."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from strands.types.exceptions import SessionException
from strands.types.session import SessionMessage

from integrations.strands.strands_repositories import (
    BORN,
    KINDS,
    PNG,
    Repository,
    begin,
    listed,
    message,
)


@pytest.fixture(params=KINDS)
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Repository]:
    with KINDS[request.param](tmp_path) as made:
        yield made


def test_messages_are_numbered_from_0_and_come_in_order(repository: Repository) -> None:
    begin(repository, *"abc")

    found = repository.list_messages("s", "default")

    assert found == [message(text, number) for number, text in enumerate("abc")]
    assert [repository.read_message("s", "default", n) for n in range(3)] == found


def test_a_new_agent_has_no_messages(repository: Repository) -> None:
    begin(repository)

    assert repository.list_messages("s", "default") == []


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({"limit": 2}, "ab"),
        ({"offset": 2}, "cde"),
        ({"limit": 2, "offset": 1}, "bc"),
        ({"limit": 9, "offset": 4}, "e"),
        ({"limit": 0}, ""),
        ({"offset": 5}, ""),
        ({"offset": 99}, ""),
        ({"limit": None, "offset": 0}, "abcde"),
    ],
)
def test_a_window_of_messages(
    repository: Repository, window: dict[str, Any], expected: str
) -> None:
    begin(repository, *"abcde")

    assert listed(repository, **window) == list(expected)


BLOCKS: list[list[dict[str, Any]]] = [
    [{"toolUse": {"toolUseId": "1", "name": "look", "input": {"at": ["x", 1.5, None, True]}}}],
    [{"toolResult": {"toolUseId": "1", "status": "success", "content": [
        {"text": "seen"}, {"image": {"format": "png", "source": {"bytes": PNG}}}]}}],
    [{"image": {"format": "png", "source": {"bytes": PNG}}}, {"text": "what is it?"}],
    [{"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}}],
    [{"text": "<&>\u2028 \N{PILE OF POO} \\u0000"}],
    [],
    [{"text": ""}],
    [{"text": " \n"}],
    [{"text": "\u200b"}],
]  # fmt: skip


@pytest.mark.parametrize(
    "blocks", BLOCKS, ids=lambda blocks: "+".join(map(next, map(iter, blocks)))
)
def test_a_message_comes_back_deep_equal(
    repository: Repository, blocks: list[dict[str, Any]]
) -> None:
    """One that shows nothing as well: its number counts."""
    begin(repository, "before")
    metadata = {"usage": {"inputTokens": 1}, "custom": {"note": ["x"]}}
    said: Any = {"role": "assistant", "content": blocks, "tracking_id": "t", "metadata": metadata}

    repository.create_message("s", "default", SessionMessage(said, 1, created_at=BORN))
    repository.create_message("s", "default", message("after", 2))

    found = repository.read_message("s", "default", 1)
    assert found is not None
    assert (found.message, found.message_id, found.created_at) == (said, 1, BORN)
    assert [one.message_id for one in repository.list_messages("s", "default")] == [0, 1, 2]


def test_a_redacted_message_is_restored_as_what_was_made_of_it(repository: Repository) -> None:
    begin(repository, *"abc")
    left: Any = {"role": "user", "content": [{"text": "[gone]"}], "tracking_id": "id-b"}
    redacted = message("b", 1)
    redacted.redact_message = left
    redacted.created_at = "2031-01-01T00:00:00+00:00"

    repository.update_message("s", "default", redacted)

    assert redacted.created_at == BORN
    assert listed(repository) == ["a", "[gone]", "c"]
    found = repository.read_message("s", "default", 1)
    assert found is not None
    assert (found.to_message(), found.redact_message) == (left, left)
    assert (found.message_id, found.created_at, found.updated_at) == (1, BORN, BORN)


def test_a_message_can_be_redacted_again(repository: Repository) -> None:
    begin(repository, "a")

    for text in ("[gone]", "[really gone]"):
        redacted = message("a")
        redacted.redact_message = {"role": "user", "content": [{"text": text}]}
        repository.update_message("s", "default", redacted)

    assert listed(repository) == ["[really gone]"]


def test_a_message_that_is_not_there_cannot_be_redacted(repository: Repository) -> None:
    begin(repository, "a")

    with pytest.raises(SessionException, match="does not exist"):
        repository.update_message("s", "default", message("b", 1))
