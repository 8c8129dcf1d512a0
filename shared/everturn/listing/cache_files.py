"""Read and write the files of a list cache, and remove rows from them, safely under races.

A file counts only if it is whole. Rows of changed heads are removed at once: their title and
preview are what users said.

To remove rows, the root is rewritten with a higher `forgets` count. This is done even if it holds
none of them or does not exist. Another list may have read one of these heads before its change, and
not written the cache yet. It then loses its race, and cannot bring the row back. Hence no root is
ever removed.
"""

from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, Literal

from everturn.errors import (
    CorruptRecordError,
    GoneError,
    OutcomeUnknownError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.listing.model.cache_root import CacheRoot, content_name, decode_root, encode_root
from everturn.listing.model.cached_row import RowRun, decode_run
from everturn.listing.model.list_index import ListIndex, decode_index
from everturn.ports.object_store import (
    ABSENT,
    ANY,
    MAX_DELETED_KEYS,
    Etag,
    ObjectStore,
    Sentinel,
    StoredObject,
)
from everturn.values.keys import Scope, list_cache_key, list_files_prefix

_FAULTS: Final = (StoreError, UnavailableError)
LOST_RACE: Final = (PreconditionFailedError, GoneError)
"""What a commit raises where another one came first: nothing was written."""


@dataclass(frozen=True, slots=True)
class OpenRoot:
    """A root as it was read, and what a commit of the next one expects to find."""

    root: CacheRoot
    expect: Etag | Literal[Sentinel.ABSENT, Sentinel.ANY] | None
    """`ANY` where what is there cannot be read at all; None where the store does not answer."""
    is_broken: bool = False
    """Whether there is one that says nothing, not even which files there are."""
    fault: StoreError | UnavailableError | None = None
    """Why nobody knows what to expect."""


class ListCacheFiles:
    """The cache of one scope. A file that is missing or broken reads as an empty one."""

    def __init__(self, *, derived: ObjectStore, scope: Scope) -> None:
        """Take the store of derived data."""
        self._derived = derived
        self._root_key = list_cache_key(scope)
        self._prefix = list_files_prefix(scope)

    def open_root(self) -> OpenRoot:
        """Read the root in one request."""
        try:
            stored = self._derived.get(self._root_key)
        except CorruptRecordError:
            return OpenRoot(CacheRoot(), ANY, is_broken=True)
        except _FAULTS as fault:
            # Without the cache every head is read: slower, and just as true.
            return OpenRoot(CacheRoot(), None, fault=fault)
        if isinstance(stored, StoredObject):
            root = decode_root(stored.body)
            return OpenRoot(root or CacheRoot(), stored.etag, is_broken=root is None)
        return OpenRoot(CacheRoot(), ABSENT)

    def index(self, name: str | None) -> ListIndex | None:
        """Read an index; without a name, an empty one without a request; None if it is lost.

        Raises:
            UnavailableError: the store does not answer. To read all heads would take far longer.
        """
        if name is None:
            return ListIndex()
        body = self._whole(name)
        return None if body is None else decode_index(body)

    def run(self, name: str) -> RowRun:
        """Read a run."""
        try:
            return decode_run(self._whole(name) or b"")
        except UnavailableError:
            return RowRun({})

    def write(self, files: Mapping[str, bytes], *, executor: Executor) -> None:
        """Write files, each under the name of its content: whoever else does writes the same.

        Raises:
            StoreError, UnavailableError: some may not be there.
        """
        for _ in executor.map(self._write, files.items()):
            continue

    def commit(self, root: CacheRoot, *, after: OpenRoot) -> None:
        """Put a root in the place of the one that was read.

        Raises:
            PreconditionFailedError, GoneError: another one is there; nothing was written.
            StoreError, UnavailableError: it may not be there; or why none was read before.
        """
        body = encode_root(root)
        if after.expect is ANY:
            self._derived.overwrite(self._root_key, body)
        elif after.expect is None:
            raise after.fault or UnavailableError("the root of a list cache was not read")
        else:
            self._derived.put(self._root_key, body, expect=after.expect)

    def remove(self, names: Iterable[str]) -> bool:
        """Remove files; say whether all are gone. Without names there is no request."""
        keys = [self._prefix + name for name in names]
        try:
            return not any(
                self._derived.delete_many(keys[first : first + MAX_DELETED_KEYS])
                for first in range(0, len(keys), MAX_DELETED_KEYS)
            )
        except _FAULTS:
            return False

    def discard(self, names: Iterable[str]) -> None:
        """Remove files that were written for a root that lost its race, if none needs them."""
        current = self.open_root()
        if current.expect is not ANY and current.expect is not None:
            self.remove(set(names) - current.root.names)

    def strays(self, root: CacheRoot, *, before_ns: int | None = None) -> Collection[str]:
        """Return files that a root does not name, written before an instant or whenever.

        A call that ended half-way leaves them. One page of the listing is looked at.
        """
        try:
            page = self._derived.list(self._prefix)
        except _FAULTS:
            return ()
        written = {entry.key.rpartition("/")[2]: entry.modified_ns for entry in page.entries}
        return {
            name for name, at_ns in written.items() if before_ns is None or at_ns < before_ns
        } - root.names

    def _whole(self, name: str) -> bytes | None:
        try:
            stored = self._derived.get(self._prefix + name)
        except (StoreError, CorruptRecordError):
            return None
        body = stored.body if isinstance(stored, StoredObject) else b""
        return body if content_name(body) == name else None

    def _write(self, file: tuple[str, bytes]) -> None:
        name, body = file
        self._derived.overwrite(self._prefix + name, body)


# Lists of one scope write their cache seldom; meeting that many means that something is wrong.
_ATTEMPTS: Final = 5
_WRITERS: Final = 8


def forget_rows(*, derived: ObjectStore, scope: Scope, keys: Collection[str]) -> bool:
    """Remove the rows of these heads; say whether they are gone for certain.

    A handful of requests: the root and, of a long list, its index and the few runs that hold them.
    No head is read. To be called after the heads were changed.
    """
    files = ListCacheFiles(derived=derived, scope=scope)
    replaced: set[str] = set()
    for _ in range(_ATTEMPTS):
        try:
            return _forget(files, frozenset(keys), replaced)
        except (*LOST_RACE, OutcomeUnknownError):
            continue
        except (StoreError, UnavailableError):
            return False
    return False


def forget_all(*, derived: ObjectStore, scope: Scope, edges: tuple[str, ...] | None = ()) -> None:
    """Put an empty root in the place of whatever is there; two requests where nobody interferes.

    The files that the old one named are left to the caller, to be removed afterwards.

    Args:
        derived: the store of derived data.
        scope: whose lists forget.
        edges: where the pages of the listing end, keys of heads; None for those of the old root.

    Raises:
        AccessDeniedError: the store refuses for good.
        UnavailableError: the store does not answer, or others write all the time; ask again.
    """
    files = ListCacheFiles(derived=derived, scope=scope)
    cause: Exception | None = None
    for _ in range(_ATTEMPTS):
        opened = files.open_root()
        root = CacheRoot(edges=edges or (), forgets=opened.root.forgets + 1)
        if edges is None:
            root = replace(root, edges=opened.root.edges)
        try:
            files.commit(root, after=opened)
        except (*LOST_RACE, OutcomeUnknownError) as error:
            cause = error
        else:
            return
    raise UnavailableError("a list cache is not emptied in time") from cause


def _forget(files: ListCacheFiles, keys: frozenset[str], replaced: set[str]) -> bool:
    """Make one attempt; `replaced` gathers the files that no root needs once one is written."""
    opened = files.open_root()
    old = opened.root
    rows = {key: row for key, row in old.rows.items() if key not in keys}
    new = _without(files, replace(old, rows=rows, retired=(), forgets=old.forgets + 1), keys)
    replaced |= old.names
    try:
        files.commit(new, after=opened)
    except LOST_RACE:
        files.discard(new.names - old.names)
        raise
    unknown = files.strays(new) if opened.is_broken else ()
    return files.remove({*replaced, *unknown} - new.names)


def _without(files: ListCacheFiles, root: CacheRoot, keys: frozenset[str]) -> CacheRoot:
    """Return a root whose runs hold no rows of these heads, and write those that are new."""
    index = files.index(root.index)
    if index is None:
        # Nobody can say what its runs hold, nor use them.
        return replace(root, index=None, runs=())
    names = list(root.runs)
    written = {}
    for number in index.runs_with(keys):
        body = files.run(names[number]).without(keys).encode()
        names[number] = content_name(body)
        written[names[number]] = body
    if written:
        with ThreadPoolExecutor(_WRITERS) as executor:
            files.write(written, executor=executor)
    return replace(root, runs=tuple(names))
