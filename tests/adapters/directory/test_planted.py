"""What the directory store does with what somebody put into it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.directory.planted_things import IN_THE_WAY, NO_FILES
from everturn.adapters.directory import files, layout
from everturn.adapters.directory.layout import DirectoryLayout, Place
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.errors import AccessDeniedError
from everturn.ports.object_store import ABSENT, ANY
from ports.object_store_contract import keys_of, stored

HEAD = "c/local/local/chat.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "conversations"


@pytest.fixture
def store(root: Path) -> DirectoryStore:
    return DirectoryStore(root, clock=ManualClock())


@pytest.fixture
def place(root: Path) -> Place:
    return DirectoryLayout(root).place(HEAD)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file that no call may touch."""
    file = tmp_path / "outside"
    file.write_bytes(b"not ours")
    return file


@pytest.mark.parametrize("plant", NO_FILES)
def test_what_is_no_regular_file_is_absent(
    store: DirectoryStore, root: Path, plant: Callable[[Path], None]
) -> None:
    root.mkdir()
    plant(root / "chat.json")
    (root / "other.json").write_bytes(b"{}")
    assert files.read_file(root / "chat.json", unless_etag=None) is None
    assert files.state_of(root / "chat.json") is None
    assert store.get(HEAD) is None
    store.delete(HEAD, expect=ANY)
    assert keys_of(store, "c/") == ["c/local/local/other.json"]


def test_reading_what_is_no_regular_file_leaves_no_descriptor_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    before = os.dup(0)
    os.close(before)
    for _ in range(3):
        files.read_file(tmp_path / "x", unless_etag=None)
    after = os.dup(0)
    os.close(after)
    assert after == before


def test_a_put_takes_the_place_of_a_fifo(store: DirectoryStore, root: Path) -> None:
    root.mkdir()
    os.mkfifo(root / "chat.json")
    store.put(HEAD, b"1", expect=ABSENT)
    assert (root / "chat.json").read_bytes() == b"1"


class Unreadable:
    """An entry of a folder whose state the system does not tell."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self._number = number

    def stat(self) -> os.stat_result:
        raise OSError(self._number, "no")


@pytest.mark.parametrize("number", [errno.ENOENT, errno.ELOOP, errno.EACCES, errno.EIO])
def test_an_entry_whose_state_cannot_be_read_is_left_out_of_a_listing(
    store: DirectoryStore, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    store.put(HEAD, b"{}", expect=ABSENT)
    scan = layout._scan

    def with_unreadable(folder: Path) -> list[os.DirEntry[str] | Unreadable]:
        return [Unreadable("a.json", number), *scan(folder)]

    monkeypatch.setattr(layout, "_scan", with_unreadable)
    assert keys_of(store, "c/local/local/") == [HEAD]


@pytest.mark.parametrize("plant", IN_THE_WAY)
def test_a_write_goes_through_nothing_that_was_planted_at_its_temporary_name(
    store: DirectoryStore,
    root: Path,
    place: Place,
    outside: Path,
    plant: Callable[[Path, Path], None],
) -> None:
    place.temporary.parent.mkdir(parents=True)
    plant(place.temporary, outside)
    store.put(HEAD, b"ours", expect=ABSENT)
    assert outside.read_bytes() == b"not ours"
    assert outside.stat().st_nlink == 1
    assert not (root / "chat.json").is_symlink()
    assert (root / "chat.json").read_bytes() == b"ours"


def test_a_planted_lock_is_refused_and_not_followed(
    store: DirectoryStore, place: Place, outside: Path
) -> None:
    place.lock.parent.mkdir(parents=True)
    place.lock.symlink_to(outside)
    with pytest.raises(AccessDeniedError):
        store.put(HEAD, b"1", expect=ABSENT)
    assert outside.read_bytes() == b"not ours"


def test_a_planted_floor_is_refused_and_not_followed(
    store: DirectoryStore, place: Place, outside: Path
) -> None:
    etag, before = store.put(HEAD, b"1", expect=ABSENT), outside.stat()
    place.floor.symlink_to(outside)
    with pytest.raises(AccessDeniedError):
        store.delete(HEAD, expect=etag)
    assert outside.stat().st_mtime_ns == before.st_mtime_ns
    assert stored(store, HEAD).body == b"1"
