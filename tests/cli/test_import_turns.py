import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.stores import open_store
from everturn.cli.api import encoded
from everturn.cli.conversation_files import (
    FoundConversation,
    JsonObject,
    conversation_of_record,
)
from everturn.cli.failures import CliError
from everturn.cli.import_turns import (
    MAX_BATCH_BYTES,
    MAX_BATCH_TURNS,
    ImportCounts,
    batches,
    import_turns,
)


def _turns(count: int, prefix: str = "t") -> tuple[JsonObject, ...]:
    return tuple({"role": "user", "text": f"{prefix}{number}"} for number in range(count))


def _found(turns: tuple[JsonObject, ...], **head: object) -> FoundConversation:
    return FoundConversation("c", turns, dict(head))


@given(st.lists(st.integers(0, 300_000), max_size=450))
def test_batches_keep_order_and_stay_within_their_bounds(sizes: list[int]) -> None:
    turns = [{"role": "user", "text": "x" * (size // 10 if size % 7 else size)} for size in sizes]
    cut = list(batches(turns))
    assert [turn for batch in cut for turn in batch] == turns
    for batch in cut:
        assert 0 < len(batch) <= MAX_BATCH_TURNS
        assert len(batch) == 1 or sum(len(encoded(turn)) for turn in batch) <= MAX_BATCH_BYTES


def test_the_same_turns_twice_are_there_once_after_many_other_appends(tmp_path: Path) -> None:
    """The ring of keys holds 60; the comparison needs none."""
    api, _ = open_store(tmp_path)
    found = _found(_turns(3))
    assert import_turns(api, found) == ImportCounts(added=3)
    for number in range(61):
        body = {"turns": [{"role": "user", "text": f"later {number}"}]}
        api.call("POST", "/v1/conversations/c/turns", body=body)
    assert import_turns(api, found) == ImportCounts(there=3)
    assert api.read("/v1/conversations/c/turns", {"last": 1})["turn_count"] == 64


def test_turns_that_the_api_cannot_take_are_named_and_nothing_is_sent(tmp_path: Path) -> None:
    api, transport = open_store(tmp_path)
    refused = FoundConversation("c", (), {"title": "T"}, refused="no role position=$.turns[0]")
    with pytest.raises(CliError, match=r"^no role position=\$\.turns\[0\]$"):
        import_turns(api, refused)
    assert transport.sent == []


def test_only_the_rest_is_appended_to_what_is_there(tmp_path: Path) -> None:
    api, transport = open_store(tmp_path)
    import_turns(api, _found(_turns(2)))
    assert import_turns(api, _found(_turns(5))) == ImportCounts(added=3, there=2)
    sent = json.loads(transport.appends[-1].content)
    assert [turn["text"] for turn in sent["turns"]] == ["t2", "t3", "t4"]
    assert sent["expected_turn_count"] == 2


@pytest.mark.parametrize("other", [{"text": "u0"}, {"role": "assistant"}])
def test_other_turns_are_an_error_and_nothing_is_changed(tmp_path: Path, other: JsonObject) -> None:
    api, transport = open_store(tmp_path)
    import_turns(api, _found(_turns(2)))
    first, *rest = _turns(3)
    with pytest.raises(CliError, match=r"other turns than the file conversation=c turn=0$"):
        import_turns(api, _found((first | other, *rest)))
    assert len(transport.appends) == 1


@pytest.mark.parametrize("after_commit", [False, True])
def test_an_interrupted_import_goes_on_when_run_again(
    tmp_path: Path, *, after_commit: bool
) -> None:
    """Whether the batch that was cut off is stored or not."""
    broken: list[httpx.Request] = []

    def break_second(request: httpx.Request) -> httpx.Response | None:
        if len(transport.appends) == 2 and not broken:
            broken.append(request)
            if after_commit:
                transport.handle_request(request)
            raise httpx.ReadError("cut off")
        return None

    api, transport = open_store(tmp_path, break_second)
    found = _found(_turns(3 * MAX_BATCH_TURNS))
    with pytest.raises(CliError, match="the connection failed"):
        import_turns(api, found)
    there = MAX_BATCH_TURNS * (2 if after_commit else 1)
    assert import_turns(api, found) == ImportCounts(3 * MAX_BATCH_TURNS - there, there)
    page = api.read("/v1/conversations/c/turns", {"from": 0, "limit": 1_000})
    assert [turn["text"] for turn in page["turns"]] == [turn["text"] for turn in found.turns]


def test_a_write_in_between_is_said_and_nothing_is_mixed(tmp_path: Path) -> None:
    def write_first(request: httpx.Request) -> httpx.Response | None:
        if "idempotency-key" in request.headers and len(transport.appends) == 1:
            body = {"turns": [{"role": "user", "text": "other"}]}
            api.call("POST", "/v1/conversations/c/turns", body=body)
        return None

    api, transport = open_store(tmp_path, write_first)
    with pytest.raises(CliError, match="written to meanwhile"):
        import_turns(api, _found(_turns(2)))
    assert api.read("/v1/conversations/c/turns", {"last": 5})["turn_count"] == 1


def test_a_request_that_arrives_twice_is_one_append(tmp_path: Path) -> None:
    def deliver_before(request: httpx.Request) -> httpx.Response | None:
        if request.method == "POST":
            first.handle_request(request)
        return None

    _, first = open_store(tmp_path)
    api, _ = open_store(tmp_path, deliver_before)
    found = _found(_turns(MAX_BATCH_TURNS + 1))
    assert import_turns(api, found) == ImportCounts(added=MAX_BATCH_TURNS + 1)
    assert len(first.appends) == 2
    assert api.read("/v1/conversations/c/turns", {"last": 1})["turn_count"] == MAX_BATCH_TURNS + 1


def test_a_batch_that_arrives_late_is_known_again(tmp_path: Path) -> None:
    """It was cut off on its way, and commits after the next import has looked what is there."""
    late: list[httpx.Request] = []

    def hold(request: httpx.Request) -> httpx.Response | None:
        if request.method == "POST" and not late:
            late.append(request)
            raise httpx.ReadError("cut off")
        if request.method == "POST":
            first.handle_request(late[0])
        return None

    _, first = open_store(tmp_path)
    api, _ = open_store(tmp_path, hold)
    with pytest.raises(CliError, match="the connection failed"):
        import_turns(api, _found(_turns(2)))
    assert import_turns(api, _found(_turns(2))) == ImportCounts(added=2)
    assert api.read("/v1/conversations/c/turns", {"last": 1})["turn_count"] == 2


def test_a_long_conversation_twice_is_there_once(tmp_path: Path) -> None:
    """It is compared to its end, past the first page of the API."""
    api, _ = open_store(tmp_path)
    found = _found(_turns(1_001))
    assert import_turns(api, found) == ImportCounts(added=1_001)
    assert import_turns(api, found) == ImportCounts(there=1_001)


def test_nothing_is_appended_where_it_cannot_be_told_what_is_there(tmp_path: Path) -> None:
    """Turns that were not compared would be appended a second time."""

    def fail_second_page(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(503) if request.url.params.get("from") == "1000" else None

    api, transport = open_store(tmp_path, fail_second_page)
    import_turns(api, _found(_turns(1_001)))
    appends = len(transport.appends)
    with pytest.raises(CliError, match="status=503"):
        import_turns(api, _found(_turns(1_001)))
    assert len(transport.appends) == appends


def test_batches_that_are_alike_are_all_appended(tmp_path: Path) -> None:
    """They are no repetitions of one another."""
    api, _ = open_store(tmp_path)
    found = _found(_turns(1) * (3 * MAX_BATCH_TURNS))
    assert import_turns(api, found) == ImportCounts(added=3 * MAX_BATCH_TURNS)
    assert api.read("/v1/conversations/c/turns", {"last": 1})["turn_count"] == 3 * MAX_BATCH_TURNS


def test_other_turns_in_the_place_of_some_that_were_taken_back_are_appended(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    import_turns(api, _found(_turns(2)))
    api.call("DELETE", "/v1/conversations/c/turns/last", params={"expected_turn_count": 2})
    api.call("DELETE", "/v1/conversations/c/turns/last", params={"expected_turn_count": 1})
    assert import_turns(api, _found(_turns(2, "u"))) == ImportCounts(added=2)


def test_blank_turns_are_ignored_both_times(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    blank: JsonObject = {"role": "user", "text": "\u200b "}
    found = _found((blank, *_turns(2), blank))
    assert import_turns(api, found) == ImportCounts(added=2, ignored=2)
    assert import_turns(api, found) == ImportCounts(there=2, ignored=2)
    grown = _found((*found.turns, {"role": "user", "text": "new"}))
    assert import_turns(api, grown) == ImportCounts(added=1, there=2, ignored=2)


def test_texts_are_compared_as_the_store_keeps_them(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    found = _found(
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
    found = _found(
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
    import_turns(api, FoundConversation("c", _turns(1), head, archived=True))
    read = api.read("/v1/conversations/c")
    assert {name: read[name] for name in head} == head
    assert read["archived"] is True


def test_what_is_said_of_a_conversation_that_is_there_stays(tmp_path: Path) -> None:
    """It was changed since: the file does not change it back."""
    api, _ = open_store(tmp_path)
    found = FoundConversation("c", _turns(1), {"title": "T"}, archived=True)
    import_turns(api, found)
    api.call("PATCH", "/v1/conversations/c", body={"title": "mine", "archived": False})
    import_turns(api, found)
    read = api.read("/v1/conversations/c")
    assert (read["title"], read.get("archived", False)) == ("mine", False)


def test_a_conversation_without_turns_is_created(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    assert import_turns(api, _found(())) == ImportCounts()
    assert api.read("/v1/conversations/c")["turn_count"] == 0


def test_progress_ends_at_the_number_of_turns(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    done: list[int] = []
    import_turns(api, _found(_turns(MAX_BATCH_TURNS + 1)), progress=done.append)
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
    import_turns(api, _found(_turns(2)))
    api.call("PATCH", "/v1/conversations/c/turns/1", body={"text": ""})
    found = _redacted_record("t0", "", "new")
    assert import_turns(api, found) == ImportCounts(added=1, there=2)
    assert import_turns(api, found) == ImportCounts(there=3)


@pytest.mark.parametrize(
    ("turns", "head"),
    [
        (_turns(1), {}),
        (_turns(1), {"title": "T"}),
        ((), {}),
        (({"role": "user", "text": " "},), {}),
    ],
)
def test_a_deleted_conversation_is_named_and_not_created_anew(
    tmp_path: Path, turns: tuple[JsonObject, ...], head: JsonObject
) -> None:
    api, _ = open_store(tmp_path)
    import_turns(api, _found(_turns(1)))
    api.call("DELETE", "/v1/conversations/c")
    with pytest.raises(
        CliError, match=r"the conversation was deleted.* code=conversation_gone conversation=c$"
    ):
        import_turns(api, _found(turns, **head))
    with pytest.raises(CliError, match="code=not_found"):
        api.read("/v1/conversations/c")
