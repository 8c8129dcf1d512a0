"""What the directory store does when files change under it, or the system fails."""

import errno
import os
from pathlib import Path

import pytest
from filelock import FileLock

from everturn.adapters.directory import files
from everturn.adapters.directory import store as directory_store
from everturn.adapters.directory import store as removal
from everturn.adapters.directory.files import FileRead
from everturn.adapters.directory.layout import DirectoryLayout
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.errors import (
    AccessDeniedError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.ports.object_store import ABSENT, ANY, Etag, StoredObject
from ports.object_store_contract import stored

HEAD = "c/local/local/chat.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "a root" / "conversations"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(root: Path, clock: ManualClock) -> DirectoryStore:
    return DirectoryStore(root, clock=clock)


def test_a_version_whose_sidecar_went_during_the_read_is_read_again(
    store: DirectoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(HEAD, b"1", expect=ABSENT, meta={"n": "1"})
    read_file = files.read_file
    interruptions = [b"2", b"3"]

    def read_then_replace(path: Path, *, unless_etag: Etag | None) -> FileRead | None:
        seen = read_file(path, unless_etag=unless_etag)
        if seen and interruptions:
            body = interruptions.pop(0)
            store.put(HEAD, body, expect=seen.etag, meta={"n": body.decode()})
        return seen

    monkeypatch.setattr(directory_store, "read_file", read_then_replace)
    found = stored(DirectoryStore(root, clock=ManualClock()), HEAD)
    assert (found.body, found.meta) == (b"3", {"n": "3"})


def test_a_file_that_never_rests_is_unavailable(
    store: DirectoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(_path: Path, *, unless_etag: Etag | None) -> FileRead:
        return FileRead(Etag(f"not {unless_etag}"), b"", torn=True)

    monkeypatch.setattr(directory_store, "read_file", torn)
    with pytest.raises(UnavailableError):
        store.get(HEAD)


def test_a_body_that_grew_during_the_read_is_torn(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"12")
    fstat, calls = os.fstat, 0

    def grow(descriptor: int) -> os.stat_result:
        nonlocal calls
        calls += 1
        state = fstat(descriptor)
        if calls == 1:
            file.write_bytes(b"123")
        return state

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fstat", grow)
        seen = files.read_file(file, unless_etag=None)
    assert seen
    assert seen.torn
    whole = files.read_file(file, unless_etag=None)
    assert whole
    assert not whole.torn


def test_a_foreign_write_between_check_and_rename_is_not_lost(
    store: DirectoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT)
    write_sidecar = files.write_sidecar

    def foreign_write_first(folder: Path, new: Etag, meta: dict[str, str]) -> None:
        (root / "chat.json").write_bytes(b"theirs")
        write_sidecar(folder, new, meta)

    monkeypatch.setattr(directory_store, "write_sidecar", foreign_write_first)
    with pytest.raises(PreconditionFailedError):
        store.put(HEAD, b"2", expect=etag, meta={"n": "2"})
    found = stored(store, HEAD)
    assert (found.body, found.meta) == (b"theirs", {})


def test_a_lock_that_is_not_had_in_time_is_unavailable(
    store: DirectoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT)
    monkeypatch.setattr(directory_store, "_LOCK_TIMEOUT_S", 0.01)
    with FileLock(str(DirectoryLayout(root).place(HEAD).lock)):
        with pytest.raises(UnavailableError):
            store.put(HEAD, b"2", expect=etag)
        assert stored(store, HEAD).body == b"1"
    store.put(HEAD, b"2", expect=etag)


def test_lock_files_outlive_their_use(store: DirectoryStore, root: Path) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT)
    lock = DirectoryLayout(root).place(HEAD).lock
    inode = lock.stat().st_ino
    store.put(HEAD, b"2", expect=etag)
    store.delete(HEAD, expect=ANY)
    assert lock.stat().st_ino == inode


def test_a_full_disk_before_the_rename_changes_nothing(
    store: DirectoryStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT, meta={"n": "1"})

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnavailableError, match="ENOSPC"):
        store.put(HEAD, b"2", expect=etag)
    assert stored(store, HEAD) == StoredObject(b"1", etag, {"n": "1"})
    assert not DirectoryLayout(root).place(HEAD).temporary.exists()


def test_a_failure_after_the_rename_leaves_the_outcome_unknown(
    store: DirectoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT)

    def broken(_folder: Path) -> None:
        raise OSError(errno.EIO, "broken")

    for module in (directory_store, removal):
        monkeypatch.setattr(module, "sync_folder", broken)
    with pytest.raises(OutcomeUnknownError):
        store.put(HEAD, b"2", expect=etag)
    assert stored(store, HEAD).body == b"2"
    with pytest.raises(OutcomeUnknownError):
        store.delete(HEAD, expect=ANY)
    assert store.get(HEAD) is None
    with pytest.raises(OutcomeUnknownError):
        store.put(HEAD, b"3", expect=ABSENT)
    assert store.delete_many([HEAD]) == (HEAD,)
    assert store.get(HEAD) is None


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.EBUSY, None), (errno.EACCES, AccessDeniedError)]
)
def test_a_key_that_fails_among_many_deletes_does_not_stop_the_rest(
    store: DirectoryStore,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    expected: type[Exception] | None,
) -> None:
    keys = [f"s/t/a/c/{name}" for name in "123"]
    for key in keys:
        store.put(key, b"1", expect=ABSENT)
    unlink = Path.unlink

    def fail_at_two(path: Path, missing_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - pathlib's own
        if path.name == "2":
            raise OSError(number, "a fault of the test")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", fail_at_two)
    if expected:
        with pytest.raises(expected):
            store.delete_many(keys)
    else:
        assert store.delete_many(keys) == (keys[1],)
    monkeypatch.undo()
    assert [entry.key for entry in store.list("s/").entries] == [keys[1]]
