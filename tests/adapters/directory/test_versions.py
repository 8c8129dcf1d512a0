"""Etags, metadata and leftovers of the directory store's versions."""

import os
from multiprocessing import get_context
from pathlib import Path

import pytest

from emulation.counter_worker import count_up_in_directory
from everturn.adapters.directory.layout import DirectoryLayout
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock, SystemClock
from everturn.ports.object_store import ABSENT, ANY, StoredObject
from ports.object_store_contract import all_entries, stored

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


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_etags_differ_while_the_clock_stands_or_steps_back(
    store: DirectoryStore, clock: ManualClock
) -> None:
    etags = [store.put(HEAD, b"0", expect=ABSENT)]
    for number in range(1, 6):
        clock.sleep(-3600 if number % 2 else 0)
        etags.append(store.put(HEAD, b"%d" % number, expect=etags[-1]))
    assert len(set(etags)) == len(etags)
    assert etags == sorted(etags)


def test_an_etag_says_the_clock_s_time_and_the_size(
    store: DirectoryStore, clock: ManualClock
) -> None:
    assert store.put(HEAD, b"12345", expect=ABSENT) == f"{clock.now_ns()}-5"
    assert store.list("c/").entries[0].modified_ns == clock.now_ns()


def test_a_key_that_is_deleted_and_made_anew_repeats_no_etag(
    store: DirectoryStore, clock: ManualClock
) -> None:
    """Though the clock stands still, or steps back, and the size is the same."""
    seen = set()
    for number in range(4):
        clock.sleep(-1)
        seen.add(store.put(HEAD, b"%d" % number, expect=ABSENT))
        store.delete(HEAD, expect=ANY)
    assert len(seen) == 4


def test_a_file_system_of_coarse_times_still_gives_new_etags(
    store: DirectoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_time = os.utime

    def whole_seconds(path: int | Path, *, ns: tuple[int, int]) -> None:
        set_time(path, ns=(ns[0] // 10**9 * 10**9, ns[1] // 10**9 * 10**9))

    monkeypatch.setattr(os, "utime", whole_seconds)
    first = store.put(HEAD, b"1", expect=ABSENT)
    second = store.put(HEAD, b"2", expect=first)
    assert first != second
    assert stored(store, HEAD) == StoredObject(b"2", second)


def test_only_the_newest_version_keeps_a_sidecar(store: DirectoryStore, root: Path) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT, meta={"n": "1"})
    etag = store.put(HEAD, b"2", expect=etag, meta={"n": "2"})
    folder = root / ".everturn/meta" / HEAD
    assert [path.name for path in folder.iterdir()] == [etag]
    store.put(HEAD, b"3", expect=etag)
    assert list(folder.iterdir()) == []


def test_a_delete_leaves_nothing_of_the_object(store: DirectoryStore, root: Path) -> None:
    store.put(HEAD, b"secret", expect=ABSENT, meta={"n": "1"})
    store.delete(HEAD, expect=ANY)
    assert {Path(name).parts[1] for name in files_below(root)} == {"locks"}


def test_a_write_that_was_cut_off_leaves_the_old_version_and_no_hindrance(
    store: DirectoryStore, root: Path
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT, meta={"n": "1"})
    place = DirectoryLayout(root).place(HEAD)
    place.temporary.write_bytes(b"half of a long, long body")
    (place.sidecars / "1-1").write_bytes(b"half")
    assert stored(store, HEAD) == StoredObject(b"1", etag, {"n": "1"})
    etag = store.put(HEAD, b"2", expect=etag, meta={"n": "2"})
    assert stored(store, HEAD) == StoredObject(b"2", etag, {"n": "2"})
    assert not place.temporary.exists()


def test_a_new_file_is_its_owner_s_and_a_replaced_one_keeps_its_mode(
    store: DirectoryStore, root: Path
) -> None:
    etag = store.put(HEAD, b"1", expect=ABSENT)
    file = root / "chat.json"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o664)
    store.put(HEAD, b"2", expect=etag)
    assert file.stat().st_mode & 0o777 == 0o664


def test_processes_count_up_and_lose_nothing(root: Path) -> None:
    """4 processes x 50 compare-and-swaps on one file."""
    context = get_context("spawn")
    processes = [
        context.Process(target=count_up_in_directory, args=(str(root), HEAD, 50)) for _ in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    found = stored(DirectoryStore(root, clock=SystemClock()), HEAD)
    assert (found.body, found.meta) == (b"200", {"n": "200"})


def test_a_page_holds_all_there_is(store: DirectoryStore, root: Path) -> None:
    root.mkdir(parents=True)
    for number in range(1_100):
        (root / f"{number:04d}.json").write_bytes(b"{}")
    assert len(store.list("c/local/local/").entries) == len(all_entries(store, "c/")) == 1_100
