"""What a writer that died left of a body goes with the next removal, of whichever object."""

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from everturn.adapters.directory.layout import DirectoryLayout
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.ports.object_store import ABSENT, ANY

HEAD = "c/local/local/chat.json"
OTHERS = [f"s/t/a/c/{number}.json" for number in range(4)]

Removal = Callable[[DirectoryStore], object]

REMOVALS: list[Removal] = [
    lambda store: store.delete(HEAD, expect=ANY),
    lambda store: store.delete("o/never/there", expect=ANY),
    lambda store: store.delete_many([HEAD]),
    lambda store: store.overwrite("i/.sweep", b"{}"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "conversations"


@pytest.fixture
def store(root: Path) -> DirectoryStore:
    store = DirectoryStore(root, clock=ManualClock())
    store.put(HEAD, b"{}", expect=ABSENT)
    return store


def left_behind(root: Path) -> list[Path]:
    files = [DirectoryLayout(root).place(key).temporary for key in OTHERS]
    for file in files:
        file.write_bytes(b"what a user said")
    return files


@pytest.mark.parametrize("remove", REMOVALS)
def test_a_removal_takes_leftovers_of_every_shard_along(
    store: DirectoryStore, root: Path, remove: Removal
) -> None:
    left_behind(root)
    remove(store)
    assert list((root / ".everturn" / "tmp").iterdir()) == []


@pytest.mark.parametrize("remove", REMOVALS)
def test_what_a_live_writer_writes_is_left_and_not_waited_for(
    store: DirectoryStore, root: Path, remove: Removal
) -> None:
    live, *dead = left_behind(root)
    with FileLock(str(DirectoryLayout(root).place(OTHERS[0]).lock)):
        remove(store)
        assert live.read_bytes() == b"what a user said"
        assert not any(file.exists() for file in dead)


def test_a_leftover_that_cannot_be_locked_hinders_no_removal(
    store: DirectoryStore, root: Path, tmp_path: Path
) -> None:
    stuck, *dead = left_behind(root)
    DirectoryLayout(root).place(OTHERS[0]).lock.symlink_to(tmp_path / "outside")
    store.delete(HEAD, expect=ANY)
    assert store.get(HEAD) is None
    assert stuck.exists()
    assert not any(file.exists() for file in dead)
