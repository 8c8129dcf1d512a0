from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.output.found_turns import conversation_of, numbered
from cli.stores import open_store
from everturn.cli.importers.conversation_files import (
    FoundConversation,
    JsonObject,
    conversation_of_record,
)
from everturn.cli.importers.turns import (
    MAX_BATCH_BYTES,
    MAX_BATCH_TURNS,
    ImportCounts,
    batches,
    import_turns,
)
from everturn.cli.output.errors import CliError
from everturn.cli.target.api import encoded


@given(st.lists(st.integers(0, 300_000), max_size=450))
def test_batches_keep_order_and_stay_within_their_bounds(sizes: list[int]) -> None:
    turns = [{"role": "user", "text": "x" * (size // 10 if size % 7 else size)} for size in sizes]
    cut = list(batches(turns))
    assert [turn for batch in cut for turn in batch] == turns
    for batch in cut:
        assert 0 < len(batch) <= MAX_BATCH_TURNS
        assert len(batch) == 1 or sum(len(encoded(turn)) for turn in batch) <= MAX_BATCH_BYTES


def test_turns_that_the_api_cannot_take_are_named_and_nothing_is_sent(tmp_path: Path) -> None:
    api, transport = open_store(tmp_path)
    refused = FoundConversation("c", (), {"title": "T"}, refused="no role position=$.turns[0]")
    with pytest.raises(CliError, match=r"^no role position=\$\.turns\[0\]$"):
        import_turns(api, refused)
    assert transport.sent == []


@pytest.mark.parametrize("other", [{"text": "u0"}, {"role": "assistant"}])
def test_other_turns_are_an_error_and_nothing_is_changed(tmp_path: Path, other: JsonObject) -> None:
    api, transport = open_store(tmp_path)
    import_turns(api, conversation_of(numbered(2)))
    first, *rest = numbered(3)
    with pytest.raises(CliError, match=r"other turns than the file conversation=c turn=0$"):
        import_turns(api, conversation_of((first | other, *rest)))
    assert len(transport.appends) == 1


def test_blank_turns_are_ignored_both_times(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    blank: JsonObject = {"role": "user", "text": "\u200b "}
    found = conversation_of((blank, *numbered(2), blank))
    assert import_turns(api, found) == ImportCounts(added=2, ignored=2)
    assert import_turns(api, found) == ImportCounts(there=2, ignored=2)
    grown = conversation_of((*found.turns, {"role": "user", "text": "new"}))
    assert import_turns(api, grown) == ImportCounts(added=1, there=2, ignored=2)


def test_texts_are_compared_as_the_store_keeps_them(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    found = conversation_of(
        (
            {"role": "user", "text": "\ud800 lone"},
            {"role": "assistant", "content": parts},
            {"role": "user", "text": "nul \x00 <&> \u2028"},
            {"role": "\ud800", "text": "odd"},
        )
    )
    assert import_turns(api, found) == ImportCounts(added=4)
    assert import_turns(api, found) == ImportCounts(there=4)


def test_given_times_are_kept_and_those_of_the_future_are_counted(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    found = conversation_of(
        (
            {"role": "user", "text": "a", "ts": "2001-02-03T04:05:06.5+02:00"},
            {"role": "user", "text": "b", "ts": "2099-01-01T00:00:00Z"},
        )
    )
    assert import_turns(api, found) == ImportCounts(added=2, clamped=1)
    assert api.read("/v1/conversations/c")["turns"][0]["ts"] == "2001-02-03T02:05:06.5Z"


def test_title_folder_metadata_and_archived_come_with_the_turns(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    head = {"title": "T", "folder": "f", "metadata": {"k": 1}}
    import_turns(api, FoundConversation("c", numbered(1), head, archived=True))
    read = api.read("/v1/conversations/c")
    assert {name: read[name] for name in head} == head
    assert read["archived"] is True


def test_a_conversation_without_turns_is_created(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    assert import_turns(api, conversation_of(())) == ImportCounts()
    assert api.read("/v1/conversations/c")["turn_count"] == 0


def test_progress_ends_at_the_number_of_turns(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    done: list[int] = []
    import_turns(api, conversation_of(numbered(MAX_BATCH_TURNS + 1)), progress=done.append)
    assert done == [0, MAX_BATCH_TURNS, MAX_BATCH_TURNS + 1]


def _redacted_record(*texts: str) -> FoundConversation:
    """A record whose second turn was redacted to nothing."""
    turns: list[JsonObject] = [{"role": "user", "text": text} for text in texts]
    turns[1] = {"role": "user", "text": "", "ts": "2026-01-01T00:00:00Z", "redacted": True}
    document = {"conversation_id": "c", "turns": turns, "updated": "2026-01-01T00:00:00Z"}
    return conversation_of_record(document | {"title": "T"}, encoded(document))


def test_a_record_with_a_redacted_turn_is_not_appended_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    """It would be ignored as blank, and every later turn would have another number."""
    api, _ = open_store(tmp_path)
    with pytest.raises(
        CliError, match=r"redacted turns cannot be appended.* conversation=c turn=1"
    ):
        import_turns(api, _redacted_record("a", "b", "c"))
    with pytest.raises(CliError, match="code=not_found"):
        api.read("/v1/conversations/c")


def test_a_redacted_turn_that_is_there_is_no_hindrance_to_those_after_it(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    import_turns(api, conversation_of(numbered(2)))
    api.call("PATCH", "/v1/conversations/c/turns/1", body={"text": ""})
    found = _redacted_record("t0", "", "new")
    assert import_turns(api, found) == ImportCounts(added=1, there=2)
    assert import_turns(api, found) == ImportCounts(there=3)


@pytest.mark.parametrize(
    ("turns", "head"),
    [
        (numbered(1), {}),
        (numbered(1), {"title": "T"}),
        ((), {}),
        (({"role": "user", "text": " "},), {}),
    ],
)
def test_a_deleted_conversation_is_named_and_not_created_anew(
    tmp_path: Path, turns: tuple[JsonObject, ...], head: JsonObject
) -> None:
    api, _ = open_store(tmp_path)
    import_turns(api, conversation_of(numbered(1)))
    api.call("DELETE", "/v1/conversations/c")
    with pytest.raises(
        CliError, match=r"the conversation was deleted.* code=conversation_gone conversation=c$"
    ):
        import_turns(api, conversation_of(turns, **head))
    with pytest.raises(CliError, match="code=not_found"):
        api.read("/v1/conversations/c")
