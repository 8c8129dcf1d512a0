"""What the directory store says of a root that is no folder or cannot be made."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from everturn.adapters.directory.layout import DirectoryLayout
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.errors import AccessDeniedError, MisconfiguredError
from everturn.ports.object_store import ABSENT, ANY, Etag

HEAD = "c/local/local/chat.json"
OTHER = "s/t/a/c/1.json"

CALLS: list[Callable[[DirectoryStore, str], object]] = [
    lambda store, key: store.get(key),
    lambda store, key: store.list(key),
    lambda store, _key: store.list(""),
    lambda store, key: store.put(key, b"1", expect=ABSENT),
    lambda store, key: store.put(key, b"1", expect=Etag("1-1")),
    lambda store, key: store.overwrite(key, b"1"),
    lambda store, key: store.delete(key, expect=ANY),
]


@pytest.mark.parametrize("key", [HEAD, OTHER])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("below", ["", "below", "far/below"])
def test_a_root_that_is_a_file_or_below_one_is_named_at_every_call(
    tmp_path: Path, below: str, call: Callable[[DirectoryStore, str], object], key: str
) -> None:
    file = tmp_path / "a file"
    file.write_bytes(b"not ours")
    with pytest.raises(MisconfiguredError, match="root of the directory store is no folder"):
        call(DirectoryStore(file / below, clock=ManualClock()), key)
    assert file.read_bytes() == b"not ours"


def test_a_folder_a_link_to_one_and_a_root_to_come_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    for root in (tmp_path, tmp_path / "link", tmp_path / "to/come"):
        DirectoryLayout(root).require_root()
    assert not (tmp_path / "to").exists()


def test_a_root_that_can_never_be_made_is_final_for_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system says ENOENT for a new folder in, say, /proc: waiting does not mend it."""

    def nowhere(_path: Path, mode: int = 0o777, *, exist_ok: bool = False) -> None:
        raise FileNotFoundError(errno.ENOENT, f"mode={mode} exist_ok={exist_ok}")

    monkeypatch.setattr(Path, "mkdir", nowhere)
    store = DirectoryStore(tmp_path / "nope", clock=ManualClock())
    with pytest.raises(AccessDeniedError, match="error=ENOENT"):
        store.put(HEAD, b"1", expect=ABSENT)
    assert store.get(HEAD) is None
    assert store.list("").entries == ()
