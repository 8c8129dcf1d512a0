"""Take rows out of the list cache at once: their title and preview are what users said.

The root is written anew, with another count of forgets, even where it holds none of these rows or
does not exist: a list that read one of these heads before it changed, and has not written the cache
yet, then loses its race and cannot bring it back. Hence no root is ever removed.
"""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

from everturn.errors import OutcomeUnknownError, StoreError, UnavailableError
from everturn.listing.cache_files import LOST_RACE, ListCacheFiles
from everturn.listing.model.cache_root import CacheRoot, content_name
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope

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
