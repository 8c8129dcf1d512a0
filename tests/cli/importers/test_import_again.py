"""Imports that are run again, broken off, or overtaken: nothing is doubled, and nothing lost."""

import json
from pathlib import Path

import httpx
import pytest

from cli.output.found_turns import conversation_of, numbered
from cli.stores import open_store
from everturn.cli.importers.conversation_files import FoundConversation
from everturn.cli.importers.turns import MAX_BATCH_TURNS, ImportCounts, import_turns
from everturn.cli.output.errors import CliError


def test_the_same_turns_twice_are_there_once_after_many_other_appends(tmp_path: Path) -> None:
    """The ring of keys holds 60; the comparison needs none."""
    api, _ = open_store(tmp_path)
    found = conversation_of(numbered(3))
    assert import_turns(api, found) == ImportCounts(added=3)
    for number in range(61):
        body = {"turns": [{"role": "user", "text": f"later {number}"}]}
        api.call("POST", "/v1/conversations/c/turns", body=body)
    assert import_turns(api, found) == ImportCounts(there=3)
    assert api.read("/v1/conversations/c/turns", {"last": 1})["turn_count"] == 64


def test_only_the_rest_is_appended_to_what_is_there(tmp_path: Path) -> None:
    api, transport = open_store(tmp_path)
    import_turns(api, conversation_of(numbered(2)))
    assert import_turns(api, conversation_of(numbered(5))) == ImportCounts(added=3, there=2)
    sent = json.loads(transport.appends[-1].content)
    assert [turn["text"] for turn in sent["turns"]] == ["t2", "t3", "t4"]
    assert sent["expected_turn_count"] == 2


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
    found = conversation_of(numbered(3 * MAX_BATCH_TURNS))
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
        import_turns(api, conversation_of(numbered(2)))
    assert api.read("/v1/conversations/c/turns", {"last": 5})["turn_count"] == 1


def test_a_request_that_arrives_twice_is_one_append(tmp_path: Path) -> None:
    def deliver_before(request: httpx.Request) -> httpx.Response | None:
        if request.method == "POST":
            first.handle_request(request)
        return None

    _, first = open_store(tmp_path)
    api, _ = open_store(tmp_path, deliver_before)
    found = conversation_of(numbered(MAX_BATCH_TURNS + 1))
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
        import_turns(api, conversation_of(numbered(2)))
    assert import_turns(api, conversation_of(numbered(2))) == ImportCounts(added=2)
    assert api.read("/v1/conversations/c/turns", {"last": 1})["turn_count"] == 2


def test_a_long_conversation_twice_is_there_once(tmp_path: Path) -> None:
    """It is compared to its end, past the first page of the API."""
    api, _ = open_store(tmp_path)
    found = conversation_of(numbered(1_001))
    assert import_turns(api, found) == ImportCounts(added=1_001)
    assert import_turns(api, found) == ImportCounts(there=1_001)


def test_nothing_is_appended_where_it_cannot_be_told_what_is_there(tmp_path: Path) -> None:
    """Turns that were not compared would be appended a second time."""

    def fail_second_page(request: httpx.Request) -> httpx.Response | None:
        return httpx.Response(503) if request.url.params.get("from") == "1000" else None

    api, transport = open_store(tmp_path, fail_second_page)
    import_turns(api, conversation_of(numbered(1_001)))
    appends = len(transport.appends)
    with pytest.raises(CliError, match="status=503"):
        import_turns(api, conversation_of(numbered(1_001)))
    assert len(transport.appends) == appends


def test_batches_that_are_alike_are_all_appended(tmp_path: Path) -> None:
    """They are no repetitions of one another."""
    api, _ = open_store(tmp_path)
    found = conversation_of(numbered(1) * (3 * MAX_BATCH_TURNS))
    assert import_turns(api, found) == ImportCounts(added=3 * MAX_BATCH_TURNS)
    assert api.read("/v1/conversations/c/turns", {"last": 1})["turn_count"] == 3 * MAX_BATCH_TURNS


def test_other_turns_in_the_place_of_some_that_were_taken_back_are_appended(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    import_turns(api, conversation_of(numbered(2)))
    api.call("DELETE", "/v1/conversations/c/turns/last", params={"expected_turn_count": 2})
    api.call("DELETE", "/v1/conversations/c/turns/last", params={"expected_turn_count": 1})
    assert import_turns(api, conversation_of(numbered(2, "u"))) == ImportCounts(added=2)


def test_what_is_said_of_a_conversation_that_is_there_stays(tmp_path: Path) -> None:
    """It was changed since: the file does not change it back."""
    api, _ = open_store(tmp_path)
    found = FoundConversation("c", numbered(1), {"title": "T"}, archived=True)
    import_turns(api, found)
    api.call("PATCH", "/v1/conversations/c", body={"title": "mine", "archived": False})
    import_turns(api, found)
    read = api.read("/v1/conversations/c")
    assert (read["title"], read.get("archived", False)) == ("mine", False)
