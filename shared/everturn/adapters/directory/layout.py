"""Where a key lies in a directory, and which keys lie there.

{root}/{x}.json                            c/local/local/{x}.json, beside the Go program's files
{root}/.everturn/{key}                     every other key
{root}/.everturn/meta/{key}/{etag}         metadata of that one version
{root}/.everturn/tmp/{shard}               a write under way
{root}/.everturn/locks/{shard}.lock        held by the one writer of that shard; never deleted
{root}/.everturn/locks/{shard}.floor       its mtime: the newest version that was deleted
{root}/.everturn/queue/                    no keys: a queue of jobs may lie there
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from everturn.errors import InvalidRequestError, MisconfiguredError

_HEADS: Final = "c/local/local/"
_HEAD_SUFFIX: Final = ".json"
_PRIVATE: Final = ".everturn"
_INTERNAL: Final = frozenset({"meta", "tmp", "locks", "queue"})


@dataclass(frozen=True, slots=True)
class Place:
    """All the paths of one key; keys of one shard share the last three and one lock."""

    body: Path
    sidecars: Path
    temporary: Path
    lock: Path
    floor: Path


class DirectoryLayout:
    """Maps keys to paths under one root; no key can leave it."""

    def __init__(self, root: Path) -> None:
        """Take the root, which need not exist."""
        self._root = root
        self._private = root / _PRIVATE

    def temporaries(self) -> Iterator[tuple[Path, Path]]:
        """Yield each file of a write that is under way, or was when somebody died, and its lock."""
        for entry in _scan(self._private / "tmp"):
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry.path), self._private / "locks" / f"{entry.name}.lock"

    def require_root(self) -> None:
        """Accept a root that is a folder or does not exist yet.

        Raises:
            MisconfiguredError: it is something else, or lies below what is no folder.
        """
        try:
            is_folder = stat.S_ISDIR(self._root.stat().st_mode)
        except FileNotFoundError:
            return
        except NotADirectoryError:
            is_folder = False
        if not is_folder:
            raise MisconfiguredError("the root of the directory store is no folder")

    def place(self, key: str) -> Place:
        """Return the paths of a key.

        Raises:
            InvalidRequestError: the key could leave the root or meet our own files.
        """
        _require_inside(key)
        # Folded, so that two keys that a case-blind file system takes for one share a lock.
        shard = hashlib.sha256(os.fsencode(key.casefold())).hexdigest()[:2]
        return Place(
            body=self._body(key),
            sidecars=self._private / "meta" / key,
            temporary=self._private / "tmp" / shard,
            lock=self._private / "locks" / f"{shard}.lock",
            floor=self._private / "locks" / f"{shard}.floor",
        )

    def files(self, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
        """Yield keys that begin with `prefix` with their files' state, in no order; opens none."""
        if prefix.startswith(_HEADS) or _HEADS.startswith(prefix):
            found = _regular_files(self._root, _HEADS)
            yield from ((k, s) for k, s in found if k.startswith(prefix) and _is_head(k))
        if not prefix.startswith(_HEADS):
            found = self._private_files(prefix.rpartition("/")[0])
            yield from ((k, s) for k, s in found if k.startswith(prefix))

    def _body(self, key: str) -> Path:
        if not key.startswith(_HEADS):
            return self._private / key
        if not _is_head(key):
            raise InvalidRequestError("a head is a plain name that ends in .json")
        return self._root / key.removeprefix(_HEADS)

    def _private_files(self, folder: str) -> Iterator[tuple[str, os.stat_result]]:
        if folder:
            _require_inside(folder)
        waiting = [folder]
        while waiting:
            base = waiting.pop()
            prefix = f"{base}/" if base else ""
            if prefix != _HEADS:
                waiting.extend(_sub_folders(self._private / base, prefix))
                yield from _regular_files(self._private / base, prefix)


def _require_inside(key: str) -> None:
    segments = key.split("/")
    if "\0" in key or not {"", ".", ".."}.isdisjoint(segments) or segments[0] in _INTERNAL:
        raise InvalidRequestError("a key is relative, without empty or dotted segments")


def _is_head(key: str) -> bool:
    name = key.removeprefix(_HEADS)
    return name.endswith(_HEAD_SUFFIX) and not name.startswith(".") and "/" not in name


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _sub_folders(folder: Path, base: str) -> Iterator[str]:
    for entry in _scan(folder):
        if entry.is_dir(follow_symlinks=False) and not (not base and entry.name in _INTERNAL):
            yield f"{base}{entry.name}"


def _regular_files(folder: Path, base: str) -> Iterator[tuple[str, os.stat_result]]:
    for entry in _scan(folder):
        try:
            state = entry.stat()
        except OSError:
            # Deleted since the folder was read, or a link to nothing or in a circle: no object, and
            # no reason to hide the others.
            continue
        if stat.S_ISREG(state.st_mode):
            yield f"{base}{entry.name}", state
