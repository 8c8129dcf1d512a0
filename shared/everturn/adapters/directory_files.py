"""The steps of a durable write and of an untorn read, on single files.

Not here: keys, locks and preconditions. `OSError` passes through; the store translates it.
"""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from everturn.errors import CorruptRecordError
from everturn.ports.object_store import Etag

# File systems keep times in steps between 1 ns (ext4, APFS) and 2 s (FAT); each is tried in turn.
# https://learn.microsoft.com/en-us/windows/win32/sysinfo/file-times
_TIME_STEPS_NS: Final = (0, 1_000, 1_000_000, 1_000_000_000, 2_000_000_000)


@dataclass(frozen=True, slots=True)
class FileRead:
    """What one read saw; `torn` says that somebody wrote meanwhile and the body is no version."""

    etag: Etag
    body: bytes
    torn: bool = False


def etag_of(state: os.stat_result) -> Etag:
    """Return `{mtime_ns}-{size}`."""
    return Etag(f"{state.st_mtime_ns}-{state.st_size}")


def state_of(path: Path) -> os.stat_result | None:
    """Return the state of a regular file, None if there is none."""
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return state if stat.S_ISREG(state.st_mode) else None


def read_file(path: Path, *, unless_etag: Etag | None) -> FileRead | None:
    """Read one file, None if absent; the body stays unread where the etag is `unless_etag`."""
    try:
        with path.open("rb", buffering=0) as file:
            before = etag_of(os.fstat(file.fileno()))
            if before == unless_etag:
                return FileRead(before, b"")
            body = file.readall()
            after = etag_of(os.fstat(file.fileno()))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    whole = before == after and before.endswith(f"-{len(body)}")
    return FileRead(before, body, torn=not whole)


def write_file(path: Path, body: bytes, *, at_ns: int, after_ns: int, mode: int) -> Etag:
    """Write and fsync a file; an abandoned one at this path is replaced.

    Args:
        path: where.
        body: the whole content.
        at_ns: its modification time in Unix nanoseconds, unless that is not above `after_ns`.
        after_ns: the time that it must be above, whatever the clock says.
        mode: its permissions.

    Returns:
        The etag that it has, and keeps when it is renamed.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(body)
        file.flush()
        os.fchmod(descriptor, mode)
        state = _stamp(descriptor, max(at_ns, after_ns + 1), after_ns)
        os.fsync(descriptor)
    return etag_of(state)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, durably."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable: a rename alone may be lost with the power."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_sidecar(folder: Path, etag: Etag) -> dict[str, str] | None:
    """Read the metadata of one version, None if it has none.

    Raises:
        CorruptRecordError: the file is damaged.
    """
    try:
        text = (folder / etag).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return {str(name): str(value) for name, value in json.loads(text).items()}
    except (ValueError, AttributeError) as exc:
        raise CorruptRecordError("the metadata of an object cannot be read") from exc


def write_sidecar(folder: Path, etag: Etag, meta: Mapping[str, str]) -> None:
    """Write the metadata of a version that nobody can see yet; durable on return."""
    if not meta:
        (folder / etag).unlink(missing_ok=True)
        return
    make_folder(folder)
    with (folder / etag).open("wb") as file:
        file.write(json.dumps(dict(meta)).encode("ascii"))
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)


def drop_sidecars(folder: Path, *, keep: Etag | None) -> None:
    """Remove the metadata of all versions but one."""
    if not folder.is_dir():
        return
    for sidecar in folder.iterdir():
        if sidecar.name != keep:
            sidecar.unlink(missing_ok=True)
    if keep is None:
        folder.rmdir()


def raise_floor(path: Path, at_least_ns: int) -> None:
    """Give an empty file at least this modification time in Unix nanoseconds."""
    path.touch(0o600)
    os.utime(path, ns=(at_least_ns, at_least_ns))


def _stamp(descriptor: int, at_ns: int, after_ns: int) -> os.stat_result:
    for step_ns in _TIME_STEPS_NS:
        os.utime(descriptor, ns=(at_ns + step_ns, at_ns + step_ns))
        state = os.fstat(descriptor)
        if state.st_mtime_ns > after_ns:
            break
    return state
