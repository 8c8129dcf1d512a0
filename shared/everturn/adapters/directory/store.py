"""An object store in a directory, shared safely by threads, processes and the Go program.

Writers of one key take turns by a lock file; readers take no lock. A file that another program puts
into the root is an object without metadata. That program knows no lock, so a write checks the file
once more directly before the rename.

A delete is durable. Deleting many keys tries each of them, whatever becomes of the others. A delete
and an overwrite also remove the files that dead writers left.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from filelock import FileLock

from everturn.adapters.directory.errors import OsErrors
from everturn.adapters.directory.files import (
    FileRead,
    drop_sidecars,
    etag_of,
    make_folder,
    raise_floor,
    read_file,
    read_sidecar,
    state_of,
    sync_folder,
    write_file,
    write_sidecar,
)
from everturn.adapters.directory.layout import DirectoryLayout, Place
from everturn.errors import (
    AccessDeniedError,
    GoneError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.ports.clock import Clock
from everturn.ports.object_store import (
    ABSENT,
    ANY,
    UNCHANGED,
    Entry,
    Etag,
    Page,
    Sentinel,
    StoredObject,
    checked_keys,
    checked_meta,
)

# A write holds its lock for some fsyncs, about 2 ms each on a disk; a queue of hundreds is a fault.
_LOCK_TIMEOUT_S: Final = 10.0
_LOCK_POLL_S: Final = 0.002
# A read meets a write now and then; meeting one this often means that the file never rests.
_READ_ATTEMPTS: Final = 200
_READ_PAUSE_S: Final = 0.002


class DirectoryStore:
    """Objects as files; the etag is `{mtime_ns}-{size}`, and our writes repeat none of a key."""

    def __init__(self, root: Path, *, clock: Clock) -> None:
        """Take the root; it is made by the first write, and a missing one is an empty store."""
        self._layout = DirectoryLayout(root)
        self._clock = clock

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        """Read one object: None if absent, `UNCHANGED` if its etag is `unless_etag`.

        Raises:
            InvalidRequestError: the key could leave the root.
            UnavailableError: the file never rested, or the system lacks something for now.
            AccessDeniedError: the file may not be read.
            MisconfiguredError: the root is no folder.
        """
        place = self._layout.place(key)
        with OsErrors():
            self._layout.require_root()
            for _ in range(_READ_ATTEMPTS):
                seen = read_file(place.body, unless_etag=unless_etag)
                if seen is None:
                    return None
                if seen.etag == unless_etag:
                    return UNCHANGED
                found = _with_meta(place, seen)
                if found:
                    return found
                self._clock.sleep(_READ_PAUSE_S)
        raise UnavailableError(f"the object kept changing reads={_READ_ATTEMPTS}")

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        """Write one object if the key is as expected, else nothing.

        Raises:
            PreconditionFailedError: another object is there.
            GoneError: `expect` was an etag and the key is absent.
            OutcomeUnknownError: the file has its name but may not survive a power cut.
            InvalidRequestError: `meta` is too large or not ASCII, or the key could leave the root.
            UnavailableError: the lock was not had within 10 s, or the disk is full.
            AccessDeniedError: the file may not be written, or its folder cannot be made.
            MisconfiguredError: the root is no folder.
        """
        return self._write(key, body, expect, checked_meta(meta))

    def overwrite(self, key: str, body: bytes) -> Etag:
        """Write one object whatever is there; raises as `put` does."""
        return self._write(key, body, ANY, {})

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        """Remove one object if it has this etag, or with `ANY` whatever is there.

        What writers that died left of any object goes too: it may be of this one.

        Raises:
            PreconditionFailedError: the object has another etag.
            GoneError: `expect` was an etag and the key is absent.
            OutcomeUnknownError: the file is gone but may come back after a power cut.
            InvalidRequestError, UnavailableError, AccessDeniedError, MisconfiguredError: as `put`.
        """
        place = self._layout.place(key)
        with OsErrors() as errors:
            self._layout.require_root()
            remove_leftovers(self._layout.temporaries())
            # Without a file there is no need for a lock, nor to make a root for one.
            if _required(place, expect) is None:
                return
            with _locked(place):
                found = _required(place, expect)
                if found is not None:
                    remove_file(place, found, errors)

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Remove up to 1,000 objects one after the other; one that fails does not stop the rest.

        Returns:
            The keys whose delete was unavailable or unclear.

        Raises:
            InvalidRequestError, AccessDeniedError, MisconfiguredError: as `delete`.
        """
        return remove_each(checked_keys(keys), lambda key: self.delete(key, expect=ANY))

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        """List all keys that begin with `prefix`, in byte order and in one page; opens no file.

        Raises:
            InvalidRequestError: the prefix could leave the root.
            UnavailableError, AccessDeniedError: a folder was not read.
            MisconfiguredError: the root is no folder.
        """
        after = os.fsencode(start_after)
        with OsErrors():
            self._layout.require_root()
            found = {os.fsencode(key): (key, s) for key, s in self._layout.files(prefix)}
        rows = (found[name] for name in sorted(found) if name > after)
        entries = (Entry(key, etag_of(s), s.st_size, s.st_mtime_ns) for key, s in rows)
        return Page.of(entries, more=False)

    def _write(self, key: str, body: bytes, expect: Etag | Sentinel, meta: dict[str, str]) -> Etag:
        place = self._layout.place(key)
        with OsErrors() as errors:
            self._layout.require_root()
            if expect is ANY:
                # A sweep or an erasure that removes nothing still keeps how far it is.
                remove_leftovers(self._layout.temporaries())
            make_folder(place.temporary.parent)
            make_folder(place.body.parent)
            with _locked(place):
                try:
                    return self._replace(place, body, expect, meta, errors)
                finally:
                    place.temporary.unlink(missing_ok=True)

    def _replace(
        self,
        place: Place,
        body: bytes,
        expect: Etag | Sentinel,
        meta: dict[str, str],
        errors: OsErrors,
    ) -> Etag:
        old, deleted = _required(place, expect), state_of(place.floor)
        etag = write_file(
            place.temporary,
            body,
            at_ns=self._clock.now_ns(),
            after_ns=max((state.st_mtime_ns for state in (old, deleted) if state), default=0),
            mode=old.st_mode & 0o777 if old else 0o600,
        )
        write_sidecar(place.sidecars, etag, meta)
        _required(place, expect)
        place.temporary.replace(place.body)
        errors.committed = True
        sync_folder(place.body.parent)
        drop_sidecars(place.sidecars, keep=etag)
        return etag


@contextmanager
def _locked(place: Place) -> Iterator[None]:
    make_folder(place.lock.parent)
    # One instance per write: instances exclude one another even within a thread pool.
    with FileLock(str(place.lock), timeout=_LOCK_TIMEOUT_S, poll_interval=_LOCK_POLL_S):
        yield


def _required(place: Place, expect: Etag | Sentinel) -> os.stat_result | None:
    found = state_of(place.body)
    if expect is ANY:
        return found
    if expect is ABSENT:
        if found:
            raise PreconditionFailedError("an object is already there")
    elif found is None:
        raise GoneError("the object is gone")
    elif etag_of(found) != expect:
        raise PreconditionFailedError("the object has another etag")
    return found


def _with_meta(place: Place, seen: FileRead) -> StoredObject | None:
    if seen.torn:
        return None
    meta = read_sidecar(place.sidecars, seen.etag)
    if meta is None:
        # Either it never had one, or a newer version came and took it away.
        now = state_of(place.body)
        if now is None or etag_of(now) != seen.etag:
            return None
    return StoredObject(seen.body, seen.etag, meta or {})


def remove_file(place: Place, found: os.stat_result, errors: OsErrors) -> None:
    """Remove the file and its metadata for good; no later version has its time again."""
    deleted = state_of(place.floor)
    newest = max(found.st_mtime_ns, deleted.st_mtime_ns if deleted else 0)
    raise_floor(place.floor, newest)
    place.body.unlink()
    errors.committed = True
    sync_folder(place.body.parent)
    drop_sidecars(place.sidecars, keep=None)


def remove_leftovers(temporaries: Iterable[tuple[Path, Path]]) -> None:
    """Remove what writers that died left, whole bodies perhaps; waits for nobody, fails nobody.

    Args:
        temporaries: each such file and its lock, which a writer holds as long as he lives.
    """
    for temporary, lock in temporaries:
        try:
            with FileLock(str(lock), blocking=False):
                temporary.unlink(missing_ok=True)
        except OSError:
            # Its writer lives, or the system does not let go of it now: the next removal tries
            # again, and this one is of another object.
            continue


def remove_each(keys: Iterable[str], delete: Callable[[str], None]) -> tuple[str, ...]:
    """Call `delete` for every key; return those that may go later.

    Raises:
        AccessDeniedError: at least one is refused for good; told when all the others were tried.
    """
    left: list[str] = []
    refused: AccessDeniedError | None = None
    for key in keys:
        try:
            delete(key)
        except (UnavailableError, OutcomeUnknownError):
            left.append(key)
        except AccessDeniedError as error:
            refused = error
    if refused:
        raise refused
    return tuple(left)
