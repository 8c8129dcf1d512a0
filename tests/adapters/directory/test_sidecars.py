"""What the directory store makes of metadata that is damaged, unreadable or planted."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.directory.planted_things import IN_THE_WAY, NO_FILES
from everturn.adapters.directory import files
from everturn.adapters.directory.layout import DirectoryLayout, Place
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.errors import UnavailableError
from everturn.ports.object_store import ABSENT, Etag, StoredObject
from ports.object_store_contract import stored

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


DAMAGE = [b"", b"{", b"[]", b"1", b"null", b"\xff", b"[" * 100_000, b'{"a":' * 100_000]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: repr(damage[:6]))
def test_a_damaged_sidecar_is_no_metadata_until_the_next_write(
    store: DirectoryStore, place: Place, damage: bytes
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT, meta={"n": "1"})
    (place.sidecars / etag).write_bytes(damage)
    assert stored(store, HEAD) == StoredObject(b"1", etag, {})
    etag = store.put(HEAD, b"2", expect=etag, meta={"n": "2"})
    assert stored(store, HEAD) == StoredObject(b"2", etag, {"n": "2"})
    assert [path.name for path in place.sidecars.iterdir()] == [etag]


@pytest.mark.parametrize("plant", NO_FILES)
def test_a_sidecar_that_is_no_file_is_no_metadata_until_the_next_write(
    store: DirectoryStore, place: Place, plant: Callable[[Path], None]
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT, meta={"n": "1"})
    (place.sidecars / etag).unlink()
    plant(place.sidecars / etag)
    assert stored(store, HEAD) == StoredObject(b"1", etag, {})
    etag = store.put(HEAD, b"2", expect=etag, meta={"n": "2"})
    assert stored(store, HEAD) == StoredObject(b"2", etag, {"n": "2"})
    assert [path.name for path in place.sidecars.iterdir()] == [etag]


def test_a_full_folder_in_place_of_a_sidecar_hinders_no_delete(
    store: DirectoryStore, place: Place
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT)
    (place.sidecars / etag / "full").mkdir(parents=True)
    store.delete(HEAD, expect=etag)
    assert not place.sidecars.exists()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EINVAL])
def test_a_sidecar_that_may_not_be_read_is_no_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(os, "open", refusing(number))
    assert files.read_sidecar(tmp_path, Etag("1-1")) == {}


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.EIO])
def test_a_sidecar_that_cannot_be_read_for_now_is_not_taken_for_an_empty_one(
    store: DirectoryStore, place: Place, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The next write would drop the metadata for good."""
    etag = store.put(HEAD, b"1", expect=ABSENT, meta={"n": "1"})
    monkeypatch.setattr(os, "open", refusing(number, only=place.sidecars / etag))
    with pytest.raises(UnavailableError):
        store.get(HEAD)


def refusing(number: int, *, only: Path | None = None) -> Callable[..., int]:
    """An `os.open` that fails, for one path or for all."""
    usual = os.open

    def refuse(path: Path, flags: int, mode: int = 0o777) -> int:
        if only in (None, path):
            raise OSError(number, "no")
        return usual(path, flags, mode)

    return refuse


@pytest.mark.parametrize("plant", IN_THE_WAY)
@pytest.mark.parametrize("meta", [{}, {"n": "1"}])
def test_metadata_go_through_nothing_that_was_planted_at_their_name(
    tmp_path: Path, outside: Path, plant: Callable[[Path, Path], None], meta: dict[str, str]
) -> None:
    folder, etag = tmp_path / "sidecars", Etag("1-1")
    folder.mkdir()
    plant(folder / etag, outside)
    files.write_sidecar(folder, etag, meta)
    assert outside.read_bytes() == b"not ours"
    assert files.read_sidecar(folder, etag) == (meta or None)


def test_files_behind_a_linked_folder_of_metadata_are_not_removed(
    store: DirectoryStore, place: Place, outside: Path
) -> None:
    place.sidecars.parent.mkdir(parents=True)
    place.sidecars.symlink_to(outside.parent)
    etag = store.put(HEAD, b"1", expect=ABSENT)
    store.delete(HEAD, expect=etag)
    assert outside.read_bytes() == b"not ours"
