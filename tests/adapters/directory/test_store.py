"""Where the directory store puts keys, and how it lives beside another program's files."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.errors import (
    AccessDeniedError,
    GoneError,
    InvalidRequestError,
    PreconditionFailedError,
)
from everturn.ports.object_store import ABSENT, ANY, Etag
from ports.object_store_contract import keys_of, stored

HEAD = "c/local/local/chat.json"
OTHER = "s/t/a/c/1.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "a root" / "conversations"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(root: Path, clock: ManualClock) -> DirectoryStore:
    return DirectoryStore(root, clock=clock)


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_head_of_the_local_scope_lies_flat_and_the_rest_apart(
    store: DirectoryStore, root: Path
) -> None:
    store.put(HEAD, b"{}", expect=ABSENT)
    store.put(OTHER, b"{}", expect=ABSENT)
    store.put("c/local/other/chat.json", b"{}", expect=ABSENT)
    assert [path.name for path in root.iterdir() if path.is_file()] == ["chat.json"]
    assert (root / ".everturn" / OTHER).read_bytes() == b"{}"
    assert (root / ".everturn/c/local/other/chat.json").exists()


def test_a_file_of_another_program_is_read_listed_and_replaced_in_place(
    store: DirectoryStore, root: Path
) -> None:
    root.mkdir(parents=True)
    (root / "chat.json").write_bytes(b"theirs")
    found = stored(store, HEAD)
    assert (found.body, found.meta) == (b"theirs", {})
    assert keys_of(store, "c/local/local/") == [HEAD]
    store.put(HEAD, b"ours", expect=found.etag, meta={"w": "1"})
    assert (root / "chat.json").read_bytes() == b"ours"
    assert stored(store, HEAD).meta == {"w": "1"}


def test_a_write_of_another_program_drops_our_meta_and_our_etag(
    store: DirectoryStore, root: Path
) -> None:
    etag = store.put(HEAD, b"ours", expect=ABSENT, meta={"w": "1"})
    (root / "chat.json").write_bytes(b"more")
    assert stored(store, HEAD).meta == {}
    with pytest.raises(PreconditionFailedError):
        store.put(HEAD, b"again", expect=etag)


def test_a_listing_of_heads_ignores_what_is_no_head(store: DirectoryStore, root: Path) -> None:
    store.put(HEAD, b"{}", expect=ABSENT)
    for name in (".hidden.json", "notes.txt", "chat.json.bak", "json"):
        (root / name).write_bytes(b"{}")
    (root / "folder.json").mkdir()
    (root / "sub").mkdir()
    (root / "sub" / "x.json").write_bytes(b"{}")
    (root / "dangling.json").symlink_to(root / "nowhere")
    (root / "no id of ours.json").write_bytes(b"{}")
    page = store.list("c/local/local/")
    assert [entry.key for entry in page.entries] == [HEAD, "c/local/local/no id of ours.json"]
    assert page.more is False
    assert stored(store, "c/local/local/no id of ours.json").body == b"{}"


def test_a_wider_prefix_lists_flat_heads_among_the_others(store: DirectoryStore) -> None:
    keys = ["c/a/a/1.json", HEAD, "c/z/z/1.json"]
    for key in keys:
        store.put(key, b"{}", expect=ABSENT, meta={"w": "1"})
    assert keys_of(store, "c/") == keys
    assert keys_of(store, "c/local/") == [HEAD]
    assert keys_of(store, HEAD) == [HEAD]
    assert keys_of(store, "c/loc") == [HEAD]
    assert keys_of(store, "") == keys


def test_a_name_that_is_no_utf8_is_listed_and_read(store: DirectoryStore, root: Path) -> None:
    root.mkdir(parents=True)
    (root / os.fsdecode(b"\xff.json")).write_bytes(b"{}")
    (root / "é.json").write_bytes(b"{}")
    keys = keys_of(store, "c/local/local/")
    assert keys == ["c/local/local/é.json", "c/local/local/\udcff.json"]
    assert [stored(store, key).body for key in keys] == [b"{}", b"{}"]


@pytest.mark.parametrize(
    "key",
    [
        "",
        "..",
        "../x",
        "c/../../x.json",
        "c/local/local/../../x.json",
        "c/local/local/..json",
        "c/local/local/.hidden.json",
        "c/local/local/a/b.json",
        "c/local/local/plain",
        "/etc/passwd",
        "c//x.json",
        "c/./x.json",
        "c/x/",
        "c/x\0.json",
        "meta/x",
        "tmp/00",
        "locks/00.lock",
    ],
)
def test_a_key_that_could_leave_its_place_is_refused_everywhere(
    store: DirectoryStore, root: Path, key: str
) -> None:
    calls: list[Callable[[], object]] = [
        lambda: store.get(key),
        lambda: store.put(key, b"{}", expect=ABSENT),
        lambda: store.overwrite(key, b"{}"),
        lambda: store.delete(key, expect=ANY),
    ]
    for call in calls:
        with pytest.raises(InvalidRequestError):
            call()
    assert not root.exists()


def test_a_prefix_cannot_leave_the_root(store: DirectoryStore) -> None:
    with pytest.raises(InvalidRequestError):
        store.list("../")


def test_a_missing_root_is_an_empty_store_and_reading_makes_none(
    store: DirectoryStore, root: Path
) -> None:
    assert store.get(HEAD) is None
    assert store.list("c/local/local/").entries == ()
    store.delete(HEAD, expect=ANY)
    with pytest.raises(GoneError):
        store.delete(HEAD, expect=Etag("1-1"))
    assert not root.exists()


def test_a_folder_where_a_key_would_lie_is_an_absent_key(store: DirectoryStore, root: Path) -> None:
    (root / "chat.json").mkdir(parents=True)
    assert store.get(HEAD) is None
    with pytest.raises(AccessDeniedError):
        store.put(HEAD, b"{}", expect=ABSENT)


def test_a_key_below_another_object_is_absent_and_final(store: DirectoryStore) -> None:
    store.put("i/t/a", b"{}", expect=ABSENT)
    assert store.get("i/t/a/b") is None
    assert store.list("i/t/a/b/").entries == ()
    with pytest.raises(AccessDeniedError):
        store.put("i/t/a/b", b"{}", expect=ABSENT)
