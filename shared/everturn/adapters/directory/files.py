"""The steps of a durable write and of an untorn read, on single files.

`OSError` passes through; the store translates it.
"""

import errno
import json
import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Final

from everturn.adapters.directory.errors import is_passing
from everturn.ports.object_store import Etag

# File systems keep times in steps between 1 ns (ext4, APFS) and 2 s (FAT); each is tried in turn.
# https://learn.microsoft.com/en-us/windows/win32/sysinfo/file-times
_TIME_STEPS_NS: Final = (0, 1_000, 1_000_000, 1_000_000_000, 2_000_000_000)

# A link that leads nowhere and a socket or device that nobody answers are no objects either.
# https://man7.org/linux/man-pages/man2/open.2.html
_NO_FILE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.ENODEV})
# Without O_NONBLOCK an open waits for ever at a FIFO, for a writer that never comes.
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
# A file of our own is always a new one: what was planted at its name is never written through.
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_TOUCH: Final = os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


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
    except OSError as exc:
        if exc.errno in _NO_FILE:
            return None
        raise
    return state if stat.S_ISREG(state.st_mode) else None


def read_file(path: Path, *, unless_etag: Etag | None) -> FileRead | None:
    """Read one regular file, None if there is none; never waits at what is something else.

    The body stays unread where the etag is `unless_etag`.
    """
    opened = _open_regular(path)
    if opened is None:
        return None
    file, state = opened
    with file:
        before = etag_of(state)
        if before == unless_etag:
            return FileRead(before, b"")
        body = file.readall()
        after = etag_of(os.fstat(file.fileno()))
    whole = before == after and before.endswith(f"-{len(body)}")
    return FileRead(before, body, torn=not whole)


def write_file(path: Path, body: bytes, *, at_ns: int, after_ns: int, mode: int) -> Etag:
    """Write and fsync a new file; what stands at this path is removed, never followed.

    Args:
        path: where.
        body: the whole content.
        at_ns: its modification time in Unix nanoseconds, unless that is not above `after_ns`.
        after_ns: the time that it must be above, whatever the clock says.
        mode: its permissions.

    Returns:
        The etag that it has, and keeps when it is renamed.
    """
    _clear(path)
    descriptor = os.open(path, _CREATE, 0o600)
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

    Metadata that is damaged or may not be read is {}, as that of a file of another program: the
    body is whole, and the next write replaces it.

    Raises:
        OSError: the system lacks something for now; {} would lose what is there.
    """
    try:
        seen = read_file(folder / etag, unless_etag=None)
    except OSError as exc:
        if is_passing(exc):
            raise
        return {}
    return None if seen is None else _meta_in(seen.body)


def write_sidecar(folder: Path, etag: Etag, meta: Mapping[str, str]) -> None:
    """Write the metadata of a version that nobody can see yet; durable on return."""
    if not meta:
        _clear(folder / etag)
        return
    make_folder(folder)
    _clear(folder / etag)
    with os.fdopen(os.open(folder / etag, _CREATE, 0o666), "wb") as file:
        file.write(json.dumps(dict(meta)).encode("ascii"))
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)


def drop_sidecars(folder: Path, *, keep: Etag | None) -> None:
    """Remove the metadata of all versions but one."""
    # Behind a link lie files that are not ours to remove.
    if folder.is_symlink() or not folder.is_dir():
        return
    for sidecar in folder.iterdir():
        if sidecar.name != keep:
            _clear(sidecar)
    if keep is None:
        folder.rmdir()


def raise_floor(path: Path, at_least_ns: int) -> None:
    """Give an empty file at least this modification time in Unix nanoseconds."""
    descriptor = os.open(path, _TOUCH, 0o600)
    try:
        os.utime(descriptor, ns=(at_least_ns, at_least_ns))
    finally:
        os.close(descriptor)


def _open_regular(path: Path) -> tuple[FileIO, os.stat_result] | None:
    try:
        descriptor = os.open(path, _READ)
    except OSError as exc:
        if exc.errno in _NO_FILE:
            return None
        raise
    state = os.fstat(descriptor)
    if stat.S_ISREG(state.st_mode):
        return os.fdopen(descriptor, "rb", buffering=0), state
    os.close(descriptor)
    return None


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _meta_in(text: bytes) -> dict[str, str]:
    try:
        return {str(name): str(value) for name, value in json.loads(text).items()}
    except (ValueError, AttributeError, RecursionError):
        return {}


def _stamp(descriptor: int, at_ns: int, after_ns: int) -> os.stat_result:
    for step_ns in _TIME_STEPS_NS:
        os.utime(descriptor, ns=(at_ns + step_ns, at_ns + step_ns))
        state = os.fstat(descriptor)
        if state.st_mtime_ns > after_ns:
            break
    return state
