"""What a store does, whoever keeps it: the SDK's own in memory, and ours, on the same calls."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import (
    SessionKey,
    SessionStore,
    delete_session_via_store,
    fork_session_via_store,
    get_session_info_from_store,
    get_session_messages_from_store,
    get_subagent_messages_from_store,
    import_session_to_store,
    list_sessions_from_store,
    list_subagents_from_store,
    project_key_for_directory,
    rename_session_via_store,
    tag_session_via_store,
)

from integrations.claude.claude_entries import (
    KEY,
    SUB,
    entry,
    key_in,
    names,
    plain,
    said,
    talk,
    uuid_of,
)
from integrations.claude.claude_stores import KINDS, store_of

pytestmark = pytest.mark.anyio


@pytest.fixture(params=KINDS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionStore]:
    async with store_of(request.param, tmp_path) as made:
        yield made


async def sub_of(store: SessionStore, key: SessionKey, name: str) -> SessionKey:
    sub: SessionKey = {**key, "subpath": f"subagents/agent-{name}"}
    shared: dict[str, Any] = {"isSidechain": True, "agentId": name}
    await store.append(sub, [said(11, "Look it up.", **shared)])
    await store.append(sub, [said(12, "Done.", role="assistant", **shared)])
    return sub


async def test_a_session_can_begin_again_after_it_was_deleted(store: SessionStore) -> None:
    await store.append(KEY, [entry(n=1, uuid="a", customTitle="first"), entry(n=2)])
    await store.append(SUB, [entry(n=3)])
    await store.delete(KEY)
    assert await store.load(KEY) is None

    await store.append(KEY, [entry(n=4, uuid="a")])
    await store.append(SUB, [entry(n=5)])
    assert names(await store.load(KEY)) == [4]
    assert names(await store.load(SUB)) == [5]
    (summary,) = await store.list_session_summaries("proj")
    assert "custom_title" not in summary["data"]


async def test_deleting_what_is_not_there_is_no_error(store: SessionStore) -> None:
    await store.delete(KEY)
    await store.delete(SUB)
    await store.append(KEY, [entry(n=1)])
    await store.delete(SUB)
    assert names(await store.load(KEY)) == [1]


async def test_the_newest_session_has_the_greatest_mtime(store: SessionStore) -> None:
    for name in "abc":
        await store.append({"project_key": "proj", "session_id": name}, [entry(n=1)])
    await store.append({"project_key": "proj", "session_id": "a"}, [entry(n=2)])
    listed = sorted(await store.list_sessions("proj"), key=lambda one: one["mtime"])
    assert [one["session_id"] for one in listed][-1] == "a"


async def test_a_summary_is_as_new_as_its_session(store: SessionStore) -> None:
    """Else the SDK reads each session whole to list them."""
    for n in range(3):
        await store.append(KEY, [entry(n=n)])
    (listed,) = await store.list_sessions("proj")
    (summary,) = await store.list_session_summaries("proj")
    assert summary["mtime"] == listed["mtime"]


async def test_helpers_list_and_read_what_was_mirrored(store: SessionStore, tmp_path: Path) -> None:
    key, session_id = key_in(tmp_path, 100)
    await store.append(key, talk(session_id))
    other, other_id = key_in(tmp_path, 101)
    await store.append(other, talk(other_id, "Plan a trip."))

    listed = await list_sessions_from_store(store, str(tmp_path))
    assert [one.summary for one in listed] == ["Plan a trip.", "My cat is called Nimbus."]
    assert [one.created_at for one in listed] == [1772359201000] * 2
    read = await get_session_messages_from_store(store, session_id, str(tmp_path))
    assert [(one.type, one.uuid) for one in read] == [
        ("user", uuid_of(1)),
        ("assistant", uuid_of(2)),
    ]


async def test_helpers_rename_tag_and_delete(store: SessionStore, tmp_path: Path) -> None:
    key, session_id = key_in(tmp_path, 100)
    folder = str(tmp_path)
    await store.append(key, talk(session_id))
    await rename_session_via_store(store, session_id, "The cat", folder)
    await tag_session_via_store(store, session_id, "pets", folder)
    (listed,) = await list_sessions_from_store(store, folder)
    assert (listed.summary, listed.custom_title, listed.tag) == ("The cat", "The cat", "pets")

    await tag_session_via_store(store, session_id, None, folder)
    info = await get_session_info_from_store(store, session_id, folder)
    (listed,) = await list_sessions_from_store(store, folder)
    assert info is not None
    assert info.tag is listed.tag is None
    await delete_session_via_store(store, session_id, folder)
    assert await list_sessions_from_store(store, folder) == []


async def test_a_fork_is_a_session_of_its_own(store: SessionStore, tmp_path: Path) -> None:
    key, session_id = key_in(tmp_path, 100)
    await store.append(key, talk(session_id))
    fork = await fork_session_via_store(store, session_id, str(tmp_path), title="Another way")

    forked = await get_session_messages_from_store(store, fork.session_id, str(tmp_path))
    original = await get_session_messages_from_store(store, session_id, str(tmp_path))
    assert [one.message for one in forked] == [one.message for one in original]
    assert not {one.uuid for one in forked} & {one.uuid for one in original}
    listed = await list_sessions_from_store(store, str(tmp_path))
    assert [one.summary for one in listed] == ["Another way", "My cat is called Nimbus."]


async def test_helpers_find_subagents(store: SessionStore, tmp_path: Path) -> None:
    key, session_id = key_in(tmp_path, 100)
    folder = str(tmp_path)
    await store.append(key, talk(session_id))
    await sub_of(store, key, "one")
    await sub_of(store, key, "two")

    assert sorted(await list_subagents_from_store(store, session_id, folder)) == ["one", "two"]
    read = await get_subagent_messages_from_store(store, session_id, "one", folder)
    assert [(one.type, one.message["content"]) for one in read] == [
        ("user", "Look it up."),
        ("assistant", "Done."),
    ]
    (listed,) = await list_sessions_from_store(store, folder)
    assert listed.session_id == session_id


async def test_a_local_session_is_imported_with_its_subagents(
    store: SessionStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    session_id = uuid_of(100)
    home = tmp_path / "config" / "projects" / project_key_for_directory(tmp_path)
    below = home / session_id / "subagents" / "agent-one.jsonl"
    below.parent.mkdir(parents=True)
    lines = [json.dumps(one) for one in talk(session_id)]
    (home / f"{session_id}.jsonl").write_text("\n".join(lines))
    below.write_text(json.dumps(said(11, "Look it up.", isSidechain=True)))
    below.with_name("agent-one.meta.json").write_text('{"agentType": "finder"}')

    await import_session_to_store(session_id, store, directory=str(tmp_path), batch_size=3)
    key = SessionKey(project_key=home.name, session_id=session_id)
    assert await store.load(key) == talk(session_id)
    loaded = await store.load({**key, "subpath": "subagents/agent-one"})
    assert [one["type"] for one in loaded or ()] == ["user", "agent_metadata"]


async def test_both_kinds_list_the_same(tmp_path: Path) -> None:
    """The whole of what the SDK makes of a store, field for field."""
    rows = []
    for kind in KINDS:
        async with store_of(kind, tmp_path) as store:
            for number in (100, 101, 102):
                key, session_id = key_in(tmp_path, number)
                await store.append(key, talk(session_id, f"Prompt {number}"))
            await rename_session_via_store(store, uuid_of(101), "Named", str(tmp_path))
            rows.append(plain(await list_sessions_from_store(store, str(tmp_path), limit=2)))
    assert rows[0] == rows[1]
    assert [one["summary"] for one in rows[0]] == ["Named", "Prompt 102"]
